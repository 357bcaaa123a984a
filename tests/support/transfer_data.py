"""Transfer tasks: synthetic examples of every family, a study that no test trains, and finished runs."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
import torch

from support.text import encoder_state, sentencepiece_model
from xalign_fairseq.data.tokenizers.tokenizer import dictionary_of_model, load_sentencepiece
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.evaluation.signature import task_signature
from xalign_fairseq.transfer.benchmarks import BENCHMARKS
from xalign_fairseq.transfer.plan import Checkpoint

NOUNS = ["house", "cat", "dog", "tree", "river", "song", "king", "ship", "bread", "stone"]
VERBS = ["sees", "likes", "finds", "takes"]
ADJECTIVES = ["red", "old", "small", "green", "quick"]
NAMES = ["Ann", "Bob", "Rome", "Oslo"]
SIZES = {
    "encoder_layers": 2,
    "encoder_embed_dim": 32,
    "encoder_ffn_embed_dim": 64,
    "encoder_attention_heads": 2,
    "max_positions": 64,
}
UPOS = dict.fromkeys(NOUNS, "NOUN") | dict.fromkeys(VERBS, "VERB") | dict.fromkeys(ADJECTIVES, "ADJ")
UPOS |= dict.fromkeys(NAMES, "PROPN") | {"the": "DET", ".": "PUNCT"}


def sentence(rng: random.Random) -> list[tuple[str, int, str]]:
    """(word, head, relation) of each word: subject, verb, object, full stop."""
    subject = [(rng.choice(NAMES), 0, "nsubj")] if rng.random() < 0.5 else phrase(rng, "nsubj")
    verb = len(subject) + 1
    words = [*subject, (rng.choice(VERBS), 0, "root")]
    for offset, part in ((0, subject), (verb, [*phrase(rng, "obj"), (".", 0, "punct")])):
        if offset:
            words += part
        for i in range(offset, offset + len(part)):
            word, _, relation = words[i]
            noun = offset + len(part) - (1 if offset else 0)
            words[i] = (word, noun if relation in ("det", "amod") else verb, relation)
    return words


def phrase(rng: random.Random, relation: str) -> list[tuple[str, int, str]]:
    """A noun with its article and perhaps an adjective."""
    adjective = [(rng.choice(ADJECTIVES), 0, "amod")] if rng.random() < 0.5 else []
    return [("the", 0, "det"), *adjective, (rng.choice(NOUNS), 0, relation)]


def conllu(sentences: list[list[tuple[str, int, str]]]) -> str:
    """CoNLL-U."""
    rows = []
    for words in sentences:
        for i, (word, head, relation) in enumerate(words, 1):
            rows.append("\t".join([str(i), word, word, UPOS[word], "_", "_", str(head), relation, "_", "_"]))
        rows.append("")
    return "\n".join(rows) + "\n"


def write_data(folder: Path) -> Path:
    """``ud``, ``panx``, ``xnli`` and ``xquad`` with train, dev and test files in English and in "German"."""
    for number, (split, count) in enumerate((("train", 50), ("dev", 12), ("test", 12))):
        for language in ("en", "de"):
            rng = random.Random(f"{number} {language}")
            sentences = [sentence(rng) for _ in range(count)]
            treebank = {"en": "en_ewt", "de": "de_gsd"}[language]
            write(folder / f"ud/{treebank}-ud-{split}.conllu", conllu(sentences))
            entities = dict.fromkeys(NAMES[:2], "B-PER") | dict.fromkeys(NAMES[2:], "B-LOC")
            tagged = ["".join(f"{word}\t{entities.get(word, 'O')}\n" for word, *_ in s) for s in sentences]
            write(folder / f"panx/{split}-{language}.tsv", "\n".join(tagged))
            texts = [" ".join(word for word, *_ in s) for s in sentences]
            labels = [rng.choice(("entailment", "neutral", "contradiction")) for _ in texts]
            rows = [f"{a}\t{b}\t{label}\n" for a, b, label in zip(texts, reversed(texts), labels, strict=True)]
            write(folder / f"xnli/{split}-{language}.tsv", "".join(rows))
            if split == "test":
                write(folder / f"xquad/xquad.{language}.json", squad(texts, rng))
            elif language == "en":
                write(folder / f"xquad/{split}-v1.1.json", squad(texts, rng))
    return folder


def squad(texts: list[str], rng: random.Random) -> str:
    """SQuAD: which word follows this one?"""
    paragraphs = []
    for i, text in enumerate(texts):
        words = text.split()
        # SQuAD's normalisation removes articles and full stops
        at = rng.choice([i for i, word in enumerate(words[1:]) if word not in ("the", ".")])
        answer = {"text": words[at + 1], "answer_start": len(" ".join(words[: at + 1])) + 1}
        question = {"id": f"q{i}", "question": f"{at} {words[at]} ?", "answers": [answer]}
        paragraphs.append({"context": text, "qas": [question]})
    return json.dumps({"data": [{"title": "made up", "paragraphs": paragraphs}], "version": "1.1"})


def write(path: Path, text: str) -> None:
    """Write a file and its parent folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_encoder(path: Path) -> Path:
    """An untrained encoder as ``fairseq-train`` would save it, with its tokenizer."""
    rng = random.Random(0)
    lines = [" ".join(word for word, *_ in sentence(rng)) + f" {i % 10} ?" for i in range(300)]
    model = sentencepiece_model(lines, vocab_size=120)
    dictionary = dictionary_of_model(load_sentencepiece(model))
    torch.save(encoder_state(dictionary, model, SIZES, arch="xalign_tiny"), path)
    return path


