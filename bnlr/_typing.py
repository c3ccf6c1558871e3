"""Array aliases, and the notation table: how the papers' symbols are called in the code.

=================  ====================  ==================================================
paper              code                  shape, meaning
=================  ====================  ==================================================
X_0                ``class_name``        the class node
d_0                ``n_classes``         number of class states
N                  ``n_rows``            rows
pa(i), ch(i)       ``parents, children``
φ(i)               ``family.scope``      {i} ∪ pa(i) without the class; pa(0) for the class
θ_{d|f}            ``cpts[node]``        (states of parents …, states of node), last axis sums to 1
β_{d|f}            ``beta``              flat, CPT order, class and children only
w^(c)              ``w``                 flat (predictors, d_0 − 1), reference class left out
T_k                ``tables``            (cells of all families, d_0), log-scores of the L-model
η_c                ``scores``            (N, d_0), Σ_k T_k[cell_k(row), c]
Z                  ``space.design()``    (N, predictors) 0/1
CLL                ``cll``               Σ_rows weight · log P(class | attributes), natural log
=================  ====================  ==================================================
"""

from collections.abc import Hashable, Mapping

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
CodeArray = NDArray[np.integer]
BoolArray = NDArray[np.bool_]

State = Hashable
States = Mapping[str, tuple[State, ...]]
Cards = Mapping[str, int]
Arc = tuple[str, str]
