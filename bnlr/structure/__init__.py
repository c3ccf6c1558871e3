"""What the graph alone decides: is discriminative learning of this network convex?"""
