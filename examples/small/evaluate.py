#!/usr/bin/env python3
"""Measure a run of 1_train.sh: AER, sentence retrieval and alignment score, with counts of every test item.

usage: evaluate.py CHECKPOINT NAME BENCHMARK TEXT [--pair de-en] [--device auto] [--results FOLDER]

NAME is SETTING-SEED, or a setting without a seed (none, procrustes). BENCHMARK has gold/, bitext/ and dict/; TEXT/PAIR
is the bitext that 1_data.sh of the transfer study made, whose valid.* have silver links. Results are written to
results/runs/ as NAME.json and NAME.npz.

AER: encoding (joint or separate), layer and method (argmax, itermax, union) are those with the lowest AER on the silver
links, of equal ones the first; the gold test set is scored with these and, for comparison at one place, with each
encoding, the last layer and argmax. Retrieval: Tatoeba, by the mean of the default layer and by the last layer's <s>.
Alignment score: dictionary pairs of two single words that differ and occur at least 5 times each in TEXT/PAIR/train.*.
A checkpoint with linear maps is measured with them: pairs are then encoded separately, and word embeddings go through
the encoder's layer norm first, since the map of layer 0 was learnt on what comes out of it.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for common

import study
from common import results
from common.training import training_record

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.neural.sweep import sweep_links
from xalign_fairseq.core.devices import choose_device
from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.version import __version__
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.mappings import apply_map, load_maps
from xalign_fairseq.encoder.sentence_vectors import default_retrieval_layer, sentence_vectors
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.evaluation.embedding_alignment import (
    BilingualDictionary,
    alignment_counts,
    rank_counts,
    word_vectors,
)
from xalign_fairseq.evaluation.retrieval import retrieval_counts
from xalign_fairseq.evaluation.signature import score_signature
from xalign_fairseq.links.aer import score, sentence_counts
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.links.pharaoh import Link
from xalign_fairseq.transport.linking import Linking

METHODS = ("argmax", "itermax", "union")
ISO3 = {"ar": "ara", "cs": "ces", "de": "deu", "en": "eng", "es": "spa", "fr": "fra", "hi": "hin", "ru": "rus"}
OCCURRENCES = 5
ENCODINGS = ("joint", "separate")
Counts = dict[str, np.ndarray]
Place = tuple[str, int, str]  # where links are read: encoding, layer, method


class Model:
    """A checkpoint, with what each measure reads of it."""

    def __init__(self, path: Path, languages: tuple[str, str], device: str):
        self.languages = languages
        state = checkpoint.read(path)
        encoder, heads = checkpoint.load_encoder(state, path)
        self.encoder = encoder.to(choose_device(device))
        self.tokenizer = load_tokenizer(state, self.encoder.config.vocab_size, where=path)
        maps = load_maps(heads)
        self.maps = None if maps is None else maps.to(choose_device(device))
        self.layers = self.encoder.config.encoder_layers

    def aligner(self, encoding: str) -> Aligner:
        """Reads the pair's files; with maps, through them."""
        linking = Linking(encoding=encoding)
        return Aligner(self.encoder, self.tokenizer, linking, maps=self.maps, languages=self.languages)

    def encodings(self) -> Sequence[str]:
        """Maps are of sentences that were encoded by themselves."""
        return ENCODINGS if self.maps is None else ("separate",)

    @torch.no_grad()
    def input_embeddings(self) -> torch.Tensor:
        """(V, H); with maps normalised as those of layer 0 were learnt, though without positions."""
        encoder = self.encoder.sentence_encoder
        embeddings = encoder.embed_tokens.weight.detach()
        return embeddings if self.maps is None else encoder.layernorm_embedding(embeddings)

    def mapped(self, vectors: torch.Tensor, lang: str, layer: int) -> torch.Tensor:
        """Vectors (N, H) that are linear in a layer's states, in the space that both languages share."""
        maps = None if self.maps is None else self.maps.of(lang)
        return vectors if maps is None else apply_map(vectors, maps[layer])


