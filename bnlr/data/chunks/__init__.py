"""Rows that come in chunks, from frames or Parquet files, become codes without being held uncoded.

A source of rows yields `read.Chunk`; where their codes go is `store`. pyarrow enters by `parquet`
alone.
"""
