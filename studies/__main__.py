"""``python -m studies NAME …``: reproduce a paper; ``python -m studies --help`` lists them."""

import sys

from studies.common import Command, main

COMMANDS = {
    "defaults": Command(
        "which classifier predicts best by default: log-loss, Brier score, error, time",
        "studies.defaults.command",
    ),
    "embeddings": Command(
        "wrinkles of the CLL over CPTs, and what embeddings take (Wettig et al. 2003)",
        "studies.embeddings.command",
    ),
    "feelders-ivanovs": Command(
        "nine optimizers in three spaces: iterations and flops (Feelders & Ivanovs 2006)",
        "studies.feelders_ivanovs.command",
    ),
    "greiner": Command(
        "ELR against OFE, APN and EM on three structures and 25 data sets (Greiner et al. 2005)",
        "studies.greiner.command",
    ),
    "missing-cells": Command(
        "log-loss with missing test cells, by learner; training for the holes to come",
        "studies.missing_cells.command",
    ),
    "queries": Command(
        "learning for the queries asked against learning from events (Greiner et al. 1997)",
        "studies.queries.command",
    ),
    "recommender": Command(
        "flops of each space and solver foretold, and the race (after Feelders & Ivanovs 2006)",
        "studies.recommender.command",
    ),
    "sample-sizes": Command(
        "whether promised numbers of queries and events suffice (Greiner et al. 1997)",
        "studies.sample_sizes.command",
    ),
    "sat": Command(
        "3-CNF formulas as networks: a CLL of 0 just when satisfiable (Greiner et al. 2005)",
        "studies.sat.command",
    ),
    "su": Command(
        "DFE against FE, ELR and AdaBoost on naive Bayes and HGC structures (Su et al. 2008)",
        "studies.su.command",
    ),
    "wettig": Command(
        "the local maxima of Theorem 4, and the embedding without any (Wettig et al. 2003)",
        "studies.wettig.command",
    ),
    "wrong-structure": Command(
        "error as naive Bayes gets wronger: OFE, EM, APN and ELR (Greiner et al. 2005, 5.1.4)",
        "studies.wrong_structure.command",
    ),
}

if __name__ == "__main__":
    sys.exit(main(COMMANDS))
