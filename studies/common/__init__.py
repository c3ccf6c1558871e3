"""What the studies share, whatever they study.

A study is a list of `Task`s, keys such as data=pima solver=cg seed=1, and a function from a task to
a result of plain JSON values. `run_study` does the tasks in worker processes and keeps every
finished one in a journal, so that a killed run goes on where it was; result files are sorted by
task and equal to the byte, however often a run was killed and however many workers it had.

    task, values, study   keys and their seeds; what results are made of; Study, Record, Outcome
    journal, disk         one hashed, synced line a task; files written by replace
    folder, lock          one runner a folder, and nothing of other people's overwritten
    crew, attempt, signals   who does the tasks: this process, or others; Ctrl-C
    workers, worker       processes of this machine that may die or hang
    cluster               the workers of a Dask cluster
    runner, progress      all of it in order; the bar with the time left
    tables                results and tables as CSV and JSON
    pages, drawing        parts of pages and pictures: bnlr's own, and those that studies share
    sources, sets         where raw data sets are found: a folder, OpenML, what is built in; which
    statistics            t-tests on paired results; wins, ties and losses
    ranks                 tests over many data sets: Friedman, Nemenyi, Wilcoxon, signs
    options               the common command line and the registry's interface
    errors                StudyError and its kinds
"""

from studies.common.errors import StudyError
from studies.common.options import Command, common_parser, main
from studies.common.runner import Options, run_study
from studies.common.study import Failure, Outcome, Record, Study, Timed
from studies.common.tables import csv_text, json_text
from studies.common.task import Task

__all__ = [
    "Command",
    "Failure",
    "Options",
    "Outcome",
    "Record",
    "Study",
    "StudyError",
    "Task",
    "Timed",
    "common_parser",
    "csv_text",
    "json_text",
    "main",
    "run_study",
]
