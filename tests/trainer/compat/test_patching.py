import functools
import types

import pytest

from xalign_fairseq.trainer.compat.patching import replace, swapped, wrapping


def adding(amount):
    def make(original):
        @functools.wraps(original)
        def wrapper(*args):
            return original(*args) + amount

        return wrapper

    return make


def stock(value):
    return value * 2


def test_a_patch_is_applied_once_and_different_patches_stack():
    module = types.SimpleNamespace(function=stock)
    replace(module, "function", "one", adding(1))
    replace(module, "function", "ten", adding(10))
    replace(module, "function", "one", adding(1))
    replace(module, "function", "ten", adding(10))
    assert module.function(3) == 17
    assert stock(3) == 6


def test_a_classmethod_is_kept():
    class Stock:
        factor = 5

        @classmethod
        def scaled(cls, value):
            return cls.factor * value

    replace(Stock, "scaled", "one", adding(1))
    replace(Stock, "scaled", "one", adding(1))
    assert Stock.scaled(2) == Stock().scaled(2) == 11


def test_swapped_restores_own_and_inherited_attributes_also_after_an_error():
    class Base:
        size = 1

    class Own(Base):
        size = 2

    class Heir(Base):
        pass

    for owner, before in ((Own, 2), (Heir, 1)):
        with pytest.raises(KeyError), swapped(owner, "size", 9):
            assert owner.size == 9
            raise KeyError
        assert owner.size == before
    assert "size" in vars(Own)
    assert "size" not in vars(Heir)


@pytest.mark.parametrize(
    ("has", "lacks", "needed"),
    [("", "", True), ("unknown", "", False), ("", "def wrap", False), ("def", "unknown", True)],
)
def test_a_patch_is_needed_while_the_source_has_and_lacks_its_texts(has, lacks, needed):
    assert wrapping("n", "w", "textwrap", "TextWrapper", lambda cls: cls, has=has, lacks=lacks).needed() == needed
