"""Where to cut numeric columns, and what all discretizers share.

A way to cut is a function from values to cut points; its scikit-learn class stands one room up,
where pickles look for it.
"""
