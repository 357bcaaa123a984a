#!/usr/bin/env python3
"""Measure one word aligner of benchmark_aligner.py in its own process, whose peak memory is the tool's.

usage: benchmark_tools.py simalign|awesome-align|xalign FOLDER cpu|cuda OUT.json

FOLDER holds the model, and the pairs as src.txt and tgt.txt. CPU-seconds are those of the whole process, which has one
thread. GPU-seconds are wall-clock seconds until the device is done, the best of several runs. Loading is not timed.
Links are Pharaoh lines, one per pair; a slow method links only the first pairs. If a tool or a method is missing or
fails, its result is an error instead of figures.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any
from unittest.mock import patch

from harness import peak_mb

from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.text.pairs import SentencePairs, WordPair

LAYER = 8  # SimAlign's and awesome-align's default
WARM_UP = {"cpu": 2, "cuda": 32}  # pairs aligned before timing starts
REPEATS = 3  # runs, whose median counts; as many as fit into LONG, at least one
CHUNK = 16  # pairs per call of SimAlign
LONG = {"cpu": float("inf"), "cuda": 12.0}  # seconds after which it gets no more pairs
SIMALIGN = {"argmax": "inter", "itermax": "itermax", "match": "mwmf"}
BATCH = 32  # awesome-align's default

Links = Iterable[tuple[int, int]]
Run = tuple[dict[str, Any], Callable[[Sequence[WordPair]], Iterable[Links]]]


def simalign(folder: Path, device: str) -> Iterator[Run]:
    """SimAlign's methods on one pair at a time, its only mode."""
    from simalign import SentenceAligner

    aligner = SentenceAligner(model=str(folder), token_type="bpe", matching_methods="a", device=device, layer=LAYER)
    for method, theirs in SIMALIGN.items():
        aligner.matching_methods = [theirs]
        yield (
            {"method": method, "encoding": "separate", "layer": LAYER, "dtype": "float32"},
            lambda pairs, theirs=theirs: [aligner.get_word_aligns(src, tgt)[theirs] for src, tgt in pairs],
        )


def awesome_align(folder: Path, device: str) -> Iterator[Run]:
    """awesome-align as its command runs it, from and to files, in batches of its default size and order."""
    with downloads_stood_in():
        from awesome_align import modeling, run_align
        from awesome_align.modeling import BertForMaskedLM
        from awesome_align.tokenization_bert import BertTokenizer

    if json.loads((folder / "config.json").read_text())["model_type"] != "bert":
        raise ValueError("it reads only BERT")
    tokenizer = BertTokenizer.from_pretrained(str(folder))
    modeling.PAD_ID, modeling.CLS_ID, modeling.SEP_ID = tokenizer.convert_tokens_to_ids(["[PAD]", "[CLS]", "[SEP]"])
    model = BertForMaskedLM.from_pretrained(str(folder))

    def align(pairs: Sequence[WordPair]) -> list[Links]:
        with TemporaryDirectory() as name:
            text, out = Path(name, "text"), Path(name, "links")
            text.write_text("".join(f"{' '.join(src)} ||| {' '.join(tgt)}\n" for src, tgt in pairs), encoding="utf-8")
            # Without its own workers, whose CPU-seconds this process would not count.
            options = argparse.Namespace(
                data_file=str(text),
                output_file=str(out),
                output_prob_file=None,
                output_word_file=None,
                num_workers=0,
                batch_size=BATCH,
                device=device,
                align_layer=LAYER,
                extraction="softmax",
                softmax_threshold=0.001,
            )
            run_align.word_align(options, model, tokenizer)
            lines = out.read_text().splitlines()
        return [[tuple(map(int, link.split("-"))) for link in line.split()] for line in lines]

    yield {"method": "softmax", "encoding": "separate", "layer": LAYER, "dtype": "float32"}, align


