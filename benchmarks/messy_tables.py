"""Forty made-up messy tables, of which columns are to be understood as if they were read by hand.

Every table has a clean form, on which labels depend, and is then written as people write tables:
numbers with separators of several countries, percent, currencies and units, dates, answers in other
languages, ordered words, codes, gaps, strays, row numbers, copies, notes. The same model (that of
``broadlearn fit``) is fitted to half of the rows of

- the messy table, prepared by `TablePreparation`,
- the table parsed by hand: numbers, dates, booleans and words as such, without the columns that
  tell nothing, and with no kind left to be inferred; what is lost against it is lost in reading,
- that table encoded by hand: words as columns of 0 and 1 (for more than 30 levels the mean
  target of training rows), dates as days, missing numbers as the median with an indicator,
- the messy table, prepared by skrub's `TableVectorizer`, if skrub is installed,

and judged by the other half, for some halves drawn anew (`--splits`): the accuracy of one half of
so few rows is uncertain by two points. A kind counts as right if it is the one that the table was
written with, or if it is said to be doubtful.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from _measure import verdict
from sklearn.preprocessing import TargetEncoder

from broadlearn import BroadEnsembleClassifier
from broadlearn.io import Table, TablePreparation, read_table

N_TABLES = 40
# What accuracy may be lost in reading, in points.
MAX_LOSS = 0.5
NO_FEATURE = ("identifier", "free text", "constant", "empty", "copy")


class Column(NamedTuple):
    """A column as it is written, what it means, and the kind that it should be found to be."""

    written: Any
    clean: Any
    kind: str
    more: Any = None


Make = Callable[[np.random.Generator, int], tuple[Any, ...]]


def english(x: float, digits: int = 2) -> str:
    """Write a number as 1,234.56."""
    return f"{x:,.{digits}f}"


def german(x: float, digits: int = 2) -> str:
    """Write a number as 1.234,56."""
    return english(x, digits).translate(str.maketrans(",.", ".,"))


def french(x: float, digits: int = 2) -> str:
    """Write a number as 1 234,56, with a narrow space."""
    return english(x, digits).replace(",", "\u202f").replace(".", ",")


def swiss(x: float, digits: int = 2) -> str:
    """Write a number as 1'234.56."""
    return english(x, digits).replace(",", "’")


def numbers(write: Callable[[float], str], draw: str = "money") -> Make:
    """A column of numbers that are written in some way."""

    def make(rng: np.random.Generator, n: int) -> tuple[Any, Any, str]:
        values = {
            "money": lambda: rng.lognormal(8.0, 1.0, n).round(2),
            "share": lambda: (100 * rng.beta(2, 3, n)).round(1),
            "size": lambda: rng.normal(70, 12, n).round(1),
            "whole": lambda: np.round(rng.lognormal(7.5, 1.2, n)),
            "signed": lambda: rng.normal(0, 900, n).round(2),
        }[draw]()
        texts = [write(x) for x in values]
        return texts, values, "number as text"

    return make


def accounting(x: float) -> str:
    """Write negative numbers in brackets."""
    return f"({english(-x)})" if x < 0 else english(x)


def mixed_weights(x: float) -> str:
    """Write light things in grams."""
    return f"{x:.1f} kg" if x > 70 else f"{1000 * x:.0f} g"


def strayed(make: Make, strays: list[str], share: float) -> Make:
    """Some cells of a column hold other texts, which say nothing."""

    def changed(rng: np.random.Generator, n: int) -> tuple[Any, Any, str]:
        texts, values, kind = make(rng, n)
        texts, values = np.array(texts, dtype=object), np.array(values, dtype=float)
        where = rng.random(n) < share
        texts[where] = rng.choice(strays, where.sum())
        values[where] = np.nan
        return texts, values, kind

    return changed


def plain(rng: np.random.Generator, n: int) -> tuple[Any, Any, str]:
    """Plain numbers, no two the same."""
    values = rng.normal(size=n)
    return values, values, "number"


def incomes(rng: np.random.Generator, n: int) -> tuple[Any, Any, str]:
    """Whole numbers that hardly repeat, but mean something."""
    values = np.round(rng.lognormal(10.5, 0.5, n))
    return values.astype(int), values, "number"


def with_gaps(rng: np.random.Generator, n: int) -> tuple[Any, Any, str]:
    """Plain numbers with gaps."""
    values = np.where(rng.random(n) < 0.15, np.nan, rng.normal(size=n))
    return values, values, "number"


