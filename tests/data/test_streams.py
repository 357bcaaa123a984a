from collections import Counter

import numpy as np
import pytest
from support.text import write

from xalign_fairseq.data import streams
from xalign_fairseq.data.streams import BitextStream, Corpus, MonoStream, exchange


@pytest.fixture
def stream(tmp_path):
    corpora = []
    for number, size in enumerate((30, 10)):
        src = write(tmp_path / f"{number}.a", [[10 + number] * (1 + i % 5) + [2] for i in range(size)])
        tgt = write(tmp_path / f"{number}.b", [[20 + number] * (1 + i % 3) + [2] for i in range(size)])
        corpora.append(Corpus(number, src, tgt))
    return BitextStream(corpora, max_length=100)


def test_an_epoch_at_temperature_one_has_every_pair_once_in_each_direction(stream):
    items, dropped = stream.epoch(seed=1, epoch=3)
    assert dropped == 0 and sorted(items) == list(range(80))
    corpus, rows, exchanged = stream.locate(items)
    assert Counter(zip(corpus.tolist(), exchanged.tolist(), strict=True)) == {
        (0, False): 30,
        (0, True): 30,
        (1, False): 10,
        (1, True): 10,
    }
    assert rows.max() == 29


def test_temperature_favours_the_small_corpus_and_short_epochs_continue(stream):
    items, _ = stream.epoch(1, 1, temperature=1e6, items=40)
    assert Counter(stream.locate(items)[0].tolist()) == {0: 20, 1: 20}
    assert sorted(np.concatenate([stream.epoch(1, epoch, items=20)[0] for epoch in (1, 2, 3, 4)])) == list(range(80))


def test_an_exchanged_item_has_its_sides_and_links_exchanged(stream):
    straight, turned = stream[8], stream[9]
    assert (straight.src == turned.tgt).all() and (straight.tgt == turned.src).all()
    straight.src_words, straight.tgt_words = np.array([0, 1]), np.array([0])
    straight.links = np.array([[1, 0, 1]])
    assert exchange(straight).links.tolist() == [[0, 1, 1]]
    corpus = stream.corpora[0]
    stream = BitextStream([Corpus(0, corpus.src, corpus.tgt, langs=(4, 2))], max_length=100)
    assert stream[0].langs == (4, 2) and stream[1].langs == (2, 4)


def test_mono_blocks_cover_the_text_once(tmp_path):
    text = [[*range(4 + i, 9 + i), 2] for i in range(10)]
    stream = MonoStream([write(tmp_path / "m", text)], length=8)
    blocks = [stream[i] for i in range(len(stream))]
    assert max(map(len, blocks)) == 7  # <s> makes it eight
    assert np.concatenate(blocks).tolist() == [token for sentence in text for token in sentence]
    assert sorted(stream.draw(seed=1, start=0, count=len(stream))) == list(range(len(stream)))


def test_mono_draws_are_by_temperature_and_a_longer_draw_begins_with_the_shorter_one(tmp_path):
    stream = MonoStream([write(tmp_path / f"m{n}", [[5] * n]) for n in (7000, 700)], length=8)
    drawn = stream.draw(1, 0, 5000, temperature=1.0)
    assert (drawn >= stream.offsets[1]).mean() == pytest.approx(1 / 11, abs=0.02)
    assert (stream.draw(1, 0, 5000, temperature=1e9) >= stream.offsets[1]).mean() == pytest.approx(0.5, abs=0.03)
    assert (stream.draw(1, 0, 77) == drawn[:77]).all()
    assert (stream.draw(2, 0, 77) != drawn[:77]).any()


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_mono_draws_from_any_place_are_those_of_the_whole_stream(temperature, tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "CHUNK", 50)
    stream = MonoStream([write(tmp_path / f"m{n}", [[5] * n]) for n in (700, 210, 77)], length=8)
    for seed in range(3):
        whole = stream.draw(seed, 0, 600, temperature)
        for start, count in ((0, 40), (50, 50), (173, 300), (599, 1)):
            assert (stream.draw(seed, start, count, temperature) == whole[start : start + count]).all()
        for number, size in enumerate(stream.counts):  # each language runs through all its blocks, pass by pass
            items = whole[(whole >= stream.offsets[number]) & (whole < stream.offsets[number + 1])]
            passes = np.split(items, range(size, len(items), size))
            assert len(passes) > 1 and all(len(set(each)) == len(each) for each in passes)


def test_pairs_with_a_side_outside_the_limits_are_left_out_and_counted(stream):
    sides = stream.sides(np.arange(len(stream)))
    assert sides[:8].tolist() == [[1, 1], [1, 1], [2, 2], [2, 2], [3, 3], [3, 3], [4, 1], [4, 1]]
    assert (stream.lengths(np.arange(len(stream))) == sides.sum(1) + 3).all()
    stream.side_lengths = (2, 4)
    items, dropped = stream.all()
    inside = (sides >= 2).all(1) & (sides <= 4).all(1)
    assert items.tolist() == np.flatnonzero(inside).tolist() and dropped == (~inside).sum() > 0
