import pickle

import pytest

pytest.importorskip("matplotlib")

from broadlearn.auditing.shown_figure import ShownFigure


def test_a_figure_is_a_picture_of_its_size():
    figure = ShownFigure(figsize=(3.0, 2.0), dpi=50)
    figure.subplots().plot([1, 2])
    picture = pickle.loads(pickle.dumps(figure))._repr_png_()
    assert picture.startswith(b"\x89PNG")
    # Width and height stand behind the name of the first chunk.
    assert (int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])) == (150, 100)
