import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.languages.characters import MARKER, character_table

# Every character of planes 0 and 1 (no surrogates), and some of plane 2.
ALL = [chr(code) for code in [*range(0xD800), *range(0xE000, 0x20000), *range(0x20000, 0x20800)]]


def test_private_copies_are_disjoint_and_one_to_one():
    table = character_table("private", ALL)

    assert len(set(table.values())) == len(ALL)
    assert {ord(copy) >> 16 for copy in table.values()} == {15, 16}
    assert table["a"] == "\U000f0061" and table["😀"] == "\U0010f600" and table["\U00020000"] == "\U000fd800"
    assert table["▁"] == MARKER


def test_georgian_letters_are_those_of_the_keyboard():
    table = character_table("georgian", [*map(chr, range(0x100)), "č", "😀"])

    assert "".join(table[c] for c in "gamarjoba") == "გამარჯობა"
    assert "".join(table[c] for c in "jgufi") == "ჯგუფი"
    # Mtavruli capitals: each 0xbc0 after its Mkhedruli letter.
    assert "".join(table[c] for c in "Sam") == "Ს" + "ამ"
    assert all(ord(table[c.upper()]) - ord(table[c]) == 0xBC0 for c in "abcdefghijklmnopqrstuvwxyz")
    assert table["7"] == "⠷" and table["."] == "⠮" and table["é"] == "⣩"
    assert table["č"] == "\U000f010d" and table["😀"] == "\U0010f600"
    assert len(set(table.values())) == len(table)


@pytest.mark.parametrize(
    ("script", "text", "found"),
    [
        ("georgian", "abა", "0x10d0"),
        ("georgian", "!⠡", "0x2821"),
        ("private", "a\U000f0061", "0xf0061"),
        ("private", "a" + MARKER, "0xf2581"),
    ],
)
def test_characters_of_the_script_in_the_text_are_an_error(script, text, found):
    with pytest.raises(XalignError, match=f"1 character, the first of them {found}"):
        character_table(script, text)


def test_characters_that_stand_apart_do_no_harm():
    assert character_table("georgian", "bა")["b"] == "ბ"  # nothing becomes ა: there is no a


def test_places_run_out():
    table = character_table("private", map(chr, range(0x20000, 0x20800)))
    assert len(set(table.values())) == 2048
    with pytest.raises(XalignError, match="too many characters"):
        character_table("private", map(chr, range(0x20000, 0x20802)))
