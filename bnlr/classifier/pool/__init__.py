"""``structure="pool"``: the weights of several networks, and what each of them is.

Arrays and fitted networks enter; nothing here fits a network. How their predictions become one is
`network.opinion_pool`'s.
"""
