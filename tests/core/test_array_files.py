import io
import zipfile

import numpy as np
import pytest

from xalign_fairseq.core.array_files import ArrayForm, read_arrays
from xalign_fairseq.core.errors import XalignError

ARRAYS = {"a": np.arange(6.0).reshape(2, 3), "b": np.asfortranarray(np.ones((2, 3), np.float32)), "c": np.zeros((0, 2))}
FORM = {name: ArrayForm(np.floating, 2) for name in ARRAYS}


@pytest.fixture
def path(tmp_path):
    np.savez_compressed(tmp_path / "file.npz", **ARRAYS)
    return tmp_path / "file.npz"


def with_member(path, content):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", content)
    return path


def npy(array):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize("form", [FORM, ArrayForm(np.floating, 2)])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_written_arrays_are_read_back_and_writable(tmp_path, save, form):
    save(tmp_path / "file.npz", **ARRAYS)
    found = read_arrays(tmp_path / "file.npz", form)
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype and found[name].flags.writeable
        np.testing.assert_array_equal(found[name], array)


def test_only_arrays_of_the_form_are_read(path):
    assert list(read_arrays(path, {"b": ArrayForm(np.float32, 2)})) == ["b"]


@pytest.mark.parametrize(
    ("form", "found"),
    [
        ({"other": ArrayForm(np.floating, 2)}, "no array other"),
        ({"a": ArrayForm(np.float32, 2)}, "a is float64 of 2 dimensions, not float32 of 2"),
        ({"a": ArrayForm(np.floating, 1)}, "a is float64 of 2 dimensions, not floating of 1"),
        ({"a": ArrayForm(np.str_)}, "a is float64 of 2 dimensions, not str_\n"),
    ],
)
def test_another_form_is_an_error_that_names_the_array(path, form, found):
    with pytest.raises(XalignError, match=found) as error:
        read_arrays(path, form, remedy="train it anew")
    assert error.value.where == path and error.value.remedy == "train it anew"


def header(shape, descr="<f8"):
    stream = io.BytesIO()
    np.lib.format.write_array_header_2_0(stream, {"descr": descr, "fortran_order": False, "shape": shape})
    return stream.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        header((1 << 39, 1)),  # 4 TiB
        header((1 << 62, 4)),
        header((-1, 1)),
        header((2, 2)) + b"x" * 31,
        npy(np.array([[None]])),
        b"",
        b"\x93NUMPY\x09\x00",
    ],
)
def test_a_header_that_does_not_describe_its_array_is_an_error(tmp_path, content):
    with pytest.raises(XalignError, match="damaged"):
        read_arrays(with_member(tmp_path / "file.npz", content), {"a": ArrayForm(np.generic, 2)})


def test_every_changed_byte_and_every_cut_gives_the_arrays_or_an_error(path):
    content = path.read_bytes()
    for place in range(0, len(content), 7):
        for changed in (
            content[:place],
            content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :],
            content[:place] + content[place + 4 :],
        ):
            path.write_bytes(changed)
            try:
                found = read_arrays(path, FORM)
            except XalignError:
                continue
            for name, array in ARRAYS.items():
                np.testing.assert_array_equal(found[name], array)
