"""How bnlr's costs grow with the data: rows, attributes, states, classes, parents, holes.

    points    the axes, the middle that their other values stay at, and the rows of a point
    jobs      what is measured: bnlr's learners and, beside some, scikit-learn
    measure   one call in a process of its own, with a limit on time and one on memory
    run       one task of the study: a job at a point, in seconds of CPU, B, C and bytes
    slopes    slopes in log-log
    tables    records as lines of jobs along axes
    figures, report   plots, tables, page

It is a study of `studies.common`, which keeps every finished point and goes on after a kill.
"""
