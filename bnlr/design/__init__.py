"""Complete rows packed into a few codes; gather and scatter between rows and family tables.

`packed_rows` is the door: a `Design`, and what it is at a point; `counting` needs no packing.
A layout and a `Dataset` enter; tables, CLLs and products with the Hessian leave.
"""
