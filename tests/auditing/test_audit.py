import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import average_precision_score

from broadlearn.auditing import CHECKS, Duplicates, Finding, audit, read_corrections
from broadlearn.tables import TablePreparation


def two_classes(n=200, apart=5.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 3)) + apart * y[:, None] * [1, 0.5, 0], y


def planted(n=200, share=0.1, seed=0):
    X, y = two_classes(n, seed=seed)
    wrong = np.random.default_rng(seed + 1).permutation(n)[: round(share * n)]
    given = y.copy()
    given[wrong] = 1 - y[wrong]
    return X, y, given


@pytest.fixture(scope="module")
def found():
    X, y, given = planted()
    return audit(X, given), given != y


def test_wrong_labels_come_first_and_are_counted(found):
    audited, wrong = found
    table = audited.table
    assert average_precision_score(wrong[table["position"]], table["suspicion"]) > 0.9
    assert table["suspicion"].is_monotonic_decreasing
    assert audited.n_errors.low <= wrong.sum() <= audited.n_errors.high
    assert audited.n_errors.value == pytest.approx(audited.evidence.suspicion.sum())
    flagged = audited.lists["likely mislabelled"]
    assert wrong[flagged["position"]].mean() > 0.8
    assert (flagged["label"] != flagged["likely_label"]).all()
    assert flagged["why"].str.contains("nearest rows are").all()
    assert audited.errors["expected"].sum() == pytest.approx(audited.n_errors.value)
    assert audited.by_class["flagged"].sum() == audited.counts["likely mislabelled"]
    np.testing.assert_allclose(audited.noise_matrix.sum(axis=1), 1.0)


def test_outliers_have_a_list_of_their_own():
    X, y, given = planted()
    X[17] = [80.0, 0.0, 0.0]
    audited = audit(X, given)
    assert audited.lists["outlier"]["position"].tolist() == [17]
    assert audited.table.iloc[0]["position"] != 17
    assert "mostly by column 0" in audited.lists["outlier"]["why"].iloc[0]
    assert (
        average_precision_score((given != y)[audited.table["position"]], audited.table["suspicion"])
        > 0.9
    )


def test_as_many_suspects_are_listed_as_labels_are_estimated_to_be_wrong():
    X, y = two_classes(80, apart=1.0)
    audited = audit(X, y)
    listed = audited.table["verdict"].isin(["likely mislabelled", "ambiguous"])
    assert listed.sum() == round(audited.n_errors.value) > audited.counts["likely mislabelled"]
    assert listed[: listed.sum()].all()


def test_columns_are_read_as_the_preparation_says():
    X, _, given = planted(40)
    frame = pd.DataFrame({"dose": X[:, 0], "zip": np.arange(40) % 4})
    prepare = TablePreparation({"zip": "category"})
    audited = audit(frame, given, preparation=prepare, checks=[])
    assert audited.rows.numbers.shape == (40, 5)
    assert not hasattr(prepare, "columns_")
    assert audit(frame, given, checks=[]).rows.numbers.shape == (40, 2)


def test_the_same_seed_gives_the_same_audit_whatever_the_frame():
    X, _, given = planted(80)
    plain = audit(X, given).table["suspicion"].to_numpy()
    np.testing.assert_array_equal(plain, audit(X, given).table["suspicion"])
    frame = pd.DataFrame(X, pd.MultiIndex.from_product([range(40), list("ab")]), list("abc"))
    np.testing.assert_array_equal(plain, audit(frame, given).table["suspicion"])


def test_sure_wrong_labels_in_ten_classes_are_counted():
    X, y = load_digits(return_X_y=True)
    X, y = X[:500], y[:500]
    rng = np.random.default_rng(0)
    wrong = rng.random(500) < 0.1
    given = np.where(wrong, (y + rng.integers(1, 10, 500)) % 10, y)
    audited = audit(X, given)
    assert audited.n_errors.low <= wrong.sum() <= audited.n_errors.high
    flagged = audited.evidence.flagged
    assert flagged[wrong].mean() > 0.8
    assert wrong[flagged].mean() > 0.9


