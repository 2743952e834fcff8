import sys

import pytest

from broadlearn.audit.templating import brief, page_environment, page_part, whole


def test_what_is_not_safe_is_escaped():
    template = page_environment().from_string("{{ name }} {{ 12345.6 | whole }} {{ 1.25 | brief }}")
    assert template.render(name="<b>") == "&lt;b&gt; 12,346 1.2"
    assert (whole(0.4), brief(10.2)) == ("0", "10")


def test_stylesheets_follow_each_other():
    style = page_part("audit.css", "evaluation.css")
    assert style.index(":root") < style.index(".figures")


def test_without_jinja2_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r'pip install "broadlearn\[study\]"'):
        page_environment()
