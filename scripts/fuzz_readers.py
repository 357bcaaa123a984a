"""Readers of JSON, checkpoints, data-bins and packed files, with an example of each, for fuzz.py."""

import bz2
import contextlib
import gzip
import io
import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import torch
from fuzz_texts import Reader, annotation_readers, of_file, text_readers

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import tokenizer_state

CONFIG = {"encoder_layers": 2, "encoder_embed_dim": 8, "encoder_ffn_embed_dim": 12, "encoder_attention_heads": 2}
SENTENCES = ["the red house", "a small cat sleeps", "das rote Haus", "la maison rouge est grande"] * 20


def all_readers(work: Path) -> list[Reader]:
    """Every reader; ``folder`` holds the examples that the package itself makes."""
    return [*text_readers(), *json_readers(work), *binary_readers(work), *packed_readers(), *annotation_readers()]


def make_data_bin(work: Path) -> Path:
    """A small data-bin with bitext, links and its own tokenizer."""
    from xalign_fairseq.data.prepare.prepare import prepare
    from xalign_fairseq.data.prepare.sources import PairSource, PrepareOptions

    made = work / "data-bin"
    if not made.is_dir():
        sides = [work / f"text.{language}" for language in ("de", "en")]
        for path in sides:
            path.write_text("".join(f"{line}\n" for line in SENTENCES), encoding="utf-8")
        links = work / "text.links"
        links.write_text("0-0 1-1\n" * len(SENTENCES))
        source = PairSource("train", "de", "en", str(sides[0]), str(sides[1]), str(links))
        with contextlib.redirect_stderr(io.StringIO()):
            prepare(PrepareOptions(destdir=str(made), pairs=(source,), vocab_size=60, workers=1))
    return made


def make_checkpoint(data: Any) -> dict[str, Any]:
    """The content of a small checkpoint with the tokenizer of a data-bin, and a pointer."""
    torch.manual_seed(1)
    encoder = Encoder(EncoderConfig(data.dictionary.embedding_size, max_positions=20, **CONFIG))
    model = {f"encoder.{name}": value for name, value in encoder.state_dict().items()}
    for name in ("query", "key"):
        model[f"heads.dwa.pointer.{name}.weight"] = torch.eye(8)
        model[f"heads.dwa.pointer.{name}.bias"] = torch.zeros(8)
    return {
        "model": model,
        "cfg": {"model": {**CONFIG, "max_positions": 20}, "task": {"data": str(data.path)}},
        "task_state": {"tokenizer": tokenizer_state(data.dictionary, data.tokenizer_model), "family": "none"},
        "optimizer_history": [{"num_updates": 3}],
        "extra_state": {"best": 0.5},
    }


