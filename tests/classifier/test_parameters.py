"""The table of the parameters: that it is the constructor's, and what is made from it."""

from dataclasses import MISSING, fields
from inspect import signature

import pytest

import bnlr
from bnlr import BNClassifier
from bnlr.classifier import parameters
from bnlr.classifier.parameters import Parameters


def test_the_table_is_the_constructor_s():
    spelt_out = list(signature(BNClassifier).parameters.values())
    assert [one.name for one in fields(Parameters)] == [one.name for one in spelt_out]
    assert [one.default for one in fields(Parameters)] == [one.default for one in spelt_out]


def test_all_are_taken_from_the_estimator():
    given = {one.name: object() for one in fields(Parameters)}
    assert vars(Parameters.of(BNClassifier(**given))) == given


@pytest.mark.parametrize("name", parameters.names())
def test_help_tells_words_choices_and_default(name):
    (one,) = (one for one in fields(Parameters) if one.name == name)
    said = parameters.help_of(name)
    assert one.default is not MISSING
    assert one.metadata["words"] in said
    assert all(text in said for text in one.metadata["among"])
    assert (f"(default: {one.default})" in said) == (one.default is not None)


@pytest.mark.parametrize(("name", "known"), parameters.choices().items())
def test_an_unknown_choice_is_refused_with_what_was_meant(name, known):
    X, y = [["a"], ["b"]] * 10, ["p", "q"] * 10
    misspelt = f"{known[-1]}x"
    said = f"{name} is '{misspelt}'; choose one of {', '.join(known)}; did you mean '{known[-1]}'?"
    with pytest.raises(bnlr.ParameterError) as caught:
        BNClassifier(**{name: misspelt}).fit(X, y)
    assert str(caught.value) == said
    with pytest.raises(bnlr.ParameterError, match=f"{name} is a list; choose one of"):
        BNClassifier(**{name: [known[0]]}).fit(X, y)
