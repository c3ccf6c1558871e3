"""Complete rows packed into a few codes; gather and scatter between rows and family tables."""
