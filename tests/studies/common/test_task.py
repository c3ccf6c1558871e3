"""Keys: their one text, and seeds that depend on nothing else."""

import hashlib
import pickle
import subprocess
import sys

import pytest

from studies.common import StudyError, Task
from studies.common.errors import ResultError
from studies.common.values import fingerprint, to_text
from tests.studies.common.toy import TASKS


class TestTask:
    def test_text_is_json_with_sorted_names_and_seed_its_sha256(self):
        task = Task(solver="cg", data="pïma", seed=1)
        text = '{"data":"p\\u00efma","seed":1,"solver":"cg"}'
        assert task.text == text
        assert task.seed == int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")

    def test_order_of_fields_matters_to_tables_only(self):
        one, other = Task(a=1, b="x"), Task(b="x", a=1)
        assert one == other
        assert hash(one) == hash(other)
        assert one.seed == other.seed
        assert list(one) == ["a", "b"]
        assert list(other) == ["b", "a"]

    def test_1_and_true_and_a_float_are_three_tasks(self):
        assert len({Task(a=1), Task(a=True), Task(a=1.0), Task(a="1"), Task(a=None)}) == 5

    def test_seeds_differ_and_are_shared_by_parts(self):
        assert len({task.seed for task in TASKS}) == len(TASKS)
        assert all(0 <= task.seed < 2**64 for task in TASKS)
        shared = {task.part("data", "seed").seed for task in TASKS if task["data"] == "pima"}
        assert len(shared) == 2

    def test_cannot_be_changed_and_survives_pickling(self):
        task = TASKS[0]
        with pytest.raises(AttributeError, match="cannot be changed"):
            task.data = "glass"
        again = pickle.loads(pickle.dumps(task))  # noqa: S301  our own bytes
        assert again == task
        assert again.seed == task.seed
        assert dict(again) == {"data": "pima", "solver": "cg", "seed": 1}

    @pytest.mark.slow
    def test_seed_does_not_depend_on_the_hash_seed(self):
        code = "from tests.studies.common.toy import TASKS; print([t.seed for t in TASKS])"
        runs = {
            subprocess.run(
                [sys.executable, "-c", code],
                env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
                capture_output=True, text=True, check=True, timeout=60,
            ).stdout
            for seed in ("1", "2")
        }  # fmt: skip
        assert runs == {f"{[task.seed for task in TASKS]}\n"}

    @pytest.mark.parametrize("value", [[1], {"a": 1}, float("nan"), object(), b"x"])
    def test_other_values_are_refused(self, value):
        with pytest.raises(StudyError):
            Task(a=value)

    def test_no_field_and_no_such_part_are_refused(self):
        with pytest.raises(StudyError, match="at least one field"):
            Task()
        with pytest.raises(StudyError, match="no field 'space'"):
            TASKS[0].part("data", "space")


class TestValues:
    @pytest.mark.parametrize("value", [0.1, 1 / 3, -0.0, 5e-324, 1.7976931348623157e308, 2**80])
    def test_numbers_return_with_every_bit(self, value):
        import json

        again = json.loads(to_text({"x": [value]}))["x"][0]
        assert type(again) is type(value)
        assert str(again) == str(value)

    def test_numpy_floats_are_floats(self):
        np = pytest.importorskip("numpy")
        assert to_text([np.float64(0.1), (1, None)]) == "[0.1,[1,null]]"

    @pytest.mark.parametrize(
        ("value", "where"),
        [
            ({"a": [1.0, float("nan")]}, r"the result\['a'\]\[1\] is nan"),
            (float("inf"), "the result is inf"),
            ({"a": {1, 2}}, r"\['a'\] is a set"),
            ({1: 2}, "has the key 1"),
            ("\ud83d\ude00", "surrogate"),
        ],
    )
    def test_what_json_would_change_is_refused_and_located(self, value, where):
        with pytest.raises(ResultError, match=where):
            to_text(value)

    def test_numpy_arrays_are_refused_with_the_remedy(self):
        np = pytest.importorskip("numpy")
        with pytest.raises(ResultError, match=r"ndarray.*tolist"):
            to_text({"x": np.ones(2)})

    def test_depth_is_limited(self):
        deep = []
        for _ in range(1000):
            deep = [deep]
        with pytest.raises(ResultError, match="levels deep"):
            to_text(deep)

    def test_fingerprint_is_sha256(self):
        assert fingerprint("abc").startswith("ba7816bf8f01cfea414140de5dae2223b00361a396177a9c")