def xalign(folder: Path, device: str) -> Iterator[Run]:
    """The other tools' methods at their layer, if the encoder has it, and transport with its defaults."""
    from xalign_fairseq.aligner.neural.aligner import Aligner
    from xalign_fairseq.transport.linking import Linking

    for dtype in ("float32", "bfloat16") if device == "cuda" else ("float32",):
        loaded = Aligner.from_pretrained(folder, device=device, dtype=dtype)
        theirs = LAYER if loaded.encoder.config.encoder_layers > LAYER else None
        for method, layer in (*((method, theirs) for method in (*SIMALIGN, "softmax")), ("transport", None)):
            linking = Linking(method, layers=() if layer is None else (layer,))
            aligner = Aligner(loaded.encoder, loaded.tokenizer, linking)
            [layer] = aligner.linking.layers
            yield (
                {"method": method, "encoding": aligner.linking.encoding, "layer": layer, "dtype": dtype},
                lambda pairs, aligner=aligner: [pair.links for pair in aligner.stream(pairs)],
            )


TOOLS = {"simalign": simalign, "awesome-align": awesome_align, "xalign": xalign}
PACKAGES = {"simalign": "simalign", "awesome-align": "awesome-align", "xalign": "xalign_fairseq"}


@contextmanager
def downloads_stood_in() -> Iterator[None]:
    """Replace modules that awesome-align imports for downloads, which do not happen here, by empty ones."""
    wanted = ("boto3", "botocore", "botocore.config", "botocore.exceptions", "requests")
    stand_ins = {name: ModuleType(name) for name in wanted if find_spec(name.split(".")[0]) is None}
    for module in stand_ins.values():
        module.__dict__.update(Config=object, ClientError=Exception, __path__=[])
    with patch.dict(sys.modules, stand_ins):
        yield


def measure(tool: str, folder: Path, device: str) -> dict[str, Any]:
    """The tool's version and peak memory (MB), and for every run its setting, seconds and links, or its ``error``.

    A tool that fails has an ``error`` and no runs.
    """
    import torch

    torch.set_num_threads(1)
    pairs = list(SentencePairs(folder / "src.txt", folder / "tgt.txt"))
    measured: dict[str, Any] = {"runs": []}
    try:
        measured["version"] = version(PACKAGES[tool])
        for setting, align in TOOLS[tool](folder, device):
            measured["runs"].append({**setting, **_run(tool, align, pairs, device)})
    except Exception as error:  # other people's programs, under versions they were not written for
        measured["error"] = _message(error)
        print(f"{tool}: {measured['error']}", file=sys.stderr)
    measured["peak_mb"] = peak_mb()
    if device == "cuda":
        measured["device_peak_mb"] = torch.cuda.max_memory_allocated() / 2**20
    return measured


def _run(tool: str, align: Callable[..., Iterable[Links]], pairs: Sequence[WordPair], device: str) -> dict[str, Any]:
    """Seconds and links of one method."""
    try:
        list(align(pairs[: WARM_UP[device]]))
        taken: list[float] = []
        for number in range(REPEATS):
            if number and sum(taken) + min(taken) > LONG[device]:
                break
            start = _clock(device)
            found = _in_chunks(align, pairs, device) if tool == "simalign" else list(align(pairs))
            taken.append(_clock(device) - start)
            if len(found) < len(pairs):  # another run may finish more pairs
                break
    except Exception as error:
        return {"error": _message(error)}
    return {"seconds": median(taken), "links": [" ".join(f"{i}-{j}" for i, j in sorted(links)) for links in found]}


def _in_chunks(align: Callable[..., Iterable[Links]], pairs: Sequence[WordPair], device: str) -> list[Links]:
    """Links of the first pairs, as many as the time allows; for tools that take pairs one by one."""
    end, found = _clock(device) + LONG[device], []
    for start in range(0, len(pairs), CHUNK):
        found += align(pairs[start : start + CHUNK])
        if _clock(device) > end:
            break
    return found


def _message(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _clock(device: str) -> float:
    if device == "cpu":
        return time.process_time()
    import torch

    torch.cuda.synchronize()
    return time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("folder", type=Path, help="folder with the model and the pairs")
    parser.add_argument("device", choices=("cpu", "cuda"))
    parser.add_argument("out", type=Path, help="JSON file to write")
    args = parser.parse_args()
    measured = measure(args.tool, args.folder, args.device)
    with atomic_write(args.out) as out:
        json.dump(measured, out)


if __name__ == "__main__":
    main()
