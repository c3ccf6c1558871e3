"""Data files as tables of cells: delimited text, ARFF and Parquet.

A format is a file that returns a `table.Table`, which `read` chooses by the name. Only `cells`
says what cells mean; nothing here knows of networks.
"""
