import struct
import tracemalloc

import numpy as np
import pytest
from support import four_bit_files
from support.four_bit_files import HIDDEN, INNER, POSITIONS, ROWS

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained.four_bit import FourBitFile

PARTS = four_bit_files.make()
WHOLE = PARTS.content()


def written(tmp_path, content):
    path = tmp_path / "encoder.bin"
    path.write_bytes(content)
    return path


def read_all(path):
    """The pieces, their scores and all parameters, read as for building an encoder of the file's sizes."""
    file = FourBitFile(path)
    sizes = dict(zip(four_bit_files.SIZES, vars(file.sizes).values(), strict=True))  # 2: the types, after the layers
    parameters = [
        (file.matrix if PARTS.fields[f"entry {name}"][0] else file.numbers)(name, *map(sizes.get, weights.shape))
        for name, weights in PARTS.weights.items()
    ]
    return file.symbols, file.scores, *parameters


def test_the_contents_of_a_file(tmp_path):
    file = FourBitFile(written(tmp_path, WHOLE))
    assert tuple(vars(file.sizes).values()) == four_bit_files.SIZES
    assert file.layer_norm_eps == 1e-12
    assert tuple(file.symbols) == four_bit_files.PIECES
    assert file.scores[4:-1] == [-float(i) for i in range(4, len(file.symbols) - 1)]
    np.testing.assert_array_equal(file.numbers("emb.pos", POSITIONS, HIDDEN), PARTS.weights["emb.pos"])


@pytest.mark.parametrize(("name", "shape"), [("emb.word", (ROWS, HIDDEN)), ("l1.fo.w", (HIDDEN, INNER))])
def test_four_bit_weights_are_within_half_a_step(name, shape, tmp_path):
    file = FourBitFile(written(tmp_path, WHOLE))
    found, true = file.matrix(name, *shape), PARTS.weights[name]
    steps = np.abs(true.reshape(-1, 32)).max(1, keepdims=True) / 7
    assert found.dtype == np.float32
    assert np.abs(found - true).reshape(-1, 32).max() > 0.01 * steps.max()
    assert (np.abs(found - true).reshape(-1, 32) <= 0.505 * steps).all()  # plus float16's error
    np.testing.assert_array_equal(file.matrix(name, *shape, used=5), found[:5])


def test_a_block_weight_by_weight(tmp_path):
    codes = np.arange(16) | (15 - np.arange(16)) << 4
    data = (np.float16(0.5).tobytes() + codes.astype("u1").tobytes()) + PARTS.fields["data l0.q.w"][18:]
    file = FourBitFile(written(tmp_path, PARTS.content(**{"data l0.q.w": data})))
    expected = [*((np.arange(16) - 8) * 0.5), *((7 - np.arange(16)) * 0.5)]
    assert file.matrix("l0.q.w", HIDDEN, HIDDEN)[0, :32].tolist() == expected


def test_every_truncation_is_refused_with_its_place(tmp_path):
    ends = {0, 1, 3, 4, len(WHOLE) - 1}
    at = 0
    for value in PARTS.fields.values():
        ends |= {at, at + len(value) // 2}
        at += len(value)
    for end in sorted(ends):
        path = written(tmp_path, WHOLE[:end])
        with pytest.raises(XalignError, match="damaged") as error:
            read_all(path)
        assert f"{path}, " in str(error.value) and "byte " in str(error.value)


NUMBERS = [name for name, value in PARTS.fields.items() if len(value) in (4, 8) and not name.startswith("data ")]
WRONG = (0, 1, 2, 31, 33, 127, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)


@pytest.mark.parametrize("name", NUMBERS)
def test_every_altered_number_is_refused_or_changes_nothing(name, tmp_path):
    right = PARTS.fields[name]
    for number in WRONG:
        wrong = (number % 2 ** (8 * len(right))).to_bytes(len(right), "little")
        _require_bounded(written(tmp_path, PARTS.content(**{name: wrong})))


def test_every_altered_entry_of_the_directory_is_refused(tmp_path):
    for name in [name for name in PARTS.fields if name.startswith(("entry emb", "entry l0"))]:
        kind, weights, begin, length = right = struct.unpack("<BIQQ", PARTS.fields[name])
        for wrong in (
            (1 - kind, weights, begin, length),
            (7, weights, begin, length),
            *((kind, number % 2**32, begin, length) for number in (0, weights - 1, weights * 2, 2**32 - 1)),
            *((kind, weights, number, length) for number in (0, begin + 2, begin - 1, len(WHOLE), 2**63, 2**64 - 1)),
            *((kind, weights, begin, number) for number in (0, length - 1, length * 2, 2**63, 2**64 - 1)),
        ):
            assert wrong != right
            _require_bounded(written(tmp_path, PARTS.content(**{name: struct.pack("<BIQQ", *wrong)})), refused=True)


def _require_bounded(path, refused=False):
    """It is read as the right one, or refused with the package's error, and takes little memory either way."""
    found = ()
    tracemalloc.start()
    try:
        found = read_all(path)
        assert not refused
    except XalignError as error:
        assert str(path) in str(error)
    finally:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < 20 * len(WHOLE)
    assert not found or all(map(np.array_equal, found, read_all(written(path.parent, WHOLE))))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("data l0.k.w", np.float16(np.inf).tobytes(), "non-finite scales"),
        ("data emb.ln.w", np.float32(np.nan).tobytes(), "non-finite numbers"),
        ("scores", np.float32(-np.inf).tobytes(), "the scores of the pieces"),
        ("text", b"<S>", "<S> <pad>"),
        ("magic", b"E5S2", "the first bytes"),
        ("bounds", np.uint32([0, 4, 3]).tobytes(), "the positions of the pieces"),
        ("bounds", np.uint32([1]).tobytes(), "the positions of the pieces"),
        ("parameters", np.int32([36]).tobytes(), "37 for 2 layers"),
    ],
)
def test_invalid_inputs_are_refused(name, value, message, tmp_path):
    altered = PARTS.content(**{name: value + PARTS.fields[name][len(value) :]})
    with pytest.raises(XalignError, match=message):
        read_all(written(tmp_path, altered))


def test_parameters_that_share_bytes_are_refused(tmp_path):
    entry = PARTS.fields["entry l0.q.w"]
    with pytest.raises(XalignError, match="shares bytes with another part"):
        FourBitFile(written(tmp_path, PARTS.content(**{"entry l0.k.w": entry})))


@pytest.mark.parametrize(("pieces", "message"), [(("▁the", "▁the"), "1 pieces twice"), (("\n",), None)])
def test_pieces(pieces, message, tmp_path):
    path = written(tmp_path, four_bit_files.make((*four_bit_files.PIECES[:-1], *pieces, "<mask>")).content())
    if message is None:
        assert FourBitFile(path).symbols[-2] == pieces[0]
    else:
        path.write_bytes(four_bit_files.make((*four_bit_files.PIECES[:5], *pieces, "<mask>")).content())
        with pytest.raises(XalignError, match=message):
            FourBitFile(path)
