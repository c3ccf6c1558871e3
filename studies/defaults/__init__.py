"""Which classifier predicts best without a setting touched: bnlr's defaults against their peers.

Every set of the data folder, five stratified folds: log-loss, Brier score, error and seconds of
networks with discriminative and generative parameters, logistic regression, boosting, forests.
"""