def nines(rng: np.random.Generator, n: int) -> tuple[Any, Any, str]:
    """Plain numbers with -999 where nothing was measured."""
    values = np.where(rng.random(n) < 0.1, np.nan, rng.normal(50, 9, n).round(1))
    return np.where(np.isnan(values), -999.0, values), values, "number"


def answers(yes: list[str], no: list[str]) -> Make:
    """Yes and no, in several spellings."""

    def make(rng: np.random.Generator, n: int) -> tuple[Any, Any, str]:
        values = rng.integers(0, 2, n)
        texts = [str(rng.choice(yes if value else no)) for value in values]
        return texts, values.astype(float), "boolean"

    return make


def ordered(*words: str) -> Make:
    """Words that have an order."""

    def make(rng: np.random.Generator, n: int) -> tuple[Any, Any, str]:
        values = rng.integers(0, len(words), n)
        return np.array(words, dtype=object)[values], values.astype(float), "ordered category"

    return make


def words(*levels: str, messy: bool = False) -> Make:
    """Words without an order, in one spelling or in several."""

    def make(rng: np.random.Generator, n: int) -> tuple[Any, Any, str]:
        values = np.array(levels, dtype=object)[rng.integers(0, len(levels), n)]
        texts = values.copy()
        if messy:
            ways = [str, str.upper, lambda t: f" {t}", lambda t: t.replace(" ", "  ")]
            texts = np.array([ways[rng.integers(4)](t) for t in values], dtype=object)
        return texts, values, "category"

    return make


def many_words(n_levels: int, form: str) -> Make:
    """Words of many levels."""
    return words(*[form.format(k) for k in range(n_levels)])


def dates(form: str, freq: int = 3) -> Make:
    """Days within some years."""

    def make(rng: np.random.Generator, n: int) -> tuple[Any, Any, str]:
        days = rng.integers(0, freq * 365, n)
        moments = pd.Timestamp("2019-03-01") + pd.to_timedelta(days, unit="D")
        if "%H" in form:
            moments = moments + pd.to_timedelta(rng.integers(0, 1440, n), unit="min")
        return moments.strftime(form).to_numpy(), days.astype(float), "date"

    return make


def pressure(rng: np.random.Generator, n: int) -> tuple[Any, Any, str, Any]:
    """Two numbers in each text, of which the first matters."""
    high, low = rng.normal(130, 15, n).round(), rng.normal(80, 9, n).round()
    texts = [f"{a:.0f}/{b:.0f}" for a, b in zip(high, low, strict=True)]
    return texts, high, "number as text", low


MEANINGFUL: dict[str, Make] = {
    "english": numbers(english),
    "german": numbers(german),
    "french": numbers(french),
    "swiss": numbers(swiss),
    "whole german": numbers(lambda x: german(x, 0), "whole"),
    "whole english": numbers(lambda x: english(x, 0), "whole"),
    "indian": numbers(lambda x: f"₹ {_indian(x)}", "whole"),
    "percent": numbers(lambda x: f"{x}%", "share"),
    "percent, comma": numbers(lambda x: f"{x} %".replace(".", ","), "share"),
    "dollars": numbers(lambda x: f"${english(x)}"),
    "euros": numbers(lambda x: f"{german(x)} €"),
    "pounds": numbers(lambda x: f"GBP {english(x)}"),
    "reais": numbers(lambda x: f"R$ {german(x)}"),
    "thousands": numbers(lambda x: f"{x / 1000:.2f}k"),
    "accounting": numbers(accounting, "signed"),
    "minus": numbers(lambda x: english(x).replace("-", "−"), "signed"),
    "trailing minus": numbers(lambda x: f"{english(abs(x))}{'-' if x < 0 else ''}", "signed"),
    "kg": numbers(lambda x: f"{x} kg", "size"),
    "kg and g": numbers(mixed_weights, "size"),
    "degrees": numbers(lambda x: f"{x}°C", "size"),
    "years": numbers(lambda x: f"{x:.0f} years", "whole"),
    "scientific": numbers(lambda x: f"{x:.3E}"),
    "comma": numbers(lambda x: f"{x}".replace(".", ","), "size"),
    "strays": strayed(numbers(english), ["n/a", "unknown", "-", "?"], 0.08),
    "odd strays": strayed(numbers(str, "size"), ["see chart", "not done", "tbd"], 0.05),
    "strays, comma": strayed(numbers(german), ["k.A.", "unbekannt", ""], 0.1),
    "plain": plain,
    "incomes": incomes,
    "gaps": with_gaps,
    "nines": nines,
    "yes": answers(["yes", "Yes ", "Y"], ["no", "No", "n"]),
    "ja": answers(["ja", "Ja"], ["nein", "NEIN"]),
    "true": answers(["True", "true"], ["False", "FALSE"]),
    "oui": answers(["oui"], ["non"]),
    "digits": answers(["1"], ["0"]),
    "levels": ordered("low", "medium", "high"),
    "niveaus": ordered("niedrig", "mittel", "hoch"),
    "sizes": ordered("S", "M", "L", "XL"),
    "ages": ordered("<18", "18-30", "31-50", "51-65", "65+"),
    "agreement": ordered("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"),
    "stages": ordered("Stage I", "Stage II", "Stage III", "Stage IV"),
    "quality": ordered("poor", "fair", "good", "excellent"),
    "colours": words("red", "green", "blue", "white"),
    "messy colours": words("dark red", "sea green", "sky blue", messy=True),
    "trades": words("baker", "smith", "nurse", "clerk", "pilot", "other"),
    "letters": words("b", "c", "x", "f", "k", "s"),
    "sexes": words("male", "female"),
    "towns": many_words(25, "town {}"),
    "ISO": dates("%Y-%m-%d"),
    "German dates": dates("%d.%m.%Y"),
    "US dates": dates("%m/%d/%Y"),
    "moments": dates("%Y-%m-%d %H:%M:%S"),
    "month names": dates("%d %b %Y"),
    "compact": dates("%Y%m%d"),
    "pressure": pressure,
}
# Ways to write numbers that do not come together in one table: there, a comma means one thing.
WITH_POINT = {"english", "swiss", "whole english", "indian", "percent", "dollars", "pounds", "kg"}
WITH_POINT |= {
    "thousands",
    "accounting",
    "minus",
    "trailing minus",
    "strays",
    "kg and g",
    "degrees",
}
WITH_POINT |= {"scientific", "odd strays"}
WITH_COMMA = {"german", "french", "whole german", "percent, comma", "euros", "reais", "comma"}
WITH_COMMA |= {"strays, comma"}
MEANINGLESS = ("row", "id", "code", "uuid", "constant", "empty", "note", "copy", "inches")


