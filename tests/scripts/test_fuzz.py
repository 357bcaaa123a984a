"""The fuzzer: repeatable inputs, detected failures, and a short run over every reader."""

import ast
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
from support.callers import callers

import xalign_fairseq
from xalign_fairseq.core.errors import XalignError

PACKAGE = Path(xalign_fairseq.__file__).parent


@pytest.fixture
def fuzz(script, monkeypatch):
    fuzz = script("fuzz")
    before = {number: signal.signal(number, fuzz._hang) for number in (signal.SIGALRM, signal.SIGPROF)}
    yield fuzz
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="module")
def readers(tmp_path_factory):
    """Every reader by its name; made once."""
    found = {}

    def get(fuzz):
        if not found:
            found.update({each.name: each for each in fuzz.all_readers(tmp_path_factory.mktemp("fuzz"))})
        return found

    return get


def write(reader, folder):
    folder.mkdir()
    for name, content in reader.files.items():
        (folder / name).write_bytes(content)
    return folder


def test_altered_files_are_read_or_refused(fuzz, readers, tmp_path):
    first, wrong = random.SystemRandom().randrange(10**9), []
    for name, reader in readers(fuzz).items():
        for number in range(first, first + 25):
            folder = tmp_path / f"{name}{number}".replace("/", "-")
            folder.mkdir()
            fuzz.make(reader, 1, number, folder)
            if (found := fuzz.outcome(reader, folder)) not in fuzz.RIGHT:
                wrong.append(f"{found}: fuzz.py --only '{name}' --again {number}")
    assert not wrong


def falling(fuzz, fall):
    def read(folder):
        if (folder / "a").read_bytes() != b"some text":
            fall()

    return fuzz.Reader("falling", {"a": b"some text"}, read)


def sleep():
    while True:
        time.sleep(0.01)


def compute():
    while True:
        pass


@pytest.mark.parametrize(
    ("fall", "told"),
    [
        (lambda: 1 / 0, "ZeroDivisionError"),
        (lambda: os._exit(3), "the process died (3)"),
        (sleep, "no answer"),
        (compute, "no answer"),
        (lambda: bytearray(1 << 40), "MemoryError"),
    ],
)
def test_failures_are_counted_and_the_rest_continues(fuzz, monkeypatch, tmp_path, fall, told):
    monkeypatch.setattr(fuzz, "WAITING" if fall is sleep else "SECONDS", 0.1)
    found = fuzz.fuzz([falling(fuzz, fall)], 6, 1, 1, tmp_path)["falling"]
    assert sum(found.values()) == 6
    assert set(found) - {"read"} and all(told in kind and "--again" in kind for kind in set(found) - {"read"})
    # Finished inputs are not repeated, but other inputs are tried.
    assert fuzz.fuzz([falling(fuzz, lambda: None)], 6, 1, 1, tmp_path)["falling"] == found
    assert fuzz.fuzz([falling(fuzz, lambda: None)], 6, 2, 1, tmp_path)["falling"] == {"read": 6}


def test_refusals_and_the_table(fuzz, monkeypatch, tmp_path, capsys):
    def refuse():
        raise XalignError("no")

    monkeypatch.setattr(fuzz, "all_readers", lambda work: [falling(fuzz, refuse)])
    monkeypatch.setattr("sys.argv", ["fuzz.py", "--inputs", "5", "--out", str(tmp_path)])
    assert fuzz.main() == 0
    result = json.loads((tmp_path / "fuzz.json").read_text())
    assert sum(result["readers"]["falling"].values()) == 5 and result["readers"]["falling"]["refused"] >= 3
    assert "| falling | 5 |" in (tmp_path / "fuzz.md").read_text() and "5 inputs, seed 1" in capsys.readouterr().out
    monkeypatch.setattr(fuzz, "all_readers", lambda work: [falling(fuzz, lambda: 1 / 0)])
    assert fuzz.main() == 1
    monkeypatch.setattr("sys.argv", ["fuzz.py", "--only", "other"])
    with pytest.raises(XalignError, match="unknown reader"):
        fuzz.main()


# Functions that open files but have no reader in the fuzzer, and why.
NOT_FUZZED = {
    "is part of the package": {
        "aligner/render/page.py:_asset",
        "encoder/pretrained/packaged.py:_sentencepiece",
        "languages/sample/words.py:table",
        "trainer/report/page.py:_style",
        "transport/sinkhorn/toolchain.py:source_digest",
    },
    "is the system's": {"core/devices.py:cpu", "transport/sinkhorn/toolchain.py:cpu_instructions"},
    "takes bytes as they are": {
        "aligner/gold_sets.py:read_set",
        "core/files.py:atomic_write",
        "core/files.py:atomic_copy",
        "core/output.py:complete_lines",
        "data/mmap.py:MMapWriter.close",
        "data/mmap.py:_opened",
        "data/prepare/prepare.py:_store_sentencepiece",
        "data/shards.py:require_same_dictionary",
        "transport/scored.py:scorer_name",
    },
    "is read as text whatever it holds, for a report or an error": {
        "aligner/tools.py:Tool.links",
        "cli/train.py:rows_before",
        "core/process.py:tail",
    },
    "is parsed by what another reader covers": {
        "core/text/pairs.py:PairStream._lines",
        "encoder/pretrained/four_bit.py:FourBitFile.__init__",
        "encoder/pretrained/huggingface/pipelines.py:_read_json_file",
        "encoder/pretrained/huggingface/pipelines.py:_read_sentencepiece",
        "encoder/pretrained/huggingface/vocabularies.py:_read_sentencepiece",
    },
    "was written by this call": {"links/counting.py:_merged"},
    "was written by the run itself, and is read by numpy or torch": {
        "training/trainer.py:AlignmentTrainer._load_best_model",
        "training/trainer.py:AlignmentTrainer._load_from_checkpoint",
    },
}
OPENING = {"read_text", "read_bytes", "memmap", "fromfile", "load_file", "safe_open", "ZipFile", "iterparse"}
OPENERS = {"open", "gzip.open", "bz2.open", "lzma.open", "np.load", "torch.load"}


def openers(path):
    """The functions of a module that open a file for reading, by name."""
    return callers(path, PACKAGE, opens)


def opens(call):
    called = ast.unparse(call.func)
    modes = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    writes = any(set(mode) <= set("rwabxt+") and set(mode) & set("wax+") for mode in modes)
    return (called in OPENERS and not writes) or called.rpartition(".")[2] in OPENING


def test_every_example_is_read_and_every_reader_is_fuzzed(fuzz, readers, tmp_path):
    """Functions that a reader calls for its valid example; all others are listed above, with the reason."""
    called = set()

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(f"{PACKAGE}/"):
            name = frame.f_code.co_qualname.replace(".<locals>", "")
            called.add(f"{Path(frame.f_code.co_filename).relative_to(PACKAGE).as_posix()}:{name}")

    for number, reader in enumerate(readers(fuzz).values()):
        write(reader, tmp_path / str(number))
        sys.setprofile(note)
        try:
            reader.read(tmp_path / str(number))
        finally:
            sys.setprofile(None)
    called -= NOT_FUZZED["is part of the package"]  # read once: whether here or by an earlier test depends on the order
    assert set().union(*map(openers, PACKAGE.rglob("*.py"))) - called == set().union(*NOT_FUZZED.values())
