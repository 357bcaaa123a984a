"""Damaged copies of plain values, and foreign code for a pickle."""

import copy
import os

ODD = (None, [], {}, [1], {"a": 1}, "x", "\ud800", -1, 0.5, float("inf"), float("nan"), True, 10**30)


def damaged(data):
    """Every copy in which one part, at any depth, is one of :data:`ODD` or is missing."""
    for path in _paths(data):
        for odd in (*ODD, _GONE):
            made = copy.deepcopy(data)
            part = made
            for key in path[:-1]:
                part = part[key]
            if odd is _GONE:
                del part[path[-1]]
            else:
                part[path[-1]] = odd
            yield made


_GONE = object()


def _paths(data):
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield (key,)
        yield from ((key, *rest) for rest in _paths(value))


class Foreign:
    """Unpickling it makes a folder."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)