def _indian(x: float) -> str:
    digits = f"{x:.0f}"
    head, tail = digits[:-3], digits[-3:]
    groups = []
    while head:
        groups.insert(0, head[-2:])
        head = head[:-2]
    return ",".join([*groups, tail])


def useless(kind: str, rng: np.random.Generator, n: int, others: dict[str, Column]) -> Column:
    """A column that says nothing, or nothing new."""
    if kind == "row":
        return Column(np.arange(1, n + 1), None, "identifier")
    if kind == "id":
        return Column(rng.permutation(10 * n)[:n] + 10_000, None, "identifier")
    if kind == "code":
        return Column([f"C-{k:06d}" for k in rng.permutation(n)], None, "identifier")
    if kind == "uuid":
        return Column([f"{rng.integers(2**62):016x}" for _ in range(n)], None, "identifier")
    if kind == "constant":
        return Column(["EU"] * n, None, "constant")
    if kind == "empty":
        return Column([None] * n, None, "empty")
    if kind == "note":
        said = ["the customer called about", "we sent a reply on", "nothing was found in"]
        texts = [f"{rng.choice(said)} case {rng.integers(10**6)} today" for _ in range(n)]
        return Column(texts, None, "free text")
    measured = [c for c in others.values() if c.kind == "number" and np.isfinite(c.clean).all()]
    if not measured:
        return useless("row", rng, n, others)
    factor = 1.0 if kind == "copy" else 2.54
    return Column(np.round(np.asarray(measured[0].clean) * factor, 6), None, "copy")


def effect(column: Column, rng: np.random.Generator) -> np.ndarray:
    """What a column adds to the score that labels depend on, of deviation 1."""
    clean = pd.Series(column.clean)
    if column.kind == "category":
        weight = dict(zip(sorted(clean.unique()), rng.normal(size=clean.nunique()), strict=True))
        part = clean.map(weight).to_numpy(dtype=float)
    else:
        part = clean.rank(pct=True).fillna(rng.random()).to_numpy(dtype=float)
        if rng.random() < 0.3:
            part = np.abs(part - 0.5)
    return (part - part.mean()) / max(part.std(), 1e-9)