@pytest.fixture
def write_run(tmp_path):
    """Write a run to ``tmp_path/runs`` from each language's counts of its items.

    Counts are (N, K) arrays by metric, or a list of 0 and 1 for benchmarks with accuracy; ``None`` is a test
    file without labels. ``digests`` gives languages another test file than the usual one;
    ``made_by`` is the origin of the run, which runs of earlier versions lack.
    """

    def write(
        checkpoint,
        counts,
        *,
        task="xnli",
        benchmark=None,
        train=("en",),
        models="one",
        seed=12,
        digests=(),
        made_by=None,
    ):
        metrics = BENCHMARKS[benchmark or task].metrics
        folder = tmp_path / "runs" / checkpoint / task / ("+".join(train) or "none") / str(seed)
        folder.mkdir(parents=True)
        items, scores, signatures, arrays = {}, {}, {}, {}
        for language, values in counts.items():
            if values is None:
                items[language] = 5
                continue
            if not isinstance(values, dict):
                values = {each.name: [(value, 1) for value in values] for each in metrics}
            tables = {name: np.array(table, dtype=np.float64) for name, table in values.items()}
            items[language] = len(tables[metrics[0].name])
            digest = dict(digests).get(language, "0123456789ab")
            scores[language] = {each.name: each.score(tables[each.name]) for each in metrics}
            signatures[language] = {
                each.name: task_signature(each, benchmark or task, digest, language=language) for each in metrics
            }
            arrays |= {f"{language}/{name}": table for name, table in tables.items()}
        result = {
            "format": 1,
            "checkpoint": checkpoint,
            "task": task,
            "benchmark": benchmark or task,
            "models": models,
            "train_languages": list(train),
            "seed": seed,
            "scores": scores,
            "items": items,
            "signatures": signatures,
        }
        if made_by is not None:
            result["made_by"] = made_by
        (folder / "spec.json").write_text("{}")
        (folder / "result.json").write_text(json.dumps(result))
        np.savez(folder / "counts.npz", **arrays)
        return folder

    return write


@pytest.fixture
def right():
    """A function that returns ``items`` answers, ``hits`` of them correct, in an order that the seed determines."""

    def answers(hits, items=20, seed=0):
        return np.random.default_rng(seed).permutation([1] * hits + [0] * (items - hits)).tolist()

    return answers


ENCODER = Checkpoint("enc", Path("/models/enc.pt"), EncoderConfig(60, 3, 16, 32, 2, 128), "0123456789ab")
STUDY = """
data: .
seeds: [3, 1]
defaults: {epochs: 2, batch_size: 4, lr: 1e-3, max_length: 32, overlap: 8}
tasks:
  pairs: {benchmark: xnli, languages: [en, de]}
"""


def write_pairs(path, count, labels=("entailment", "neutral")):
    """A file of sentence pairs with classes."""
    path.write_text("".join([f"the house {i}\ta tree {i}\t{labels[i % len(labels)]}\n" for i in range(count)]))


def with_task(extra, settings=""):
    """The study with more keys and settings of its task."""
    return STUDY.replace("languages: [en, de]}", f"languages: [en, de], {extra}, settings: {{{settings}}}}}")


def found(command, option):
    """The value of an option on a command line."""
    return command[command.index(option) + 1]
