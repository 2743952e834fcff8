from broadlearn.auditing import Finding, Health


def test_points_are_taken_from_a_hundred_and_not_below_zero():
    assert Health([]).score == 100.0
    assert Health([Finding("a", "A.", 30.0), Finding("b", "B.", 12.5)]).score == 57.5
    assert Health([Finding("a", "A.", 80.0), Finding("b", "B.", 40.0)]).score == 0.0


def test_a_line_per_finding():
    text = str(Health([Finding("duplicates", "3 rows are copies.", 2.0), Finding("c", "None.")]))
    assert text.splitlines() == [
        "Health 98 of 100",
        "  -2  duplicates: 3 rows are copies.",
        "   0  c: None.",
    ]


def test_rows_of_a_finding_are_empty_by_default():
    assert Finding("a", "A.").rows.size == 0