def make_table(seed: int) -> tuple[dict[str, Column], np.ndarray]:
    """A messy table and its labels."""
    rng = np.random.default_rng([17, seed])
    n = int(rng.integers(300, 601))
    other = WITH_COMMA if seed % 2 else WITH_POINT
    names = [name for name in MEANINGFUL if name not in other]
    # Every way of writing comes up, whatever is drawn.
    chosen = {names[(seed // 2 * 3 + k) % len(names)] for k in range(3)}
    chosen |= set(map(str, rng.choice(names, int(rng.integers(2, 5)), replace=False)))
    columns = {}
    for name in sorted(chosen):
        columns[name] = Column(*MEANINGFUL[name](rng, n))
    score = sum(rng.uniform(0.6, 1.6) * effect(column, rng) for column in columns.values())
    score = score + rng.normal(0, 0.5, n)
    for kind in rng.choice(MEANINGLESS, int(rng.integers(1, 4)), replace=False):
        columns[str(kind)] = useless(str(kind), rng, n, columns)
    if seed % 4 == 3:
        y = np.array(["low", "mid", "high"])[np.digitize(score, np.quantile(score, [0.35, 0.7]))]
    else:
        y = np.where(score > np.quantile(score, rng.uniform(0.4, 0.6)), "yes", "no")
    keys = [str(key) for key in rng.permutation(list(columns))]
    # Of two columns that say the same, the first stays.
    keys.sort(key=lambda key: columns[key].kind == "copy")
    return {key: columns[key] for key in keys}, y


def as_file(columns: dict[str, Column], y: np.ndarray, seed: int, folder: Path) -> Table:
    """The messy table written to a file and read again, as `broadlearn fit` does."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: column.written for name, column in columns.items()})
    spelt = [[label, label.upper(), f" {label}"][rng.choice(3, p=[0.9, 0.05, 0.05])] for label in y]
    frame["target"] = spelt
    if seed % 5 == 4:
        path = folder / "table.parquet"
        frame.to_parquet(path)
    else:
        path = folder / "table.csv"
        frame.to_csv(path, sep=";" if seed % 4 < 2 else ",", index=False)
    return read_table(path, "target")


def parsed(columns: dict[str, Column]) -> tuple[pd.DataFrame, dict[str, str]]:
    """The clean table, and the kinds of its columns, of which none is left to be found out."""
    frame, kinds = {}, {}
    for name, column in columns.items():
        if column.clean is None:
            continue
        frame[name], kinds[name] = column.clean, "number"
        if column.kind == "date":
            frame[name] = pd.Timestamp("2019-03-01") + pd.to_timedelta(column.clean, unit="D")
            kinds[name] = "date"
        elif column.kind in ("category", "boolean"):
            kinds[name] = column.kind
        if column.more is not None:
            frame[f"{name} 2"], kinds[f"{name} 2"] = column.more, "number"
    return pd.DataFrame(frame), kinds


def by_hand(columns: dict[str, Column], y: np.ndarray, train: np.ndarray) -> np.ndarray:
    """The clean table as numbers, learnt from training rows."""
    parts = []
    for column in columns.values():
        if column.clean is None:
            continue
        clean = pd.Series(column.clean)
        if column.kind == "category" and clean.nunique() > 30:
            encoder, texts = TargetEncoder(), clean.to_numpy(dtype=object)[:, None]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                inner = np.asarray(encoder.fit_transform(texts[train], y[train]))
            part = np.asarray(encoder.transform(texts))
            part[train] = inner
        elif column.kind == "category":
            part = pd.get_dummies(clean).to_numpy(dtype=float)
        else:
            part = clean.fillna(clean[train].median()).to_numpy(dtype=float)[:, None]
            if clean.isna().any():
                part = np.column_stack([part, clean.isna()])
        parts.append(part)
        if column.more is not None:
            parts.append(np.asarray(column.more, dtype=float)[:, None])
    return np.hstack(parts)


def accuracy(Z: Any, Z_test: Any, y: np.ndarray, y_test: np.ndarray) -> float:
    """Share of test rows that the model of `broadlearn fit` is right about, in percent."""
    model = BroadEnsembleClassifier(random_state=0).fit(np.asarray(Z, float), y)
    return 100.0 * float(np.mean(model.predict(np.asarray(Z_test, float)) == y_test))


def vectorizer() -> Any:
    """Skrub's, or None where it is not installed."""
    try:
        from skrub import TableVectorizer
    except ImportError:
        return None
    return TableVectorizer()


def mushroom_like(seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Words only, which tell the class without error, by one column or by two together."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"part {j}": rng.choice(list("bcdfkx"), 3000) for j in range(6)})
    odour = X["part 0"].isin(["b", "c"])
    X["part 6"] = np.where(odour & (rng.random(3000) < 0.9), "y", "n")
    poisonous = odour | (X["part 1"].eq("k") & X["part 2"].isin(["d", "f"]))
    return X, np.where(poisonous, "p", "e")


def compare(
    columns: dict[str, Column], table: Table, train: np.ndarray, with_skrub: bool
) -> list[float]:
    """Accuracies on rows that are not trained on: ours, parsed and encoded by hand, skrub's."""
    frame, y = table.X, np.asarray(table.y)
    prepare = TablePreparation()
    Z = prepare.fit_transform(frame[train], y[train])
    ours = accuracy(Z, prepare.transform(frame[~train]), y[train], y[~train])
    clean, kinds = parsed(columns)
    same = TablePreparation(kinds)
    P = same.fit_transform(clean[train], y[train])
    # Where nothing was lost in reading there is nothing to compare.
    known = P.shape == Z.shape and np.allclose(P, Z)
    typed = ours if known else accuracy(P, same.transform(clean[~train]), y[train], y[~train])
    H = by_hand(columns, y, train)
    hand = accuracy(H[train], H[~train], y[train], y[~train])
    other = vectorizer() if with_skrub else None
    if other is None:
        return [ours, typed, hand, np.nan]
    S = other.fit_transform(frame[train], y[train])
    S, T = (np.nan_to_num(np.asarray(part, float)) for part in (S, other.transform(frame[~train])))
    return [ours, typed, hand, accuracy(S, T, y[train], y[~train])]


def main(seeds: list[int], n_splits: int, with_skrub: bool) -> None:
    """Print a line per table, then figures against their limits."""
    rows, wrong, doubtful, n_columns = [], [], 0, 0
    print("table rows columns   ours parsed encoded  skrub   ours less encoded")
    for seed in seeds:
        columns, y = make_table(seed)
        found = []
        with warnings.catch_warnings(), TemporaryDirectory() as folder:
            warnings.simplefilter("ignore")
            table = as_file(columns, y, seed, Path(folder))
            whole = TablePreparation().fit(table.X, np.asarray(table.y))
            for split in range(n_splits):
                train = np.random.default_rng([seed, split]).random(len(y)) < 0.5
                found.append(compare(columns, table, train, with_skrub))
        for record in whole.columns_:
            n_columns += 1
            doubtful += bool(record.doubt)
            expected = columns[record.name].kind
            # What a reader of files has parsed already is a number.
            same = record.kind == expected or expected.startswith(record.kind)
            if not same and not record.doubt:
                wrong.append(f"{seed}: {record.name} is {expected}, found {record.kind}")
        less = np.subtract(*np.array(found).T[[0, 2]])
        error = less.std(ddof=1) / np.sqrt(n_splits) if n_splits > 1 else np.nan
        rows.append(np.mean(found, axis=0))
        ours, typed, hand, theirs = rows[-1]
        print(
            f"{seed:5} {len(y):4} {table.X.shape[1]:7} {ours:6.1f} {typed:6.1f} {hand:7.1f} "
            f"{theirs:6.1f}   {less.mean():+.1f} ± {error:.1f}",
            flush=True,
        )
    ours, typed, hand, theirs = np.array(rows).T
    print(*wrong, sep="\n")
    X, y = mushroom_like()
    Z, half = TablePreparation().fit_transform(X, y), np.arange(len(y)) % 2 == 0
    separable = accuracy(Z[half], Z[~half], y[half], y[~half])
    print(f"columns {n_columns}, of them doubtful {doubtful}")
    means = f"ours {ours.mean():.2f}, parsed by hand {typed.mean():.2f}, "
    means += f"encoded by hand {hand.mean():.2f}, skrub {theirs.mean():.2f}"
    print(f"mean accuracy: {means}")
    verdict("columns of a wrong kind without doubt", len(wrong), 0, at_least=False)
    for name, reference in (("parsed", typed), ("encoded", hand)):
        below = int(np.sum(ours < reference - MAX_LOSS))
        verdict(f"tables 0.5 points below {name} by hand", below, 0, at_least=False)
    verdict("mean accuracy less parsed by hand", (ours - typed).mean(), -MAX_LOSS, at_least=True)
    verdict("mean accuracy less encoded by hand", (ours - hand).mean(), -MAX_LOSS, at_least=True)
    verdict("mean accuracy less that with skrub", (ours - theirs).mean(), 0.0, at_least=True)
    verdict("made-up mushrooms, accuracy", separable, 100.0, at_least=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=N_TABLES, help="the first so many")
    parser.add_argument("--only", type=int, nargs="+", help="these instead")
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--without-skrub", action="store_true")
    options = parser.parse_args()
    main(options.only or list(range(options.tables)), options.splits, not options.without_skrub)
