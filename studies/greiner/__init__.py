"""ELR against OFE, APN and EM on naive Bayes, TAN and general structures, over 25 data sets.

R. Greiner, X. Su, B. Shen and W. Zhou, "Structural extension to logistic regression: discriminative
parameter learning of belief net classifiers", Machine Learning 59, 2005.
"""