def json_readers(work: Path) -> list[Reader]:
    """Formats of JSON."""
    from xalign_fairseq.aligner.training.model import RunFolder
    from xalign_fairseq.core.json_files import read_json
    from xalign_fairseq.data.databin import DataBin
    from xalign_fairseq.data.shards import changed_files
    from xalign_fairseq.data.tokenizers.tokenizer_model import read_model
    from xalign_fairseq.encoder.pretrained.huggingface.importing import read_config
    from xalign_fairseq.encoder.pretrained.huggingface.tokenizer_json import added_tokens, read_unigram
    from xalign_fairseq.encoder.pretrained.huggingface.vocabularies import read_vocabulary
    from xalign_fairseq.encoder.pretrained.huggingface.weights import read_weights, write_tensors
    from xalign_fairseq.trainer.report.page import report_page
    from xalign_fairseq.trainer.report.trained_run import read_run
    from xalign_fairseq.transfer.results import RunResult
    from xalign_fairseq.transfer.run_spec import RunSpec
    from xalign_fairseq.transport.linking import Linking

    def as_json(content: Any) -> bytes:
        return json.dumps(content).encode()

    bert = {
        "model_type": "bert", "vocab_size": 12, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
        "intermediate_size": 12, "max_position_embeddings": 20, "hidden_act": "gelu", "layer_norm_eps": 1e-12,
    }  # fmt: skip
    symbols = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "red", "##s", "a", "b", "c", "d"]
    wordpiece = {
        "model": {"type": "WordPiece", "vocab": {symbol: i for i, symbol in enumerate(symbols)}},
        "normalizer": {
            "type": "BertNormalizer",
            "lowercase": True,
            "strip_accents": None,
            "handle_chinese_chars": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "added_tokens": [{"id": 0, "content": "[PAD]"}],
    }
    pieces = [["<s>", 0.0], ["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0], ["▁the", -2.0], ["▁", -3.0], ["a", -4.0]]
    unigram = {
        "model": {"type": "Unigram", "vocab": [*pieces, ["<mask>", 0.0]], "unk_id": 3},
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": ""},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
        "added_tokens": [{"id": 7, "content": "<mask>"}],
    }
    result = {
        "format": 1, "checkpoint": "a", "task": "xnli", "benchmark": "xnli", "models": "one", "train_languages": ["en"],
        "seed": 12, "scores": {"de": {"accuracy": 0.5}}, "items": {"de": 10}, "signatures": {"de": {"accuracy": "x"}},
    }  # fmt: skip
    spec = {
        "format": 1, "checkpoint": "a", "checkpoint_digest": "b", "encoder": {"encoder_layers": 2}, "task": "xnli",
        "benchmark": "xnli", "family": "classification", "models": "one", "train_languages": ["en"],
        "valid_languages": ["en"], "seed": 1, "holdout": None, "code_switch": False, "settings": {}, "options": {},
        "train_examples": 3, "updates": 2, "warmup_updates": 1, "precision": "fp32",
        "digests": {"train": {"en": "x"}}, "place": {"checkpoint": "x", "data": "y", "cpu": True, "files": {}},
    }  # fmt: skip
    data = make_data_bin(work)
    manifest = (data / "manifest.json").read_bytes()
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    settings = {"lowercase": True, "strip_accents": None, "chinese_chars": True, "special_ids": [2, 0, 3, 1, 4]}
    shards = {}
    for name, shard in index["weight_map"].items():
        write_tensors(work / shard, {name: torch.zeros(2)})
        shards[shard] = (work / shard).read_bytes()

    now = "2026-11-23T05:00:00+00:00"
    session = {"command": "fairseq-train x", "data": [str(data)], "begun": now, "ended": now, "exit": 0}
    log = '2026-11-23 05:00:00 | INFO | train_inner | {"loss": "3.1", "num_updates": "1"}\n'
    shown = {"command": "fairseq-train x", "minutes": 2.5, "scores": {"de-en": {"aer": 0.3}}}
    records = {
        "training.json": as_json(
            {"sessions": [{**session, "commit": "a", "machine": "x", "versions": {"torch": "2"}}]}
        ),
        "run.json": as_json({"identity": {"seed": 1}, "before": 0.2}),
        "result.json": as_json(shown),
        "train.log": log.encode(),
    }

    def verify(folder: Path) -> None:
        opened = DataBin(data)
        opened.path = folder
        changed_files(opened)

    return [
        Reader("config.json", {"config.json": as_json(bert)}, read_config),
        Reader(
            "tokenizer.json, WordPiece",
            {
                "tokenizer.json": as_json(wordpiece),
                "tokenizer_config.json": b'{"do_lower_case": true}',
                "config.json": as_json(bert),
            },
            lambda folder: read_vocabulary(folder, read_config(folder)[0], 12),
            altered=2,
        ),
        of_file("tokenizer.json, Unigram", "tokenizer.json", as_json(unigram), read_unigram),
        Reader("added_tokens.json", {"added_tokens.json": b'{"<en>": 7}'}, added_tokens),
        Reader("index of weights", {"model.safetensors.index.json": as_json(index), **shards}, read_weights),
        Reader("manifest.json", {"manifest.json": manifest}, verify),
        of_file("WordPiece settings", "wordpiece.json", as_json(settings), read_model),
        Reader("result.json", {"result.json": as_json(result)}, RunResult.read),
        of_file("spec.json", "spec.json", as_json(spec), RunSpec.read),
        Reader(
            "run.json",
            {"run.json": as_json({"identity": {"seed": 1}, "before": 0.2})},
            lambda folder: RunFolder(folder).begun({"seed": 1}),
        ),
        Reader("a run's records", records, lambda folder: report_page(read_run(folder)), altered=3),
        of_file(
            *("labelling of a checkpoint", "labelling.json", as_json(Linking("argmax", layers=(1,)).state())),
            lambda path: Linking.from_state(read_json(path, dict[str, Any])),
        ),
    ]


def binary_readers(work: Path) -> list[Reader]:
    """Checkpoints, weights, sentencepiece models, mmap files."""
    # Import before memory is bounded.
    from xalign_fairseq.data.databin import DataBin
    from xalign_fairseq.data.tokenizers.model_proto import read_pieces
    from xalign_fairseq.data.tokenizers.tokenizer import load_sentencepiece
    from xalign_fairseq.encoder.pretrained.diagnosis import look_at  # noqa: F401
    from xalign_fairseq.encoder.pretrained.huggingface.weights import read_tensors, write_tensors
    from xalign_fairseq.encoder.pretrained.reading import open_model

    data = make_data_bin(work)
    bitext = {path.name: path.read_bytes() for path in sorted(data.glob("train.de-en.*"))}
    symbols = {name: (data / name).read_bytes() for name in ("dict.txt", "sentencepiece.model")}
    model = make_checkpoint(DataBin(data))
    buffer = io.BytesIO()
    torch.save(model, buffer)
    write_tensors(work / "a.safetensors", {"a": torch.arange(6.0).view(2, 3), "b": torch.zeros(3)})
    spm = (data / "sentencepiece.model").read_bytes()

    def read_bitext(folder: Path) -> None:
        found = DataBin(folder)
        src, tgt = found.pair("train", "de", "en")
        links = found.links("train", "de", "en")
        for i in range(min(len(src), 20)):
            src[i], tgt[i]
            if links is not None:
                links[i]

    def read_checkpoint(folder: Path) -> None:
        model = open_model(folder / "model.pt")
        model.tokenizer.encode("the red house")
        checkpoint.updates_of(folder / "model.pt")
        if any(name.startswith("heads.dwa.") for name in model.heads):
            model.pointer()

    return [
        Reader("data-bin, bitext with links", {**bitext, **symbols}, read_bitext, altered=len(bitext)),
        Reader("checkpoint", {"model.pt": buffer.getvalue()}, read_checkpoint),
        of_file("safetensors", "a.safetensors", (work / "a.safetensors").read_bytes(), read_tensors),
        of_file("sentencepiece model", "a.model", spm, lambda path: load_sentencepiece(path).encode("the red")),
        of_file("sentencepiece model, pieces", "a.model", spm, lambda path: read_pieces(path.read_bytes())),
    ]


def packed_readers() -> list[Reader]:
    """Archives of arrays, compressed texts and texts within other files."""
    from xalign_fairseq.core.array_files import ArrayForm, read_arrays
    from xalign_fairseq.core.text.containers import open_text
    from xalign_fairseq.core.text.lines import read_lines
    from xalign_fairseq.evaluation.published import COLUMNS, read_published

    arrays = io.BytesIO()
    np.savez_compressed(arrays, a=np.arange(5), b=np.ones((2, 3), np.float32))
    form = {"a": ArrayForm(np.integer, 1), "b": ArrayForm(np.floating, 2)}
    units = "".join(
        f"<tu><tuv xml:lang='en'><seg>{a} <ph>x</ph></seg></tuv><tuv xml:lang='de'><seg>{b}</seg></tuv></tu>"
        for a, b in (("red", "rot"), ("house", "Haus"))
    )
    text = b"the red house\n\nb c\n"
    figures = "\t".join(COLUMNS) + "\n" + "\t".join("1" * len(COLUMNS)) + "\n"

    def part(path: Path, suffix: str) -> None:
        with open_text(f"{path}#{suffix}") as stream:
            stream.read()

    return [
        of_file("arrays (npz)", "a.npz", arrays.getvalue(), lambda path: read_arrays(path, form)),
        *(
            of_file(f"text ({name})", f"a.{name}", packed, lambda path: list(read_lines(path)))
            for name, packed in (("xz", lzma.compress(text)), ("gz", gzip.compress(text)), ("bz2", bz2.compress(text)))
        ),
        of_file("text within TMX", "a.tmx", f"<tmx><body>{units}</body></tmx>".encode(), lambda path: part(path, "de")),
        of_file("column of a table", "a.tsv", b"a b\tx\r\nc\ty\n", lambda path: part(path, "2")),
        of_file("published figures", "a.tsv", figures.encode(), read_published),
    ]
