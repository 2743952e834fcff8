import base64
import hashlib
import sys

import pytest

from broadlearn.utils import page_environment, page_frame, whole
from broadlearn.utils.pages import brief

AUDIT = "broadlearn.auditing"


def test_what_is_not_safe_is_escaped():
    text = "{{ name }} {{ 12345.6 | whole }} {{ 1.25 | brief }}"
    template = page_environment(AUDIT).from_string(text)
    assert template.render(name="<b>") == "&lt;b&gt; 12,346 1.2"
    assert (whole(0.4), brief(10.2)) == ("0", "10")


def test_every_package_sees_the_frame_of_all_pages():
    for package in (AUDIT, "broadlearn.study.report"):
        page = page_environment(package).get_template("base.html.j2")
        shown = page.render(title="<i>", **page_frame(package, []))
        assert "<title>&lt;i&gt;</title>" in shown
        assert "<script" not in shown
        assert "script-src" not in shown


def test_own_styles_follow_those_of_all_pages():
    style = page_frame("broadlearn.evaluation", ["evaluation.css"])["style"]
    assert style.index("--accent:") < style.index(".figures")


def test_only_the_scripts_of_a_page_may_run():
    frame = page_frame(AUDIT, ["audit.css"], ["audit.js", "sort.js"])
    digest = base64.b64encode(hashlib.sha256(frame["script"].encode()).digest()).decode()
    assert frame["script_hash"] == f"sha256-{digest}"


def test_without_jinja2_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r'pip install "broadlearn\[study\]"'):
        page_environment(AUDIT)
