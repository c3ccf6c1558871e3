"""The customers of the transcript, who do not exist: customers.csv to learn from, and new.csv.

Long contracts keep customers, calls to the hotline drive those away who pay by the month. Column
``months`` has an n/a here and there, ``charge`` and ``payment`` have empty cells, ``customer`` is a
number of the customer and ``visit`` the day of the last visit.
"""

import csv
import datetime
import random
from math import exp
from pathlib import Path

NAMES = ("customer", "contract", "payment", "months", "charge", "calls", "visit", "left")


def write(name: str, first: int, n: int, draw: random.Random) -> None:
    """Write rows of n customers, numbered from the first on."""
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(NAMES)
        for number in range(first, first + n):
            contract = draw.choices(["monthly", "yearly", "two years"], [11, 5, 4])[0]
            months = 1 + int(draw.gammavariate(2.0, 12.0))
            calls = min(6, int(draw.expovariate(0.7)))
            charge = round(20 + 60 * draw.random() + 10 * (contract == "monthly"), 2)
            visit = datetime.date(2026, 10, 31) - datetime.timedelta(draw.randrange(600))
            payment = draw.choice(["card", "transfer", "cheque"])
            odds = -2.0 - 0.03 * months + (0.8 * calls if contract == "monthly" else -0.2 * calls)
            left = "yes" if draw.random() < 1 / (1 + exp(-odds)) else "no"
            lines.writerow(
                [
                    f"C{number:05}",
                    contract,
                    payment if draw.random() > 0.04 else "",
                    months if draw.random() > 0.02 else "n/a",
                    charge if draw.random() > 0.04 else "",
                    calls,
                    visit,
                    left,
                ]
            )


if __name__ == "__main__":
    dice = random.Random(1)  # noqa: S311  no secrets
    write("customers.csv", 0, 1000, dice)
    write("new.csv", 1000, 500, dice)
