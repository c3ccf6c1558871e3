"""What "auto" comes to: structure, intervals and penalty that predict folds left out best.

Rows whose numbers are not cut yet enter, with `Parameters`; a `Resolved` leaves. Learners and
structure learners are called from here, the estimator never.
"""
