"""Tables as people write them, prepared in three ways, and judged by the same model.

Three groups of tables: forty made-up ones (numbers with separators of several countries, percent,
currencies and units, dates, answers in other languages, ordered words, codes, gaps, strays, row
numbers, copies, notes), ten of the data folder that have categories, and ten clean ones. Each is
written to a file and read again. Ways to prepare its columns:

- ``skrub``: skrub's `TableVectorizer` on the columns as they were read from the file,
- ``read, skrub``: columns read by `TablePreparation`, then skrub's `TableVectorizer`,
- ``read, encode``: `TablePreparation`, which is what the package does,
- ``with orders``: the same, and the order of ordered words was said, for made-up tables only,
- ``by hand``: for made-up tables only, the clean columns that they were made of, encoded by hand.

A support vector machine is fitted to a random half of the rows and judged by the other half. Needs
skrub; tables of the data folder are left out if ``BROADLEARN_DATA`` is not set.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder
from sklearn.svm import SVC
from skrub import TableVectorizer

from broadlearn.tables import Table, TablePreparation, read_table

N_TABLES = 40
# Rows of larger tables of the data folder that are used.
MAX_ROWS = 3000
# Tables of the data folder: target, and columns that name rows or are not known beforehand.
WITH_TEXT = {
    "extra/oasis_cross_sectional.csv": ("CDR", ["rownames", "Delay"]),
    "extra/oasis_longitudinal.csv": ("Group", ["rownames", "CDR"]),
    "extra/alzheimer_biomarkers.csv": ("Class", ["rownames"]),
}
# Their categories are numbers in the collection, and are written as words here.
WITH_CODES = ("breast_cancer", "chess_krvkp", "credit_approval", "tic_tac_toe", "titanic")
WITH_CODES += ("mammographic", "monks_1")
CLEAN = ("conn_bench_sonar_mines_rocks", "haberman_survival", "hepatitis", "hill_valley", "musk_1")
CLEAN += ("oocytes_merluccius_nucleus_4d", "oocytes_trisopterus_nucleus_2f", "pima", "spambase")
CLEAN += ("statlog_heart",)


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
    """Share of test rows that a support vector machine is right about, in percent."""
    model = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler(), SVC())
    return 100.0 * float(
        model.fit(np.asarray(Z, float), y).score(np.asarray(Z_test, float), y_test)
    )


def by_skrub(train: pd.DataFrame, test: pd.DataFrame, y: np.ndarray) -> tuple[Any, Any]:
    """Columns by skrub alone."""
    vectorizer = TableVectorizer()
    return vectorizer.fit_transform(train, y), vectorizer.transform(test)


def read_by_skrub(train: pd.DataFrame, test: pd.DataFrame, y: np.ndarray) -> tuple[Any, Any]:
    """Columns read by `TablePreparation`, encoded by skrub."""
    prepare = TablePreparation(on_unread="warn").fit(train)
    return by_skrub(prepare.read(train), prepare.read(test), y)


def by_preparation(
    train: pd.DataFrame, test: pd.DataFrame, y: np.ndarray, orders: dict[str, Any] | None = None
) -> tuple[Any, Any]:
    """Columns by `TablePreparation`."""
    prepare = TablePreparation(orders=orders, on_unread="warn")
    return prepare.fit_transform(train, y), prepare.transform(test)


WAYS: dict[str, Callable[..., tuple[Any, Any]]] = {
    "skrub": by_skrub,
    "read, skrub": read_by_skrub,
    "read, encode": by_preparation,
}


def orders_of(columns: dict[str, Column]) -> dict[str, list[str]]:
    """The order of the words of each ordered column."""
    return {
        name: list(dict.fromkeys(column.written[np.argsort(column.clean, kind="stable")]))
        for name, column in columns.items()
        if column.kind == "ordered category"
    }


def compare(table: Table, columns: dict[str, Column] | None, train: np.ndarray) -> list[float]:
    """Accuracies on rows that are not trained on, of each way and by hand."""
    frame, y = table.X, np.asarray(table.y)
    found = [
        accuracy(*prepare(frame[train], frame[~train], y[train]), y[train], y[~train])
        for prepare in WAYS.values()
    ]
    if columns is None:
        return [*found, np.nan, np.nan]
    Z, Z_test = by_preparation(frame[train], frame[~train], y[train], orders_of(columns))
    found.append(accuracy(Z, Z_test, y[train], y[~train]))
    H = by_hand(columns, y, train)
    return [*found, accuracy(H[train], H[~train], y[train], y[~train])]


def made_up(n_tables: int, folder: Path) -> Iterator[tuple[str, Table, dict[str, Column] | None]]:
    """The made-up tables."""
    for seed in range(n_tables):
        columns, y = make_table(seed)
        yield str(seed), as_file(columns, y, seed, folder), columns


def of_data(
    data: Path, group: str, folder: Path
) -> Iterator[tuple[str, Table, dict[str, Column] | None]]:
    """Tables of the data folder with categories, or clean ones."""
    if group == "clean":
        for name in CLEAN:
            if (path := data / "uci28" / f"{name}.csv").exists():
                yield name, read_table(path, "target"), None
        return
    for name, (target, drop) in WITH_TEXT.items():
        frame = pd.read_csv(data / name).dropna(subset=target)
        path = folder / Path(name).name
        frame.assign(**{target: frame[target].astype(str) + " "}).to_csv(path, index=False)
        yield path.stem, read_table(path, target, drop=drop), None
    for name in WITH_CODES:
        if (path := data / "uci28" / f"{name}.csv").exists():
            frame = pd.read_csv(path)
            for column in frame.columns.drop("target"):
                codes, values = pd.factorize(frame[column], sort=True)
                if 2 < len(values) <= 30 or (len(values) == 2 and column != "f1"):
                    frame[column] = [f"level {'abcdefghijklmnopqrstuvwxyzäöüß'[k]}" for k in codes]
            frame.to_csv(folder / path.name, index=False)
            yield name, read_table(folder / path.name, "target"), None


def main(n_tables: int, n_splits: int) -> None:
    """Print a line per table, then means of each group."""
    data, means = os.environ.get("BROADLEARN_DATA"), {}
    names = [*WAYS, "with orders", "by hand"]
    print("table", *names, sep="\t")
    with warnings.catch_warnings(), TemporaryDirectory() as place:
        warnings.simplefilter("ignore")
        groups = {"made-up": made_up(n_tables, Path(place))}
        if data:
            for group in ("with categories", "clean"):
                groups[group] = of_data(Path(data), group, Path(place))
        for group, tables in groups.items():
            rows = []
            for name, table, columns in tables:
                rng = np.random.default_rng(0)
                few = table.X.index[rng.permutation(len(table.X))[:MAX_ROWS]].sort_values()
                y = np.asarray(table.y)[few]
                table = Table(table.name, table.X.loc[few].reset_index(drop=True), y, "y", None)
                draws = [np.random.default_rng([7, k]).random(len(y)) for k in range(n_splits)]
                found = [compare(table, columns, draw < 0.5) for draw in draws]
                rows.append(np.mean(found, axis=0))
                print(name, *(f"{figure:.1f}" for figure in rows[-1]), sep="\t", flush=True)
            means[group] = np.mean(rows, axis=0)
    print(pd.DataFrame(means, index=names).T.round(2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=N_TABLES, help="made-up tables")
    parser.add_argument("--splits", type=int, default=4)
    options = parser.parse_args()
    main(options.tables, options.splits)
