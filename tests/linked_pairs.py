"""Pairs of words, some with a blank side, with links of both directions, and a program that writes them."""

PAIRS = [
    (["a", "b", "c"], ["x", "y"]),
    ([], ["q"]),
    (["|||", "¦"], ["z", "|||", "|||"]),
    (["a"], []),
    (["d"], ["u", "v"]),
]
FORWARD = [{(0, 0), (1, 1)}, set(), {(0, 0), (1, 1), (1, 2)}, set(), {(0, 0), (0, 1)}]
BACKWARD = [{(0, 0), (1, 1), (2, 1)}, set(), {(0, 0), (1, 1)}, set(), {(0, 0)}]
WRITES = 'import sys\nprint({!r}, end="")\n'
