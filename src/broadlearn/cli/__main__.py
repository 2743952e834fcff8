"""``python -m broadlearn.cli``: the command line where its script is not on the path."""

from broadlearn.cli import main

main()
