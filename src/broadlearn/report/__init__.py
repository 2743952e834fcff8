"""Results to read: tables, figures and one self-contained HTML page.

`pooling` turns units into data sets × models, `result_table` renders a table to HTML, Markdown,
LaTeX and CSV, `tables` and `statistics_tables` make the tables of a study, `figures` and
`sensitivity_figures` draw it, `summary` says it in sentences, and `page` puts all in a folder.
"""
