"""Rows on several machines: Dask frames become data sets in parts, and parts are asked by Dask.

Opened by `Dataset.from_dask` alone, when it is called; dask and distributed come in here only.
"""