def measure_aer(model: Model, gold: Path, silver: Path) -> tuple[dict[str, Any], Counts]:
    """AER with the setting that is best on silver links, and with the common ones."""
    places = [
        (encoding, layer, method)
        for encoding in model.encodings()
        for layer in range(model.layers + 1)
        for method in METHODS
    ]
    links = align(model, silver, places)
    golds = read_gold(f"{silver}.links")
    silver_aer = {place: score(links[place], golds).aer for place in places}
    chosen = {"aer": min(places, key=silver_aer.__getitem__)}
    chosen |= {f"aer-{encoding}": (encoding, model.layers, "argmax") for encoding in model.encodings()}
    links = align(model, gold, list(dict.fromkeys(chosen.values())))
    golds = read_gold(f"{gold}.gold")
    record, counts = {}, {}
    for name, place in chosen.items():
        table = sentence_counts(links[place], golds)
        counts[name] = np.array([(c.hits_sure, c.hits_possible, c.links, c.sure) for c in table])
        encoding, layer, method = place
        signature = score_signature(
            linking=Linking("transport", {"filter": method}, (layer,), "hidden", encoding),
            languages=None if model.maps is None else model.languages,
        )
        record[name] = {"encoding": encoding, "layer": layer, "method": method,
                        "silver_aer": round(silver_aer[place], 4), "signature": signature}  # fmt: skip
    return record, counts


def align(model: Model, files: Path, places: Sequence[Place]) -> dict[Place, list[set[Link]]]:
    """Links of the pairs of ``files``.{src,tgt} at every place, from one pass for each encoding."""
    found = {}
    for encoding in dict.fromkeys(place[0] for place in places):
        mine = [place for place in places if place[0] == encoding]
        settings = [Linking("transport", {"filter": method}, (layer,)) for _, layer, method in mine]
        sides = (read_lines(f"{files}.{lang}") for lang in model.languages)
        links = sweep_links(model.aligner(encoding), zip(*sides, strict=True), settings)
        found |= dict(zip(mine, links, strict=True))
    return found


def measure_retrieval(model: Model, files: Path, foreign: str) -> tuple[dict[str, Any], Counts]:
    """Counts of every search, by the mean of the default layer and by ``<s>`` of the last."""
    record, counts = {}, {}
    default = default_retrieval_layer(model.layers)
    languages = (foreign, "en")
    rows = model.encoder.config.side_rows(languages) or (None, None)
    for ending, layer, pooling in (("", default, "mean"), ("-cls", model.layers, "cls")):
        sides = [
            model.mapped(
                sentence_vectors(
                    model.encoder,
                    model.tokenizer,
                    list(read_lines(f"{files}.{lang}")),
                    layer,
                    pooling=pooling,
                    language_row=row,
                ),
                lang,
                layer,
            )
            for lang, row in zip(languages, rows, strict=True)
        ]
        counts |= {f"{name}{ending}": table for name, table in retrieval_counts(*sides).items()}
        record[f"accuracy{ending}"] = {"layer": layer, "pooling": pooling}
    return record, counts


def measure_alignment_score(model: Model, pairs: BilingualDictionary, foreign: str) -> tuple[dict[str, Any], Counts]:
    """Counts of dictionary words in both directions, from input embeddings."""
    embeddings = model.input_embeddings()
    english, other = (
        model.mapped(word_vectors(embeddings, model.tokenizer, words), lang, 0)
        for words, lang in ((pairs.src, "en"), (pairs.tgt, foreign))
    )
    directions = (("", english, other, pairs.to_tgt), ("-to-en", other, english, pairs.to_src))
    counts = {}
    for ending, *vectors, golds in directions:
        counts[f"alignment{ending}"] = alignment_counts(*vectors, golds)
        counts[f"alignment-rank{ending}"] = rank_counts(*vectors, golds)
    return {"alignment": {"en": len(pairs.src), foreign: len(pairs.tgt)}}, counts


