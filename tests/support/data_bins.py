"""A small data-bin with its tokenizer."""

import numpy
import sentencepiece

from support.text import sentencepiece_model
from xalign_fairseq.data.mmap import MMapWriter
from xalign_fairseq.data.tokenizers.dictionary import Dictionary

TEXT = ["the cat sees the dog", "the dog sees a cat", "a bird sees the cats", "dogs and birds and cats"] * 5


def train_model():
    """The bytes of a sentencepiece model."""
    return sentencepiece_model(TEXT, vocab_size=40)


def symbols_of(model):
    """Its pieces without special ones."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [processor.id_to_piece(i) for i in range(3, processor.get_piece_size())]


def write_data_bin(folder, model):
    """A data-bin of one bitext with the dictionary of a sentencepiece model."""
    folder.mkdir()
    (folder / "sentencepiece.model").write_bytes(model)
    Dictionary(symbols_of(model)).save(folder / "dict.txt")
    for lang, items in (("en", [[4, 5, 2], [6, 2]]), ("de", [[7, 2], [8, 9, 2]])):
        with MMapWriter(folder / f"train.en-de.{lang}", numpy.uint16) as writer:
            for item in items:
                writer.add(item)
    return folder


def only(findings, level="WRONG"):
    """The line of the only finding of a level."""
    (found,) = [finding for finding in findings if finding.level == level]
    return found.line()
