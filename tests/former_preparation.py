"""The preparation of columns that model files were written with before `TablePreparation`."""

from functools import partial

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from broadlearn.io.tables import to_numbers, to_texts


def former_preparation(X):
    """Numbers, booleans, and text of two or more levels; `drop` for all other columns."""
    apply = partial(FunctionTransformer, feature_names_out="one-to-one")
    impute = partial(SimpleImputer, keep_empty_features=True)
    encode = partial(OneHotEncoder, sparse_output=False)
    columns = {part: [] for part in ("number", "boolean", "pair", "levels")}
    for name in X:
        kind = X[name].dtype.kind
        text = "pair" if X[name].nunique(dropna=False) == 2 else "levels"
        columns["boolean" if kind == "b" else "number" if kind in "iuf" else text].append(name)
    rare = {"handle_unknown": "infrequent_if_exist", "max_categories": 50}
    steps = {
        "number": make_pipeline(apply(to_numbers), impute(strategy="median")),
        "boolean": make_pipeline(apply(to_numbers), impute(strategy="most_frequent")),
        "pair": make_pipeline(apply(to_texts), encode(drop="if_binary", handle_unknown="ignore")),
        "levels": make_pipeline(apply(to_texts), encode(**rare)),
    }
    transformers = [(part, steps[part], names) for part, names in columns.items() if names]
    return ColumnTransformer(transformers, sparse_threshold=0, verbose_feature_names_out=False)