def read_dictionary(path: Path, english: Path, foreign: Path) -> BilingualDictionary:
    """Pairs (English, foreign) of single words that differ, both of which the text has often enough."""
    known = [
        {
            word
            for word, count in Counter(word for line in read_lines(file) for word in line.split()).items()
            if count >= OCCURRENCES
        }
        for file in (english, foreign)
    ]
    pairs = [line.split("\t") for line in read_lines(path, table=True)]
    return BilingualDictionary.collect(
        (first, second)
        for first, second in pairs
        if first in known[0]
        and second in known[1]
        and first.isalpha()
        and second.isalpha()
        # Equal words have equal subwords, so that nothing had to be learnt.
        and first.lower() != second.lower()
    )


def how_trained(setting: str, folder: Path) -> dict[str, Any]:
    """What is known of a run from its folder: all that 1_train.sh leaves there, of what has no seed less."""
    if setting not in study.WITHOUT_SEED:
        return training_record(folder)
    record = {"command": "", "commit": "", "updates": 0, "tokens": 0, "minutes": 0.0, "machine": ""}
    file = folder / "run.json"
    # The encoder itself was not continued: how it was trained is not this study's.
    known = setting != "none" and file.exists()
    return record | (read_json(file) if known else {})


def read_pair(pair: str) -> tuple[tuple[str, str], str]:
    """The languages of SRC-TGT, and the one of them that is not English."""
    languages = tuple(pair.split("-"))
    foreign = [lang for lang in languages if lang != "en"]
    if len(languages) != 2 or len(foreign) != 1 or foreign[0] not in ISO3:
        raise XalignError(
            "the study can't measure this pair",
            parameter="pair",
            found=pair,
            expected=f"SRC-TGT, of which one is en and the other one of {', '.join(sorted(set(ISO3) - {'en'}))}",
        )
    return languages, foreign[0]


def measure(args: argparse.Namespace) -> None:
    """Take all measures and write them."""
    setting, seed = study.split_name(args.name)
    languages, foreign = read_pair(args.pair)
    text, tatoeba = args.text / args.pair, args.benchmark / f"bitext/tatoeba-laser-test/en-{foreign}"
    pairs = read_dictionary(
        args.benchmark / f"dict/freedict/eng-{ISO3[foreign]}.tsv", text / "train.en", text / f"train.{foreign}"
    )
    model = Model(args.checkpoint, languages, args.device)
    parts = [
        measure_aer(model, args.benchmark / f"gold/simalign-testsets/{args.pair}", text / "valid"),
        measure_retrieval(model, tatoeba, foreign),
        measure_alignment_score(model, pairs, foreign),
    ]
    how = {name: value for record, _ in parts for name, value in record.items()}
    counts = {name: table for _, found in parts for name, table in found.items()}
    record = how_trained(setting, args.checkpoint.parent) | {
        "name": args.name, "setting": setting, "seed": seed, "pair": args.pair, "version": __version__, "how": how,
    }  # fmt: skip
    run = study.Run(record, counts)
    record["scores"] = {name: round(run.score(name), 4) for name in counts}
    results.write(study.place(args.results, args.name), record, counts)
    headlines = ", ".join(f"{label} {100 * run.score(name):.2f}" for name, label in study.HEADLINES.items())
    chosen = ", ".join(str(how["aer"][key]) for key in ("encoding", "layer", "method"))
    print(f"{args.name}: {headlines}; AER at {chosen}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--pair", default="de-en", help="SRC-TGT; one of them is en (default: %(default)s)")
    parser.add_argument(
        "--device", choices=("auto", "cpu", "cuda"), default="auto", help="default: CUDA if there is one"
    )
    parser.add_argument("--results", type=Path, default=study.RESULTS, help="default: the study's")
    args = parser.parse_args()
    return exit_code(lambda: measure(args))


if __name__ == "__main__":
    sys.exit(main())
