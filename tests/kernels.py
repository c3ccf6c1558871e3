"""Compiled kernels of every instruction set that the CPU has, and their NumPy twins."""

from importlib import import_module

import pytest

from bnlr import native

EVERY = (*native.INSTRUCTION_SETS, "twins")
compiled = pytest.mark.skipif(len(native.available()) == 1, reason="nothing was compiled")


def kernels_of(name, compiled, twins=""):
    """The submodule ``compiled`` for an instruction set, or the module ``twins``."""
    if name == "twins":
        return import_module(f"bnlr.{twins}")
    if name not in native.available():
        pytest.skip("not for this CPU")
    return getattr(native.compiled(name), compiled)


def all_kernels(name, twins=None):
    """The submodules of this name by instruction set, those that can run here, and the twins."""
    code = {each: getattr(native.compiled(each), name) for each in native.available()[1:]}
    return code if twins is None else {**code, "twins": twins}
