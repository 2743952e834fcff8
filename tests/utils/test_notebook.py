import json
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris

from broadlearn import BLSClassifier, PathSearchCV
from broadlearn.utils import Records, RecordsAttribute, SearchResults, html_table


def test_nothing_is_taken_for_markup():
    shown = html_table("<i>", ["<a>"], [("<script>",)], "<b>")
    for tag in ("<i>", "<a>", "<script>", "<b>"):
        assert tag not in shown


def test_numbers_are_short_and_to_the_right_and_long_texts_are_cut():
    shown = html_table("t", ["x", "y"], [(np.float64(1 / 3), "z" * 1000)])
    assert '<td style="text-align:right">0.3333</td>' in shown
    assert "z" * 201 not in shown
    assert '<td style="text-align:left;min-width:16em">zzz' in shown
    assert '<th scope="col" style="text-align:right">x</th>' in shown
    assert "…" in shown


def test_a_search_shows_its_best_candidates():
    X, y = load_iris(return_X_y=True)
    search = PathSearchCV(
        BLSClassifier(2, 3, 1, 10, random_state=0), {"C": [1e-6, 1.0, 100.0]}, cv=3
    ).fit(X, y)
    results = search.cv_results_
    shown = results._repr_html_()
    assert shown.index(f"C = {search.best_params_['C']}") < shown.index("C = 1e-06")
    assert "3 candidates" in shown
    assert pickle.loads(pickle.dumps(results)).keys() == results.keys()
    assert isinstance(results, dict)


def test_without_a_rank_it_is_shown_as_it_is():
    assert (
        SearchResults(a="<b>")._repr_html_() == "<pre>{&#x27;a&#x27;: &#x27;&lt;b&gt;&#x27;}</pre>"
    )


def test_records_are_a_list_that_shows_its_first():
    records = Records(({"C": float(k), "name": "<b>"} for k in range(12)), "member")
    shown = records._repr_html_()
    assert "12 members, the first 10" in shown
    assert "<b>" not in shown
    assert shown.count("<tr>") == 11
    assert isinstance(records, list)
    assert json.loads(json.dumps(records)) == records
    assert pickle.loads(pickle.dumps(records)).word == "member"


def test_records_with_other_fields_have_gaps():
    shown = Records([{"a": 1}, {"b": 2}])._repr_html_()
    assert shown.count('<td style="text-align:left"></td>') == 2


def test_a_model_keeps_records_as_a_plain_list():
    class Model:
        members_ = RecordsAttribute("member")

    model = Model()
    with pytest.raises(AttributeError, match="'Model' object has no attribute 'members_'"):
        _ = model.members_
    model.members_ = Records([{"C": 1.0}])
    assert type(vars(model)["members_"]) is list
    assert type(model.members_) is Records
    assert Model.members_.word == "member"
    del model.members_
    assert not hasattr(model, "members_")
