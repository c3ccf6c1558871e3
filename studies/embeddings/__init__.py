"""Wrinkles of the CLL over CPTs, and what it takes to make Condition 1 hold.

H. Wettig, P. Grünwald, T. Roos, P. Myllymäki and H. Tirri, "When discriminative learning of
Bayesian network parameters is easy", IJCAI 2003: the remark of section 3 and section 5.
"""
