import subprocess
import sys
import warnings
from xml.etree import ElementTree

import matplotlib
import pytest
from made_up_results import HOSTILE, MODELS
from matplotlib.figure import Figure

from broadlearn.study.report.drawing import line_styles, panels, study_style, to_svg
from broadlearn.utils.pictures import label


@study_style()
def picture(text="some text"):
    figure = Figure(figsize=(3, 2))
    axes = figure.subplots()
    axes.plot([0, 1, 2], [1, 3, 2], marker="o", label=label(text))
    axes.legend()
    axes.set_title(label(text))
    return figure


def ids(svg):
    return {element.get("id") for element in ElementTree.fromstring(svg).iter()} - {None}


def test_svg_is_the_same_every_time_whatever_the_settings():
    first = to_svg(picture(), "a", "A picture.")
    with matplotlib.rc_context({"font.size": 20, "lines.color": "red", "svg.fonttype": "none"}):
        assert to_svg(picture(), "a", "A picture.") == first
    assert "<metadata" not in first
    assert "<!--" not in first


def test_ids_do_not_clash_and_are_all_there():
    first, second = to_svg(picture(), "a"), to_svg(picture(), "b")
    assert ids(first)
    assert not ids(first) & ids(second)
    for element in ElementTree.fromstring(first).iter():
        for name, value in element.attrib.items():
            if name.endswith("href"):
                assert value.removeprefix("#") in ids(first)
            if "url(#" in value:
                assert value.split("url(#")[1].split(")")[0] in ids(first)


def test_description_is_escaped():
    svg = to_svg(picture(), "a", HOSTILE[1])
    assert ElementTree.fromstring(svg).get("aria-label") == HOSTILE[1]
    assert "<img" not in svg


@pytest.mark.slow
def test_hostile_names_are_drawn_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in (*HOSTILE, "$\\frac{", "_hidden", "数据集", "a\ud800b\x00c\nd"):
            svg = to_svg(picture(text), "a", "picture")
            ElementTree.fromstring(svg)
            assert "script" not in svg


@pytest.mark.parametrize("name", ["", "1a", 'a"b', "a b", "é"])
def test_names_that_are_no_ids_are_refused(name):
    with pytest.raises(ValueError, match="name must be letters"):
        to_svg(picture(), name)


def test_labels():
    assert label("bank") == "bank"
    assert label("a\n b\tc") == "a b c"
    assert label("_a") == " _a"
    assert len(label(HOSTILE[-1])) == 26


def test_published_models_always_look_the_same_and_apart():
    styles = line_styles(MODELS)
    assert line_styles(["IF-BLS", "A"])["IF-BLS"] == styles["IF-BLS"]
    for what in ("color", "marker", "linestyle"):
        assert len({str(style[what]) for style in styles.values()}) == 7
    many = line_styles([*MODELS, *(f"model {i}" for i in range(14))])
    assert len({str(style) for style in many.values()}) == 21


def test_panels():
    figure, axes = panels(5)
    assert len(axes) == len(figure.axes) == 5
    assert len(panels(1)[1]) == 1


@pytest.mark.slow
def test_pyplot_is_not_needed():
    code = (
        "import sys\n"
        "from broadlearn.study.report.drawing import panels, to_svg\n"
        "to_svg(panels(2)[0], 'a')\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
