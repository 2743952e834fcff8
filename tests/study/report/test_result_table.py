import csv
import io
import math
from html.parser import HTMLParser

import pytest
from made_up_results import HOSTILE

from broadlearn.study.report.result_table import Entry, ResultTable


def table(*rows, columns=("data set", "A"), **changes):
    return ResultTable("t", "Accuracy", "Protocol: nested.", columns, rows, **changes)


def read(text):
    return list(csv.reader(io.StringIO(text, newline="")))


class Parsed(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Entry(85.2), "85.20"),
        (Entry(85.2, spread=1.0), "85.20 ± 1.00"),
        (Entry(-1.234, "+z.2f"), "−1.23"),
        (Entry(-0.001, "+z.2f"), "+0.00"),
        (Entry(1234, ",d"), "1,234"),
        (Entry(0.0012345, "p"), "0.001234"),
        (Entry(1e-9, "p"), "<0.0001"),
        (Entry(math.nan), "–"),
        (Entry(math.inf), "∞"),
        (Entry("failed"), "failed"),
    ],
)
def test_cells_as_shown(cell, text):
    assert cell.text == text


def test_html_shows_hostile_names_as_text():
    html = table(*([Entry(name), Entry(name)] for name in HOSTILE), columns=HOSTILE[:2]).to_html()
    parsed = Parsed(html)
    assert set(parsed.tags) == {"table", "thead", "tbody", "tr", "th", "td", "button", "span"}
    assert [text for text in parsed.text if text.strip()].count(HOSTILE[0]) == 3


def test_html_keys_for_sorting():
    html = table(
        [Entry("x"), Entry(0.1 + 0.2, best=True)],
        [Entry("y"), Entry(math.nan)],
        [Entry("z"), Entry("failed", published=3.0)],
        foot=[[Entry("mean"), Entry(1.0)]],
    ).to_html()
    assert 'data-value="0.30000000000000004"><b>0.30</b>' in html
    assert 'data-value="">–' in html
    assert '<td class="instead"><span class="words">failed<span class="aside">3.00' in html
    assert html.index("<tfoot>") > html.index("</tbody>")


def test_markdown_keeps_its_columns_whatever_the_names():
    rows = [[Entry(name), Entry(1.0, note="a|b")] for name in (*HOSTILE, "two\nlines\r\tand tab")]
    lines = table(*rows).to_markdown().splitlines()
    assert len(lines) == 4 + len(rows)
    for line in lines[2:]:
        assert line.replace("\\\\", "").replace(r"\|", "").count("|") == 3
    assert "<script>" not in "".join(lines)
    assert r"a\_b &amp; c% \$x^2\$" in lines[7]


def test_markdown_and_latex_show_everything_of_a_cell():
    cell = Entry(85.2, spread=1.0, published=86.0, note="3 of 5 seeds", best=True)
    shown = table([Entry("x"), cell], foot=[[Entry("mean"), Entry(1.0)]])
    assert "| x | **85.20** ± 1.00 (86.00; 3 of 5 seeds) |\n| mean | 1.00 |" in shown.to_markdown()
    latex = shown.to_latex()
    assert r"x & \textbf{85.20} $\pm$ 1.00 (86.00; 3 of 5 seeds) \\" in latex
    assert latex.count(r"\midrule") == 2
    assert r"\caption{Accuracy. Protocol: nested.}" in latex


def test_latex_is_escaped():
    names = ["a_b%c&d#e$f{g}~h^i\\j", "[4pt] looks like an argument", "* too", "<x>|−"]
    body = table(*([Entry(name), Entry(-1.0)] for name in names)).to_latex()
    assert (
        r"a\_b\%c\&d\#e\$f\{g\}\textasciitilde{}h\textasciicircum{}i\textbackslash{}j & $-$1.00 \\"
        in body
    )
    assert "\n{[}4pt{]} looks" in body
    assert "\n{*} too" in body
    assert r"\textless{}x\textgreater{}\textbar{}$-$" in body


def test_latex_wraps_long_texts():
    long = table([Entry("x" * 300), Entry("y")]).to_latex()
    assert r"\begin{tabular}{p{0.3\linewidth}l}" in long


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_csv_disarms_formulas_in_texts_only(start):
    name = f"{start}1+1"
    rows = read(table([Entry(name), Entry(-1.5)], columns=("data set", name)).to_csv())
    assert rows == [["data set", f"'{name}"], [f"'{name}", "-1.5"]]


def test_csv_quotes_line_breaks_of_all_kinds():
    rows = [[Entry("a\r=1+1"), Entry("b\n=1+1")], [Entry("c\r\n=1+1"), Entry('d",=1+1')]]
    assert read(table(*rows).to_csv())[1:] == [[cell.value for cell in row] for row in rows]


def test_csv_holds_unrounded_parts_in_columns_of_their_own():
    full = Entry(100 / 3, spread=1 / 3, published=33.3, note="1 of 2 seeds")
    text = table(
        [Entry('a "quoted", name'), full],
        [Entry("b"), Entry("failed")],
        [Entry("c"), Entry(math.nan)],
        foot=[[Entry("mean"), Entry(1.0)]],
    ).to_csv()
    assert read(text) == [
        ["data set", "A", "A sd", "A published", "A note"],
        ['a "quoted", name', repr(100 / 3), repr(1 / 3), "33.3", "1 of 2 seeds"],
        ["b", "failed", "", "", ""],
        ["c", "", "", "", ""],
    ]


def test_rows_must_be_as_long_as_the_heading():
    with pytest.raises(ValueError, match="must have 2 cells as its columns, got 1"):
        table([Entry("x")])
