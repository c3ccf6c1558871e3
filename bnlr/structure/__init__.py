"""What the graph alone decides: whether discriminative learning of the network is convex.

`dag` is the graph; `perfect` and `condition1` are two independent tests, `report` says what they
found and what would mend it. Arcs and names enter; data never do.
"""
