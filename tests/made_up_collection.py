"""A tiny collection of data sets in the layout of Fernández-Delgado et al."""

import numpy as np


def table(X, y, *, header=None):
    """Text of a table: header, index, features, label."""
    names = [f"f{j + 1}" for j in range(len(X[0]))]
    lines = [header if header is not None else "\t" + "\t".join([*names, "clase"])]
    for i, (row, label) in enumerate(zip(X, y, strict=True), start=1):
        lines.append("\t".join([str(i), *map(str, row), str(label)]))
    return "\n".join(lines) + "\n"


def splits_text(splits):
    return "\n".join(" ".join(map(str, rows)) for split in splits for rows in split) + "\n"


def write_set(root, name, X, y, splits):
    """One data set with one file."""
    folder = root / name
    folder.mkdir(parents=True)
    (folder / f"{name}.txt").write_text(
        f"n_entradas= {len(X[0])}\nn_clases= {len(set(y))}\nn_arquivos= 1\nfich1= {name}_R.dat\n"
    )
    (folder / f"{name}_R.dat").write_text(table(X, y))
    (folder / "conxuntos_kfold.dat").write_text(splits_text(splits))
    return folder


def write_pair(root, name, train, test):
    """One data set with a training and a test file."""
    folder = write_set(root, name, *train, [([0, 1], [2])])
    (folder / f"{name}.txt").write_text(
        f"n_arquivos= 2\nfich1= {name}_R.dat\nfich2= {name}_test_R.dat\n"
    )
    (folder / f"{name}_test_R.dat").write_text(table(*test))
    return folder


def made_up(n_rows, n_classes, seed):
    """Features around a centre per class, labels, and four splits."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    X = (rng.normal(size=(n_rows, 3)) + 2 * y[:, None]).round(4)
    orders = [rng.permutation(n_rows).tolist() for _ in range(4)]
    cut = 3 * n_rows // 4
    return X, y, [(order[:cut], order[cut:]) for order in orders]


def write_collection(root):
    """Three data sets; two of several classes, two among the 28."""
    write_set(root, "iris", *made_up(24, 3, 0))
    write_set(root, "pima", *made_up(32, 2, 1))
    write_set(root, "tic-tac-toe", *made_up(28, 4, 2))
    return root
