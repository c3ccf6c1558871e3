"""How a wrong structure hurts each learner: section 5.1.4 of Greiner et al. 2005.

R. Greiner, X. Su, B. Shen and W. Zhou, "Structural extension to logistic regression: discriminative
parameter learning of belief net classifiers", Machine Learning 59, 2005.
"""
