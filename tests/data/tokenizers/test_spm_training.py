import pytest
import sentencepiece

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.data.tokenizers import spm_training
from xalign_fairseq.data.tokenizers.spm_training import train_sentencepiece


@pytest.fixture
def files(bitext):
    return [scan(bitext / f"train.{lang}") for lang in ("en", "el")]


def pieces(model):
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [processor.id_to_piece(i) for i in range(processor.get_piece_size())]


def test_a_model_has_xlm_rs_form_and_the_letters_of_all_texts(files):
    model = train_sentencepiece(files, 90, seed=1)
    found = pieces(model)
    assert found[:3] == ["<unk>", "<s>", "</s>"] and len(found) == 90
    assert set("abcαβγ▁.") <= {letter for piece in found for letter in piece}
    assert sentencepiece.SentencePieceProcessor(model_proto=model).normalize("ａｂ  ﬁ") == "▁ab▁fi"  # NFKC


def test_the_text_decides_and_the_seed_only_where_lines_are_drawn(files, monkeypatch):
    model = train_sentencepiece(files, 90, seed=1)
    assert model == train_sentencepiece(files, 90, seed=2)  # all lines are used: nothing is sampled
    assert model != train_sentencepiece(files[:1], 90, seed=1)
    monkeypatch.setattr(spm_training, "MAX_SENTENCES", 500)
    drawn = train_sentencepiece(files, 90, seed=1)
    assert drawn == train_sentencepiece(files, 90, seed=1)
    assert drawn != train_sentencepiece(files, 90, seed=2)
    assert drawn != model


@pytest.mark.parametrize("most", [7, 1000])
def test_lines_are_drawn_without_return_from_all_files_and_empty_ones_left_out(files, tmp_path, monkeypatch, most):
    seen, model = [], train_sentencepiece(files, 90, seed=1)

    def train(sentence_iterator, model_writer, **options):
        seen.extend(sentence_iterator)
        model_writer.write(model)

    monkeypatch.setattr(spm_training.sentencepiece.SentencePieceTrainer, "train", train)
    monkeypatch.setattr(spm_training, "MAX_SENTENCES", most)
    for name in "ab":
        (tmp_path / name).write_text("".join(f"{name}{k}\n" for k in range(10)) + "\n")
    train_sentencepiece([scan(tmp_path / name) for name in "ab"], 90, seed=1)
    everything = [f"{name}{k}" for name in "ab" for k in range(10)]
    assert seen == [line for line in everything if line in seen]  # in order, each once
    assert len(seen) == (20 if most == 1000 else pytest.approx(6, abs=1)) and {line[0] for line in seen} == {"a", "b"}


def test_a_vocabulary_larger_than_the_text_yields_is_smaller_and_one_too_small_an_error(files, caplog):
    train_sentencepiece(files, 90, seed=1)
    assert not caplog.messages
    made = len(pieces(train_sentencepiece(files[:1], 100_000, seed=1)))
    assert made < 5000
    assert caplog.messages == [f"the text has too few words for 100000 pieces: the vocabulary has {made}"]
    with pytest.raises(XalignError, match=r"(?s)could not train.*train\.en.*vocab_size"):
        train_sentencepiece(files[:1], 5, seed=1)
