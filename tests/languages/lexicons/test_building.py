import numpy as np
import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.lexicon import HELD_OUT, TRAINED, UNUSED
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.languages.lexicons.building import LexiconOptions, build, pieces_encoder

# Letters are symbols from 4 on; a text's subwords are its letters.
DICTIONARY = Dictionary("abcdefghijklmnopqrstuvwxyz")
SYMBOLS = Dictionary(f"{side}{i}" for side in "sd" for i in range(1000))


def letters(texts):
    flat = [DICTIONARY.index(letter) for text in texts for letter in text]
    return np.array(flat, dtype=np.int32), np.array([len(text) for text in texts], dtype=np.int32)


def of_letters(pairs, **options):
    return build("en", "xx", pairs, letters, DICTIONARY, LexiconOptions(**{"held_out": 0.0} | options))


def of_pieces(pairs, **options):
    return build("en", "xx", pairs, pieces_encoder(SYMBOLS), SYMBOLS, LexiconOptions(**options))


def words(lexicon):
    sides = [[tuple(i for i in row if i != 1) for row in side.tolist()] for side in lexicon.padded()]
    return list(zip(*sides, strict=True))


PAIRS = [
    ("ab", "cd"),  # kept: (4, 5), (6, 7)
    ("", "c"),
    ("a", ""),  # one-sided
    ("a", "Ж"),
    ("Жb", "c"),
    ("a", "Ж"),  # unknown; the second is not a duplicate, since the first is dropped
    ("abc", "abc"),  # identical
    ("e", "f"),  # kept
    ("ab", "cd"),  # duplicate
    ("ab", "d"),  # kept: another translation
    ("ba", "cd"),  # kept: the order counts
    ("gh", "hg"),  # kept for the same reason
]


def test_counts_by_hand():
    lexicon, about = of_letters(PAIRS)
    assert words(lexicon) == [((4, 5), (6, 7)), ((8,), (9,)), ((4, 5), (7,)), ((5, 4), (6, 7)), ((10, 11), (11, 10))]
    assert about["counts"] == {
        "read": 12, "one-sided": 2, "with special symbols": 0, "with unknown symbols": 3,
        "identical": 1, "duplicate": 1, "kept": 5, "source sides": 4, "trained": 5, "held out": 0, "unused": 0,
    }  # fmt: skip
    assert about["options"] == {"fraction": None, "held_out": 0.0, "seed": 1}


def test_symbols_are_looked_up_as_they_are():
    pairs = [("s0", "d0"), ("s1", "<pad>"), ("</s>", "d0"), ("s2", "<mask>"), ("s3 ", "d3"), ("", "d0"), ("s4", "d4")]
    lexicon, about = of_pieces(pairs, held_out=0.0)
    assert words(lexicon) == [((4,), (1004,)), ((8,), (1008,))]
    # <mask> is unknown if the dictionary lacks it, and otherwise special; it is never a word.
    assert about["counts"]["with special symbols"] == 2 and about["counts"]["with unknown symbols"] == 2
    assert about["counts"]["one-sided"] == 1
    masked = Dictionary(["s", "d", "<mask>"])
    _, about = build("en", "xx", [("s", "<mask>"), ("s", "d")], pieces_encoder(masked), masked, LexiconOptions())
    assert about["counts"]["with special symbols"] == 1


def twins(count):
    return [(f"s{i}", f"d{i}") for i in range(count)]


@pytest.mark.parametrize(
    ("count", "fraction", "held_out"), [(100, 0.25, 0.1), (7, 0.5, 0.3), (333, 0.9, 0.1), (200, None, 0.1)]
)
def test_parts_have_the_requested_sizes(count, fraction, held_out):
    lexicon, about = of_pieces(twins(count), fraction=fraction, held_out=held_out)
    sizes = [int((lexicon.part == part).sum()) for part in (TRAINED, HELD_OUT, UNUSED)]
    assert sizes[1] == round(held_out * count)
    assert sizes[0] == min(round((1 if fraction is None else fraction) * count), count - sizes[1])
    assert sizes == [about["counts"][name] for name in ("trained", "held out", "unused")] and sum(sizes) == count


def test_a_smaller_fraction_is_a_subset_and_the_held_out_part_is_the_same():
    parts = {f: of_pieces(twins(400), fraction=f, seed=3)[0].part for f in (0.1, 0.25, 0.5, 0.9)}
    for smaller, larger in ((0.1, 0.25), (0.25, 0.5), (0.5, 0.9)):
        assert set(np.flatnonzero(parts[smaller] == TRAINED)) < set(np.flatnonzero(parts[larger] == TRAINED))
        assert ((parts[smaller] == HELD_OUT) == (parts[larger] == HELD_OUT)).all()


def test_translations_of_one_word_stay_together():
    pairs = [(f"s{i}", f"d{i + k}") for i in range(100) for k in range(1 + i % 4)]
    lexicon, _ = of_pieces(pairs, fraction=0.5, held_out=0.25)
    of_word: dict[int, set[int]] = {}
    for (source, _), part in zip(words(lexicon), lexicon.part.tolist(), strict=True):
        of_word.setdefault(source[0], set()).add(part)
    assert all(len(parts) == 1 for parts in of_word.values())
    assert [sum(parts == {part} for parts in of_word.values()) for part in (TRAINED, HELD_OUT, UNUSED)] == [50, 25, 25]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        *(({"fraction": value}, r"outside \(0, 1\]") for value in (0, -0.1, 1.5, float("nan"))),
        *(({"held_out": value}, r"outside \[0, 1\)") for value in (1, -0.1, float("nan"))),
        ({"fraction": 1.0}, "exceed the lexicon"),
    ],
)
def test_options_without_meaning(options, found):
    with pytest.raises(XalignError, match=found):
        LexiconOptions(**options)
    LexiconOptions(fraction=1.0, held_out=0.0)
    LexiconOptions(fraction=0.7, held_out=0.3)


@pytest.mark.parametrize(("count", "option"), [(10, {"fraction": 0.04}), (1, {"held_out": 0.9})])
def test_parts_that_leave_nothing_to_train_on(count, option):
    with pytest.raises(XalignError, match=rf"no entry is left to train on\n  where: .*{next(iter(option))}"):
        of_pieces(twins(count), **option)


def test_a_dictionary_of_other_words():
    with pytest.raises(XalignError) as caught:
        of_letters([("Ж", "a"), ("a", "Щ"), ("a", ""), ("b", "b")])
    assert "4 read, 1 one-sided, 2 with unknown symbols, 1 identical" in str(caught.value)
    with pytest.raises(XalignError, match="no entry"):
        of_letters([])