@pytest.mark.parametrize("kind", ["noise", "overlap", "missing"])
def test_tables_without_errors_are_not_full_of_errors(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = rng.integers(0, 2, 300)
    if kind == "overlap":
        y = (rng.random(300) < 1.0 / (1.0 + np.exp(-X @ [0.6, 0.6, 0.3, 0, 0, 0]))).astype(int)
    if kind == "missing":
        y = (X[:, 0] > 0).astype(int)
        X[rng.random(X.shape) < 0.9] = np.nan
    audited = audit(X, y)
    assert audited.evidence.flagged.mean() <= 0.03
    assert audited.n_errors.low == 0


def test_two_rows():
    audited = audit([[0.0], [1.0]], ["a", "b"])
    assert audited.n_errors.high <= 2
    assert not audited.evidence.flagged.any()


def test_one_gross_target_among_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = X @ [1.0, 2.0, 0.0, -1.0] + 0.3 * rng.normal(size=300)
    y[7] += 40.0
    audited = audit(X, y)
    assert audited.classes.size == 0
    assert audited.table["position"].iloc[0] == 7
    assert audited.counts["likely mislabelled"] <= 3
    assert "out-of-sample prediction" in audited.table["why"].iloc[0]
    assert audited.n_errors.low <= 1 <= audited.n_errors.high


def test_whole_numbers_with_many_values_are_a_quantity():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = (50 * X[:, 0]).astype(int)
    assert audit(X, y, checks=[]).rows.is_regression
    assert not audit(X, y % 2, checks=[]).rows.is_regression


def test_probabilities_of_another_model_are_one_more_opinion():
    X, y, given = planted(120)
    noise = np.random.default_rng(0).normal(size=(120, 3))
    sure = np.eye(2)[y] * 0.96 + 0.02
    plain, better = audit(noise, given, checks=[]), audit(noise, given, probabilities=sure)
    *others, best = sorted(better.evidence.pool.values())
    assert better.evidence.pool["given probabilities"] == best
    assert best > 3 * max(others)
    wrong = given != y
    scores = [average_precision_score(wrong, a.evidence.suspicion) for a in (plain, better)]
    assert scores[1] > scores[0] + 0.5
    with pytest.raises(ValueError, match=r"probabilities must have the shape \(120, 2\)"):
        audit(X, given, probabilities=sure[:, :1])
    with pytest.raises(ValueError, match="must be 0 or more and sum to 1"):
        audit(X, given, probabilities=2 * sure)


def test_a_reference_shows_columns_that_drift():
    X, y, _ = planted()
    known = audit(X, y, checks=[])
    new = X.copy()
    new[:, 2] *= 1.5
    drift = [f for f in audit(new, y, reference=X).health.findings if f.check == "drift"]
    assert [finding.columns for finding in drift] == [["column 2"]]
    assert "has drifted from the reference" in drift[0].sentence
    (finding,) = (f for f in audit(X, y, reference=known).health.findings if f.check == "drift")
    assert finding.penalty == 0


def test_partly_corrected_tables_keep_the_noise_that_was_learnt(tmp_path):
    X, y = load_iris(return_X_y=True)
    X, y = np.vstack([X, X + 0.01]), np.r_[y, y]
    rng = np.random.default_rng(0)
    wrong = rng.random(300) < 0.15
    given = np.where(wrong, (y + rng.integers(1, 3, 300)) % 3, y)
    before = audit(X, given)
    fixes = before.corrections()
    flagged = fixes["row"].isin(np.flatnonzero(wrong)) & (fixes["verdict"] == "likely mislabelled")
    half = flagged & (np.cumsum(flagged) % 2 == 0)
    fixes.loc[half, "action"] = "relabel"
    fixes.loc[half, "new_label"] = y[fixes["row"][half]]
    path = tmp_path / "fixes.csv"
    fixes.to_csv(path, index=False)
    after = before.recheck(read_corrections(path, given))
    left = wrong.sum() - half.sum()
    assert after.n_errors.low <= left <= after.n_errors.high
    assert after.evidence.suspicion[fixes["row"][half]].max() == 0.0
    pd.testing.assert_frame_equal(
        after.noise_matrix, before.noise_matrix, check_exact=False, rtol=1e-9
    )


def test_checks_are_chosen_and_added():
    class Odd:
        limit = 5.0

        def find(self, rows, evidence):
            odd = np.flatnonzero(rows.codes == 1)
            return [Finding("odd", "Odd rows.", 9.0, odd, (), "odd", ["It is odd."] * odd.size)]

    X, y, _ = planted(60)
    audited = audit(X, y, checks=[Odd(), Duplicates()])
    assert {f.check for f in audited.health.findings} == {"odd", "duplicates"}
    assert audited.health.score == 95.0
    assert audited.counts["odd"] == 30
    assert audited.lists["odd"]["why"].eq("It is odd.").all()
    assert len({check.__name__ for check in CHECKS}) == len(CHECKS)


def test_progress_goes_up():
    stages = []
    X, y, _ = planted(40)
    audit(X, y, progress=lambda *stage: stages.append(stage))
    shares = [share for _, share in stages]
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert shares[-1] < 1.0


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        ([[1.0], [2.0]], ["a", "a"], {}, "at least two classes"),
        ([[1.0], [2.0]], ["a", None], {}, "1 of 2 are missing, the first in row 1"),
        ([[1.0], [2.0]], ["a", 1], {}, "labels of one kind"),
        ([[1.0], [2.0]], [1, 2], {"task": "x"}, "task must be one of"),
        ([[1.0], [2.0]], ["a", "b"], {"task": "regression"}, "y must hold finite numbers"),
        ([[1.0], [2.0]], [3.5, 3.5], {"task": "regression"}, "y must vary"),
        (pd.DataFrame([[1, 2]] * 2, columns=["a", "a"]), [0, 1], {}, "Duplicate column name in X"),
        (pd.DataFrame(index=[0, 1]), [0, 1], {}, "X must have rows and columns"),
        ([[1.0], [2.0]], ["a", "b", "a"], {}, "inconsistent numbers of samples"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(X, y, options, message):
    with pytest.raises(ValueError, match=message):
        audit(X, np.array(y, dtype=object) if None in y or (1 in y and "a" in y) else y, **options)


def test_what_is_written_holds_no_formulas(found, tmp_path):
    audited, _ = found
    text = audited.to_csv()
    audited.to_csv(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == text
    frame = audited.rows.frame.set_axis([f"=1+{i}" for i in range(200)])
    lines = audit(frame, audited.rows.labels, checks=[]).to_csv().splitlines()
    assert all(line.startswith("\"'=") for line in lines[1:])


def test_pictures_and_notebooks(found):
    pytest.importorskip("matplotlib")
    assert len(found[0].plot().axes) == 2
    assert "likely mislabelled" in found[0]._repr_html_()
    assert repr(found[0]).startswith("<Audit of 200 rows: ")
