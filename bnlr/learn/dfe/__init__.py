"""Discriminative frequency estimates (Su, Zhang, Ling & Matwin 2008).

Their kernels, compiled and in NumPy, live beside them.
Enters: complete rows and a structure.
"""
