"""Parameter spaces: charts over the same family tables.

A space maps parameters to tables and back (`base`), and tables to CPTs (`backmap`); `l_model` has
what all linear ones share. Structures and states enter; rows never do.
"""
