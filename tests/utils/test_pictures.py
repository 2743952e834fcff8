from broadlearn.utils.pictures import label


def test_names_are_short_and_on_one_line():
    assert label("bank") == "bank"
    assert label("a\n b\tc") == "a b c"
    assert len(label("x" * 300)) == 26
    assert label("\x00") == r"\x00"


def test_nothing_is_read_as_a_formula_or_left_out_of_a_legend():
    assert label("$x$") == r"\$x\$"
    assert label("_a") == " _a"
