import pytest

import xalign_fairseq

xalign_fairseq.register()

from xalign_fairseq.core.errors import XalignError  # noqa: E402
from xalign_fairseq.data import lexicon  # noqa: E402
from xalign_fairseq.data.databin import DataBin  # noqa: E402
from xalign_fairseq.data.lexicon import HELD_OUT, TRAINED, UNUSED, Lexicon, trained_lexicons  # noqa: E402
from xalign_fairseq.tasks.lexicons import require_same_lexicons  # noqa: E402


def entries(*parts, tgt="bb", first=4):
    """A lexicon of one-subword entries, one for each part."""
    ones, ids = [1] * len(parts), [first + k for k in range(len(parts))]
    return Lexicon("aa", tgt, ids, ones, ids, ones, parts)


@pytest.fixture
def data(tmp_path):
    """The function that makes a data-bin of these lexicons."""
    (tmp_path / "dict.txt").write_text("".join(f"{symbol} 1\n" for symbol in "abcdefgh"))

    def make(*lexicons):
        for each in lexicons:
            lexicon.write(DataBin(tmp_path), each, {}, overwrite=True)
        return DataBin(tmp_path)

    return make


def test_all_lexicons_are_read_in_the_order_of_their_languages(data):
    first, second = entries(TRAINED, HELD_OUT, tgt="cc"), entries(HELD_OUT)
    found = trained_lexicons(data(first, second))  # one that has an entry to train on will do
    assert [each.digest for each in found] == [second.digest, first.digest]


def test_without_an_entry_to_train_on_the_command_that_makes_one_is_named(data):
    with pytest.raises(XalignError, match=r"none to train on[\s\S]*no lexicon[\s\S]*command lexicon .* pair"):
        trained_lexicons(data())
    with pytest.raises(XalignError, match=r"none to train on[\s\S]*all entries held out"):
        trained_lexicons(data(entries(HELD_OUT, UNUSED)))


def test_a_checkpoint_goes_on_with_its_own_entries_alone():
    mine = [entries(TRAINED, HELD_OUT), entries(TRAINED, tgt="cc")]
    states = [each.state() for each in mine]
    require_same_lexicons(mine, states, "data-bin")
    require_same_lexicons(mine, states[::-1], "data-bin")  # in whatever order
    require_same_lexicons(mine, None, "data-bin")  # a checkpoint that read none
    others = (
        [entries(HELD_OUT, TRAINED), mine[1]],  # another choice of the same entries
        [entries(TRAINED, HELD_OUT, first=5), mine[1]],
        mine[:1],
        [*mine, entries(TRAINED, tgt="dd")],
    )
    for other in others:
        with pytest.raises(XalignError, match=r"not the one that the checkpoint was trained with[\s\S]*data-bin"):
            require_same_lexicons(other, states, "data-bin")
