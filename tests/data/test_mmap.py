import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from fairseq.data.indexed_dataset import MMapIndexedDataset, MMapIndexedDatasetBuilder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.mmap import DTYPES, HEADER, MMapReader, MMapWriter, dtype_for_vocabulary

ITEMS = [[5, 6, 2], [2], [], [65535, 0, 1, 2]]


def write(prefix: Path, items: list[list[int]], dtype: object = np.uint16) -> Path:
    with MMapWriter(prefix, dtype) as writer:
        for item in items:
            writer.add(item)
    return prefix


@pytest.mark.parametrize("code", sorted(DTYPES))
def test_files_equal_those_of_fairseqs_builder_in_every_dtype(tmp_path, code):
    torch = pytest.importorskip("torch")
    dtype = DTYPES[code]
    items = [[5, 6, 2], [100, 2], [2]]
    builder = MMapIndexedDatasetBuilder(str(tmp_path / "theirs.bin"), dtype=dtype.type)
    for item in items:
        builder.add_item(torch.IntTensor(item))
    builder.finalize(str(tmp_path / "theirs.idx"))
    write(tmp_path / "ours", items, dtype)
    for suffix in ("bin", "idx"):
        assert (tmp_path / f"ours.{suffix}").read_bytes() == (tmp_path / f"theirs.{suffix}").read_bytes()
    assert [MMapReader(tmp_path / "theirs")[i].tolist() for i in range(3)] == items


@given(items=st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=6), min_size=1, max_size=8), cut=st.integers(0, 8))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_fairseq_reads_files_written_at_once_or_in_parts(tmp_path, items, cut):
    items[0].append(1)  # fairseq can't map an empty .bin file
    with MMapWriter(tmp_path / "x", np.uint32) as writer:
        for part in (items[:cut], items[cut:]):
            writer.add_many([i for item in part for i in item], [len(item) for item in part])
    theirs, ours = MMapIndexedDataset(str(tmp_path / "x")), MMapReader(tmp_path / "x")
    assert [theirs[i].tolist() for i in range(len(theirs))] == items
    assert [ours[i].tolist() for i in range(len(ours))] == items
    assert ours.sizes.tolist() == [len(item) for item in items]


@pytest.mark.parametrize(
    ("size", "dtype"), [(4, np.uint16), (65499, np.uint16), (65500, np.uint32), (250002, np.uint32)]
)
def test_dtype_follows_fairseqs_rule(size, dtype):
    from fairseq.data.indexed_dataset import best_fitting_int_dtype

    assert dtype_for_vocabulary(size) == dtype == best_fitting_int_dtype(size)


@pytest.mark.parametrize(("dtype", "wrong"), [(np.uint16, 70000), (np.uint16, -1), (np.int32, 2**31), (np.uint8, 256)])
def test_an_id_beyond_the_dtype_is_an_error_and_leaves_no_file(tmp_path, dtype, wrong):
    with pytest.raises(XalignError, match=f"found: {wrong}"), MMapWriter(tmp_path / "x", dtype) as writer:
        writer.add([1, 2])
        writer.add([3, wrong])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("items", [ITEMS, [], [[]], [[], []]])
def test_items_are_copies_and_sizes_stay_a_memory_map(tmp_path, items):
    reader = MMapReader(write(tmp_path / "x", items))
    for i in range(len(reader)):
        reader[i][:] = 9
    assert [reader[i].tolist() for i in range(len(reader))] == items
    assert all(reader[i].dtype == np.int64 for i in range(len(reader)))
    assert isinstance(reader.sizes, np.memmap) == bool(items)
    assert not items or reader[-1].tolist() == items[-1]
    with pytest.raises(IndexError):
        reader[len(items)]


def test_a_pickled_reader_opens_its_files_again(tmp_path):
    data = pickle.dumps(MMapReader(write(tmp_path / "x", [[i] * 50 for i in range(2000)])))
    assert len(data) < 500
    assert pickle.loads(data)[1999].tolist() == [1999] * 50


@pytest.mark.parametrize(("suffix", "full"), [("bin", 16), ("idx", 26 + 12 * 4)])
@pytest.mark.parametrize("change", [-1, 1])
def test_a_file_of_another_length_is_an_error_with_both_lengths(tmp_path, suffix, full, change):
    path = Path(f"{write(tmp_path / 'x', ITEMS)}.{suffix}")
    raw = path.read_bytes()
    path.write_bytes(raw[:-1] if change < 0 else raw + b"\0")
    with pytest.raises(XalignError, match=rf"(?s)does not have the size.*{full + change} bytes.*{full} bytes"):
        MMapReader(tmp_path / "x")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "truncated"),
        (b"MMIDIDX\x00\x00\x01", "truncated"),
        (b"TNTIDX\x00\x00" + bytes(40), "not an mmap index"),
        (b"MMIDIDX\x00\x00" + struct.pack("<QBQ", 2, 8, 0), "version 2"),
        (b"MMIDIDX\x00\x00" + struct.pack("<QBQ", 1, 6, 0), "dtype code 6"),
    ],
)
def test_an_index_of_another_kind_is_an_error(tmp_path, raw, message):
    write(tmp_path / "x", ITEMS)
    (tmp_path / "x.idx").write_bytes(raw)
    with pytest.raises(XalignError, match=message):
        MMapReader(tmp_path / "x")


@pytest.mark.parametrize(("item", "damage"), [(1, -1), (1, 1), (2, 1), (1, 1 << 40), (2, -5)])
def test_an_item_with_a_wrong_index_position_is_an_error(tmp_path, item, damage):
    with MMapWriter(tmp_path / "t", np.uint16) as writer:
        writer.add_many([5, 6, 2, 7, 2, 8, 9, 2], [3, 2, 3])
    raw = bytearray((tmp_path / "t.idx").read_bytes())
    place = HEADER.size + 3 * 4 + 8 * item  # the item's offset
    offset = int.from_bytes(raw[place : place + 8], "little", signed=True) + 2 * damage
    raw[place : place + 8] = offset.to_bytes(8, "little", signed=True)
    if item == 2:  # opening checks the end of the last item
        size = HEADER.size + 4 * 2
        raw[size : size + 4] = (3 - damage).to_bytes(4, "little")
    (tmp_path / "t.idx").write_bytes(raw)
    with pytest.raises(XalignError, match=r"index is damaged[\s\S]*t.idx, item 1"):
        MMapReader(tmp_path / "t")[1]


def test_sizes_dtypes_and_files_that_do_not_fit_are_errors(tmp_path):
    with pytest.raises(ValueError, match="sum to 3, but there are 2"), MMapWriter(tmp_path / "x", np.uint16) as writer:
        writer.add_many([1, 2], [1, 2])
    with pytest.raises(XalignError, match="float32"):
        MMapWriter(tmp_path / "x", np.float32)
    write(tmp_path / "x", ITEMS)
    (tmp_path / "x.bin").unlink()
    with pytest.raises(XalignError, match=r"x\.bin"):
        MMapReader(tmp_path / "x")
