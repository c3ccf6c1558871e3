"""What people look at: pictures (`plots`), pages of HTML (`html`), a page about a model (`model`).

Networks, fits, searches and probabilities enter; axes of matplotlib's, or text, leave. matplotlib
is an extra, imported by what draws; `scores` are the figures that pages and pictures share.
"""
