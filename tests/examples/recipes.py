"""Import the scripts of examples/ as they import each other."""

import importlib
import sys

import pytest

from tests.examples.stand_ins import EXAMPLES


def load(recipe, *names):
    """Import a recipe's scripts as modules again, because recipes share script names."""
    folder = EXAMPLES / recipe
    siblings = {path.stem for path in folder.glob("*.py")}
    before = {name: sys.modules.pop(name) for name in siblings & sys.modules.keys()}
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(EXAMPLES)
            patch.syspath_prepend(folder)
            return [importlib.import_module(name) for name in names]
    finally:
        for name in siblings:
            sys.modules.pop(name, None)
        sys.modules.update(before)
