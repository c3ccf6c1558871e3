"""What the graph alone decides: whether discriminative learning of the network is convex."""
