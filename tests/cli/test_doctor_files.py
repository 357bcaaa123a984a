"""What ``xalign doctor`` finds in data-bin folders and checkpoints."""

import argparse
import io

import numpy
import pytest
import sentencepiece
import torch

from xalign_fairseq.cli import _doctor_files
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.mmap import MMapWriter
from xalign_fairseq.data.prepare.manifest import hashes
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder

TEXT = ["the cat sees the dog", "the dog sees a cat", "a bird sees the cats", "dogs and birds and cats"] * 5


def train_model():
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT), model_writer=model, vocab_size=40, hard_vocab_limit=False, minloglevel=2
    )
    return model.getvalue()


def symbols_of(model):
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [processor.id_to_piece(i) for i in range(3, processor.get_piece_size())]


@pytest.fixture(scope="module")
def model():
    return train_model()


@pytest.fixture
def data_bin(tmp_path, model):
    folder = tmp_path / "data-bin"
    folder.mkdir()
    (folder / "sentencepiece.model").write_bytes(model)
    Dictionary(symbols_of(model)).save(folder / "dict.txt")
    for lang, items in (("en", [[4, 5, 2], [6, 2]]), ("de", [[7, 2], [8, 9, 2]])):
        with MMapWriter(folder / f"train.en-de.{lang}", numpy.uint16) as writer:
            for item in items:
                writer.add(item)
    return folder


@pytest.fixture
def checkpoint(tmp_path, model):
    def save(vocab_size, **changes):
        encoder = Encoder(
            EncoderConfig(vocab_size, encoder_layers=1, encoder_embed_dim=8, encoder_ffn_embed_dim=8,
                          encoder_attention_heads=2, max_positions=16)
        )  # fmt: skip
        state = {
            "args": argparse.Namespace(encoder_attention_heads=2, data=None),
            "model": {f"encoder.{name}": weight for name, weight in encoder.state_dict().items()},
        }
        torch.save(state | changes, tmp_path / "checkpoint.pt")
        return str(tmp_path / "checkpoint.pt")

    return save


def levels(findings):
    return [finding.level for finding in findings]


def only(findings, level="WRONG"):
    (found,) = [finding for finding in findings if finding.level == level]
    return str(found)


def test_an_id_beyond_the_dictionary(data_bin):
    size = len(DataBin(data_bin).dictionary)
    with MMapWriter(data_bin / "valid.en", numpy.uint16) as writer:
        writer.add([4, size, 5, 2])
    found = only(_doctor_files.look_at([str(data_bin)]))
    assert f"id {size} in" in found
    assert f"has {size} symbols" in found
    with MMapWriter(data_bin / "valid.en", numpy.uint16) as writer:
        writer.add([4, size - 1, 5, 2])
    assert "WRONG" not in levels(_doctor_files.look_at([str(data_bin)]))


def test_a_bad_id_after_the_first_chunk(data_bin, monkeypatch):
    monkeypatch.setattr(_doctor_files, "CHUNK", 2)
    with MMapWriter(data_bin / "valid.en", numpy.uint16) as writer:
        writer.add([4, 5, 6, 7, 9999])
    assert "id 9999" in only(_doctor_files.look_at([str(data_bin)]))


def test_a_truncated_file(data_bin):
    path = data_bin / "train.en-de.de.bin"
    path.write_bytes(path.read_bytes()[:-2])
    found = only(_doctor_files.look_at([str(data_bin)]))
    assert "truncated" in found
    assert "8 bytes" in found


def test_files_are_compared_with_the_manifest(data_bin):
    def look():
        [found] = [each for each in _doctor_files.look_at([str(data_bin)]) if each.topic == f"{data_bin} files"]
        return found

    assert look().level == "note"
    write_json(data_bin / "manifest.json", {"files": hashes(data_bin)})
    assert look().level == "ok" and "all 6 files" in look().text
    raw = bytearray((data_bin / "train.en-de.en.bin").read_bytes())
    raw[0] ^= 1  # an id that is still one of the dictionary's
    (data_bin / "train.en-de.en.bin").write_bytes(raw)
    assert look().level == "WRONG" and "train.en-de.en.bin has another content" in look().text


def test_a_folder_without_data(tmp_path):
    Dictionary(["a"]).save(tmp_path / "dict.txt")
    assert "no mmap data" in only(_doctor_files.look_at([str(tmp_path)]))


@pytest.mark.parametrize(
    ("symbols", "level", "text"),
    [
        (lambda pieces: pieces, "ok", "all in the dictionary"),
        (lambda pieces: [*pieces, "<mask>", "madeupword0000"], "ok", "all in the dictionary"),
        (lambda pieces: pieces[:-3], "note", "3 are not in the dictionary"),
        (lambda pieces: [piece.upper() for piece in pieces], "WRONG", "are no pieces"),
    ],
    ids=["same", "padded", "smaller", "foreign"],
)
def test_dictionary_against_tokenizer(model, symbols, level, text):
    finding = _doctor_files.tokenizer("here", model, Dictionary(symbols(symbols_of(model))))
    assert finding.level == level
    assert text in finding.text


def test_what_is_no_tokenizer(model):
    assert _doctor_files.tokenizer("here", b"not a model", Dictionary(["a"])).level == "WRONG"
    assert _doctor_files.tokenizer("here", None, Dictionary(["a"])).level == "note"


def test_an_encoder_of_another_size(data_bin, checkpoint):
    rows = DataBin(data_bin).dictionary.embedding_size
    found = only(_doctor_files.look_at([checkpoint(rows + 8), str(data_bin)]))
    assert f"found: {rows + 8} embeddings" in found
    assert f"expected: {rows}" in found


def test_a_checkpoint_that_carries_its_tokenizer(data_bin, checkpoint, model):
    own = Dictionary(symbols_of(model))
    stored = {"symbols": own.symbols, "sentencepiece": torch.frombuffer(bytearray(model), dtype=torch.uint8)}
    path = checkpoint(own.embedding_size, task_state={"tokenizer": stored})
    assert levels(_doctor_files.look_at([path])) == ["ok", "ok", "ok"]
    Dictionary(list(reversed(symbols_of(model)))).save(data_bin / "dict.txt")  # as many symbols, in another order
    assert "but other ones" in only(_doctor_files.look_at([path, str(data_bin)]))


def test_the_data_bin_that_a_checkpoint_was_trained_on(data_bin, checkpoint):
    args = argparse.Namespace(encoder_attention_heads=2, data=f"/gone:{data_bin}")
    path = checkpoint(7, args=args)
    assert f"dictionary of {data_bin}" in only(_doctor_files.look_at([path]))
    args.data = "/gone"
    assert "no dictionary to compare" in only(_doctor_files.look_at([checkpoint(7, args=args)]), "note")


def test_weights_that_are_not_finite(checkpoint):
    weights = torch.load(checkpoint(7), weights_only=False)["model"]
    weights["encoder.sentence_encoder.layers.0.fc1.bias"][0] = float("nan")
    assert "layers.0.fc1.bias" in only(_doctor_files.look_at([checkpoint(7, model=weights)]))


def test_a_file_that_is_no_checkpoint(tmp_path):
    (tmp_path / "model.pt").write_text("hello")
    assert "not a checkpoint" in only(_doctor_files.look_at([str(tmp_path / "model.pt")]))
