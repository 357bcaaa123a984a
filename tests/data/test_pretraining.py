"""Pre-training's reading of data-bins, without fairseq; the tests of its task use it, too."""

import numpy as np
import pytest
from support.text import write, write_plain_data

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.pretraining import PretrainingData, PretrainingDataOptions, Reader, pivot_language
from xalign_fairseq.data.streams_dataset import StreamsDataset
from xalign_fairseq.data.tokenizers.dictionary import Dictionary


@pytest.fixture
def folder(tmp_path):
    """A data-bin of one sentence pair."""
    (tmp_path / "dict.txt").write_text("a 1\nb 1\nc 1\n")
    for lang in ("en", "fr"):
        write(tmp_path / f"train.en-fr.{lang}", [[4, 5, 2]])
    return tmp_path


def test_a_dataset_meets_its_readers_needs(folder):
    data = PretrainingData(folder, PretrainingDataOptions(mask_prob=0.5), seed=7)
    made = data.dataset(StreamsDataset, "train", Reader({"bitext"}, positions=40, apart=True))
    assert (made.seed, made.apart, made.bitext.max_length, made.mask.probability) == (7, True, 40, 0.5)
    assert made.mono is None and len(made) == 2


@pytest.mark.parametrize(
    ("needs", "every", "message"),
    [
        ((), False, "no objective reads text"),
        (("mono",), False, "mono=.LANG=FILE"),
        (("bitext", "links"), False, "at least one pair"),
        (("bitext", "links"), True, "links of every pair"),
    ],
)
def test_missing_data_are_named(folder, needs, every, message):
    with pytest.raises(XalignError, match=message):
        PretrainingData(folder).require(Reader(needs, links_of_every_pair=every))


@pytest.mark.parametrize(
    ("stream", "files"),
    [("bitext", [""]), ("bitext", [".en-ro.en", ".en-ro.ro"]), ("mono", [".en-fr.en", ".en-fr.fr"])],
)
def test_streams_that_a_later_folder_lacks_are_named_before_its_epoch(folder, stream, files):
    (later := folder / "later").mkdir()
    (later / "dict.txt").write_text("a 1\nb 1\nc 1\n")
    for path in (folder / "train.fr", *(later / f"train{file}" for file in files)):
        write(path, [[4, 5, 2]])
    data = PretrainingData(f"{folder}:{later}", PretrainingDataOptions(lang_pairs="en-fr"))
    with pytest.raises(XalignError, match=rf"for training\n  where: {later}"):
        data.require(Reader({stream}))


@pytest.mark.parametrize("links", ["train.en-fr.links", "train.align.en-fr"])
def test_links_that_a_later_folder_lacks_are_named_before_its_epoch(folder, links):
    (later := folder / "later").mkdir()
    for path in folder.glob("*.*"):
        (later / path.name).write_bytes(path.read_bytes())
    write(folder / links, [[0, 0]])
    data = PretrainingData(f"{folder}:{later}")
    with pytest.raises(XalignError, match=rf"links[^\n]*\n  where: {later}\n  found: en-fr without"):
        data.require(Reader({"bitext", "links"}))
    PretrainingData(folder).require(Reader({"bitext", "links"}, links_of_every_pair=True))


def test_pairs_without_links_are_reported_if_objectives_need_them(folder, caplog):
    for lang in ("en", "fr"):
        write(folder / f"valid.en-fr.{lang}", [[4, 5, 2]])
    data = PretrainingData(folder)
    caplog.set_level("WARNING")
    data.dataset(StreamsDataset, "valid", Reader({"bitext"}))
    assert not caplog.messages
    for split, use in (("valid", "validation, whose loss is without them"), ("train", "training")):
        data.dataset(StreamsDataset, split, Reader({"bitext", "links"}))
        assert caplog.messages == [f"en-fr has no prepared links for {use}"]
        caplog.clear()


def test_dictionaries_of_the_same_bytes_are_read_once_and_others_compared(folder, tmp_path_factory, monkeypatch):
    other = tmp_path_factory.mktemp("other")
    for path in folder.iterdir():
        (other / path.name).write_bytes(path.read_bytes())
    loaded = []
    load = Dictionary.load
    monkeypatch.setattr(Dictionary, "load", lambda path: loaded.append(path) or load(path))
    PretrainingData(f"{folder}:{other}:{other}")
    assert loaded == [folder / "dict.txt"]
    (other / "dict.txt").write_text("a 7\nb 7\nc 7\n")  # other counts, the same ids
    PretrainingData(f"{folder}:{other}")
    (other / "dict.txt").write_text("a 1\nc 1\nb 1\n")
    with pytest.raises(XalignError, match="different dictionaries"):
        PretrainingData(f"{folder}:{other}")


@pytest.mark.parametrize("folders", [1, 3])
@pytest.mark.parametrize("needs", [{"bitext"}, {"mono"}, {"bitext", "mono"}])
def test_short_epochs_read_all_of_a_folder_before_any_of_it_twice(needs, folders, tmp_path):
    paths = [write_plain_data(tmp_path / f"bin.{number}", pairs=30 + 7 * number) for number in range(folders)]
    for file in tmp_path.glob("bin.*/train.en.*"):  # monolingual text of one language
        file.unlink()
    options = PretrainingDataOptions(epoch_items=22, mono_tokens_per_sample=8)
    data, times = None, {}
    for epoch in range(1, 25):
        if epoch % 5 == 1:  # a resumed run
            place = data.shards.place(epoch) if data else {"epoch": 1, "index": 0, "visits": [0] * folders}
            data = PretrainingData(":".join(map(str, paths)), options, seed=folders)
            data.shards.go_on(**place)
        dataset = data.dataset(StreamsDataset, "train", Reader(needs), epoch)
        dataset.set_epoch(epoch)
        batches = dataset.batch_by_size(dataset.ordered_indices(), None, 4)
        drawn = np.concatenate(list(batches)) % len(dataset)
        seen = times.setdefault(data.shards.index(epoch), np.zeros(len(dataset), dtype=int))
        seen += np.bincount(drawn, minlength=len(dataset))
        streams = np.split(seen, [dataset.pairs] if 0 < dataset.pairs < len(seen) else [])
        assert all(np.ptp(stream) <= 1 for stream in streams)
    assert min(seen.min() for seen in times.values()) >= 1


@pytest.mark.parametrize(
    ("pairs", "chosen", "expected"),
    [
        (("de-en", "en-fr"), None, "en"),
        (("de-fr", "fr-ro"), None, "fr"),
        (("de-fr",), None, None),  # both languages are in all pairs
        (("de-fr",), "de", "de"),
        (("de-fr", "en-ro"), None, None),
    ],
)
def test_the_pivot_is_english_or_the_language_that_all_pairs_share(pairs, chosen, expected):
    assert pivot_language(pairs, chosen) == expected


def test_texts_without_a_sentence_are_not_data(folder):
    for name in ("train.en-ro.en", "train.en-ro.ro", "train.fr"):
        write(folder / name, [])
    made = PretrainingData(folder).dataset(StreamsDataset, "train", Reader({"bitext", "mono"}, positions=40))
    assert len(made.bitext.corpora) == 1 and made.mono is None
    with pytest.raises(XalignError, match="no data-bin is given"):
        PretrainingData(":")


def test_a_split_without_needed_data_is_named(folder):
    with pytest.raises(XalignError, match=r"the split has nothing[\s\S]*valid[\s\S]*with validpref or read"):
        PretrainingData(folder).dataset(StreamsDataset, "valid", Reader({"bitext"}))
