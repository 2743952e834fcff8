"""A figure that shows itself in a notebook where nobody has imported pyplot."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A figure of no window, as the last line of a cell a picture.

    Examples
    --------
    >>> from broadlearn.auditing.shown_figure import ShownFigure
    >>> ShownFigure()._repr_png_()[1:4]
    b'PNG'
    """

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=self.dpi)
        return buffer.getvalue()
