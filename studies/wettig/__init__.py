"""Theorem 4 seen: the local maxima of a network that fails Condition 1, and the way round them.

H. Wettig, P. Grünwald, T. Roos, P. Myllymäki and H. Tirri, "When discriminative learning of
Bayesian network parameters is easy", IJCAI 2003: section 4 and appendix A.
"""
