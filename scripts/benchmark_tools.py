#!/usr/bin/env python3
"""Measure one word aligner of benchmark_aligner.py, in a process of its own: its peak memory is the process's.

usage: benchmark_tools.py simalign|awesome-align|xalign FOLDER cpu|cuda OUT.json

FOLDER holds the model, and the pairs as src.txt and tgt.txt. CPU-seconds are those of the whole process, which has one
thread; GPU-seconds are seconds on the clock. Loading is not timed. Links are Pharaoh lines, one for each pair.
"""

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from xalign_fairseq.aligner.sentence_pairs import SentencePairs, WordPair
from xalign_fairseq.files import atomic_write

LAYER = 8  # SimAlign's and awesome-align's default
WARM_UP = 2  # pairs that are aligned before the clock starts
SIMALIGN = {"argmax": "inter", "itermax": "itermax", "match": "mwmf"}
BATCH = 32  # awesome-align's default

Links = Iterable[tuple[int, int]]
Run = tuple[dict[str, Any], Callable[[Sequence[WordPair]], Iterable[Links]]]


def simalign(folder: Path, device: str) -> Iterator[Run]:
    """SimAlign's methods, one pair at a time, the only way that it has."""
    from simalign import SentenceAligner

    aligner = SentenceAligner(model=str(folder), token_type="bpe", matching_methods="a", device=device, layer=LAYER)
    for method, theirs in SIMALIGN.items():
        aligner.matching_methods = [theirs]
        yield (
            {"method": method, "encoding": "separate", "layer": LAYER, "dtype": "float32"},
            lambda pairs, theirs=theirs: [aligner.get_word_aligns(src, tgt)[theirs] for src, tgt in pairs],
        )


def awesome_align(folder: Path, device: str) -> Iterator[Run]:
    """awesome-align as its command runs it, files in and out, in batches of its default size and order."""
    from awesome_align import modeling, run_align
    from awesome_align.modeling import BertForMaskedLM
    from awesome_align.tokenization_bert import BertTokenizer

    tokenizer = BertTokenizer.from_pretrained(str(folder))
    modeling.PAD_ID, modeling.CLS_ID, modeling.SEP_ID = tokenizer.convert_tokens_to_ids(["[PAD]", "[CLS]", "[SEP]"])
    model = BertForMaskedLM.from_pretrained(str(folder))

    def align(pairs: Sequence[WordPair]) -> list[Links]:
        with TemporaryDirectory() as name:
            text, out = Path(name, "text"), Path(name, "links")
            text.write_text("".join(f"{' '.join(src)} ||| {' '.join(tgt)}\n" for src, tgt in pairs), encoding="utf-8")
            # Without workers of its own: they would not be counted among this process's CPU-seconds.
            options = argparse.Namespace(
                data_file=str(text), output_file=str(out), output_prob_file=None, output_word_file=None,
                num_workers=0, batch_size=BATCH, device=device, align_layer=LAYER, extraction="softmax",
                softmax_threshold=0.001,
            )  # fmt: skip
            run_align.word_align(options, model, tokenizer)
            lines = out.read_text().splitlines()
        return [[tuple(map(int, link.split("-"))) for link in line.split()] for line in lines]

    yield {"method": "softmax", "encoding": "separate", "layer": LAYER, "dtype": "float32"}, align


def xalign(folder: Path, device: str) -> Iterator[Run]:
    """The methods of the other two, and transport, the default; each with its usual encoding and layer."""
    from xalign_fairseq.aligner.aligner import Aligner

    for dtype in ("float32", "bfloat16") if device == "cuda" else ("float32",):
        loaded = Aligner.from_pretrained(folder, device=device, dtype=dtype)
        for method in (*SIMALIGN, "softmax", "transport"):
            aligner = Aligner(loaded.encoder, loaded.tokenizer, method=method)
            [layer] = aligner.layers
            yield (
                {"method": method, "encoding": aligner.pair_encoder.encoding, "layer": layer, "dtype": dtype},
                lambda pairs, aligner=aligner: [pair.links for pair in aligner.align(*zip(*pairs, strict=True))],
            )


TOOLS = {"simalign": simalign, "awesome-align": awesome_align, "xalign": xalign}
PACKAGES = {"simalign": "simalign", "awesome-align": "awesome-align", "xalign": "xalign_fairseq"}


def measure(tool: str, folder: Path, device: str) -> dict[str, Any]:
    """The tool's version and peak memory (MB), and of every run its setting, seconds and links."""
    import torch

    torch.set_num_threads(1)
    pairs = list(SentencePairs(folder / "src.txt", folder / "tgt.txt"))
    runs = []
    for setting, align in TOOLS[tool](folder, device):
        list(align(pairs[:WARM_UP]))
        start = _clock(device)
        found = list(align(pairs))
        seconds = _clock(device) - start
        lines = [" ".join(f"{i}-{j}" for i, j in sorted(links)) for links in found]
        runs.append({**setting, "seconds": seconds, "links": lines})
        print(f"{tool} {setting['method']}: {len(pairs) / seconds:.2f} pairs a second", file=sys.stderr)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    measured = {"version": version(PACKAGES[tool]), "peak_mb": peak, "runs": runs}
    if device == "cuda":
        measured["device_peak_mb"] = torch.cuda.max_memory_allocated() / 2**20
    return measured


def _clock(device: str) -> float:
    if device == "cpu":
        return time.process_time()
    import torch

    torch.cuda.synchronize()
    return time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("folder", type=Path, help="with the model and the pairs")
    parser.add_argument("device", choices=("cpu", "cuda"))
    parser.add_argument("out", type=Path, help="JSON file to write")
    args = parser.parse_args()
    measured = measure(args.tool, args.folder, args.device)
    with atomic_write(args.out) as out:
        json.dump(measured, out)


if __name__ == "__main__":
    main()
