"""The kernels that can run here, and their twins: tests are run on each of them."""

import pytest

from bnlr import native

KINDS = (*native.INSTRUCTION_SETS, "twins")
compiled = pytest.mark.skipif(len(native.available()) == 1, reason="nothing was compiled")


def kernels(name, twins=None):
    """The submodules of this name by instruction set, those that can run here, and the twins."""
    sets = native.available()[1:]
    code = {each: getattr(native.compiled(each), name) for each in sets}
    return code if twins is None else {**code, "twins": twins}
