"""The stub says what the modules that were built offer, and the twins take the same arguments."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from bnlr import native
from tests.kernels import compiled

STUB = Path(native.__file__).with_name("signatures.pyi")
FOR_TESTS = "math"
TWINS = {
    "packed": "design.twins",
    "counting": "design.counting_twins",
    "cells": "design.cell_twins",
    "dfe": "learn.dfe.twins",
    "trees": "inference.tree_twins",
    "interactions": "objectives.interaction_twins",
    "spaces": "spaces.twins",
    "cliques": "inference.clique_twins",
}
ARRAYS = {"float64": "Floats", "int64": "Integers", "bool": "Bools", "": "Codes"}
ARRAYS |= {name: f"{name.title()}s" for name in ("uint16", "uint32", "uint64", "int32")}


def stubbed():
    """{submodule: {name: signature, or type of a value}} of the stub."""
    classes = [node for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.ClassDef)]
    return {each.name.lower(): dict(map(_member, each.body[1:])) for each in classes}


def _member(node):
    if isinstance(node, ast.AnnAssign):
        return node.target.id, ast.unparse(node.annotation).partition("[")[0]
    arguments = [f"{a.arg}: {ast.unparse(a.annotation)}" for a in node.args.args[1:]]
    return node.name, f"({', '.join(arguments)}) -> {ast.unparse(node.returns)}"


def built(name):
    """The same of the module that was built for an instruction set."""
    rooms = vars(native.compiled(name)).items()
    return {
        room: {name: _told(member) for name, member in vars(module).items() if name[0] != "_"}
        for room, module in rooms
        if isinstance(module, ModuleType) and room != FOR_TESTS
    }


def _told(member):
    if not hasattr(member, "__nb_signature__"):
        return type(member).__name__
    ((signature, *_),) = member.__nb_signature__
    signature = re.sub(r"ndarray\[([^\[\]]*)\]", _array, signature.partition("(")[2])
    return f"({signature.replace('typing_extensions.CapsuleType', 'Capsule')}"


def _array(told):
    dtype = re.search(r"dtype=(\w+)", told[1])
    written = "" if "writable=False" in told[1] else "Written"
    return written + ARRAYS[dtype[1] if dtype else ""]


def vague(signature):
    """Without the items of a tuple that is returned, which the built module may not tell."""
    return re.sub(r"-> tuple\[.*", "-> tuple", signature)


@compiled
@pytest.mark.parametrize("name", native.INSTRUCTION_SETS)
def test_the_stub_is_of_what_was_built(name):
    if name not in native.available():
        pytest.skip("not for this CPU")
    expected, found = built(name), stubbed()
    assert list(found) == list(expected)
    for room, members in expected.items():
        assert found[room].keys() == members.keys()
        for each, signature in members.items():
            own = found[room][each]
            assert signature in {own, vague(own)}, f"{room}.{each} is {signature}, not {own}"


@pytest.mark.parametrize("room", TWINS)
def test_twins_take_the_same_arguments(room):
    twins = import_module(f"bnlr.{TWINS[room]}")
    for name, signature in stubbed()[room].items():
        twin = getattr(twins, name)
        if signature.startswith("("):
            arguments = re.findall(r"(\w+): ", signature)
            assert list(inspect.signature(twin).parameters) == arguments, name
        else:
            assert type(twin).__name__ == signature
