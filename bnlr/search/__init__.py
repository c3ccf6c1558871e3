"""Structures learnt from data: `learn` is the one door to all learners, named in `methods`.

By what attributes tell of each other once the class is known (`tan`, `fan`, `kdb`), scores of
families (`hgc`), tests of independence (`tpda`), what tables gain on naive Bayes' residuals
(`score_arcs`) or the maximal CLL (`cll`). Data enter, a
`Structure` leaves, or the record of a search with one; candidates are judged by `learn`'s fits.
"""
