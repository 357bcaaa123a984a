#!/usr/bin/env python3
"""Write the generated parts of docs/house.md: the picture of the imports, the counts, and the calls of five commands.

usage: document_house.py
"""

import tempfile
from pathlib import Path

import markers
import structure
import trace_calls

# Feature -> patterns of its files. Some lines have no feature; no line has two.
FEATURES = {
    "pre-trained models in and out, the packaged encoder, trimming": """
        xalign_fairseq/encoder/pretrained/**/* tests/encoder/pretrained/**/* xalign_fairseq/cli/*trim.py
        xalign_fairseq/cli/*_hf.py */**/trimming.py tests/**/test_*trim*.py tests/cli/test_*_hf.py
        scripts/gpu/pack_encoder.py
    """,
    "zero-shot transfer": """
        xalign_fairseq/*/**/*transfer* xalign_fairseq/transfer/**/* tests/transfer/**/* tests/**/*transfer*.py
        examples/transfer/*.*
    """,
    "fused self-labelling for CPU and CUDA": """
        xalign_fairseq/transport/sinkhorn/**/* tests/transport/sinkhorn/**/* scripts/*sinkhorn*.py
    """,
    "projection of labels and markup": """
        xalign_fairseq/**/*project* xalign_fairseq/projection/**/* tests/projection/**/* tests/**/*project*.py
    """,
    "the aligner from bitext alone": """
        xalign_fairseq/aligner/statistical/**/* tests/aligner/statistical/**/* scripts/*from_scratch*.py
        tests/**/*from_scratch*.py tests/**/*statistics*.py scripts/benchmark_statistics.py
    """,
    "fine-tuning an aligner, and the link scorer": """
        xalign_fairseq/aligner/training/**/* tests/aligner/training/**/* */**/*train_aligner*.py
        */**/*scorer*.py
    """,
    "the sample grammar": "xalign_fairseq/languages/sample/* tests/languages/sample/* */cli/*sample.py",
    "derived languages and lexicons": """
        xalign_fairseq/languages/* xalign_fairseq/languages/lexicons/* tests/languages/*
        tests/languages/lexicons/* */cli/*derive*.py */**/*lexicon*.py
    """,
    "training without fairseq": "xalign_fairseq/training/**/* tests/training/**/*",
    "encoders that transformers runs": "xalign_fairseq/encoder/bodies/* tests/encoder/bodies/*",
    "pages and pictures": """
        xalign_fairseq/aligner/render/**/* xalign_fairseq/evaluation/plots/*
        tests/aligner/render/**/* tests/evaluation/plots/* tests/test_gallery.py
    """,
    "eflomal and fast_align": "*/aligner/*tools.py */aligner/*link_files.py",
    "kills at each file operation": "scripts/faults*.py scripts/faults_hook/*",
    "tests and measurements on a GPU without a network": "scripts/gpu/* tests/scripts/gpu/*",
    "other benchmarks": """
        scripts/benchmark_*.py scripts/training_*.py tests/scripts/test_benchmarks.py
    """,
    "recipes of the papers": "examples/**/* tests/examples/**/*",
}
KINDS = (".py", ".cpp", ".cu", ".h", ".js", ".css")
PAGE, PICTURE = structure.ROOT / "docs/house.md", structure.ROOT / "docs/house.svg"


def room_arrows(found: dict[str, set[str]]) -> dict[str, set[str]]:
    """Room -> the other rooms that it imports."""
    rooms: dict[str, set[str]] = {name: set() for name in structure.FLOORS if name != "__main__"}
    for one, others in found.items():
        if structure.room(one) in rooms:
            rooms[structure.room(one)].update({structure.room(other) for other in others} - {structure.room(one)})
    return rooms


def picture(rooms: dict[str, set[str]]) -> str:
    """The import graph as SVG: one row and one column per room, a dot where the row imports the column."""
    names, left, top, step = list(rooms), 104, 92, 24
    side = step * len(names)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + side + 8} {top + side + 8}" role="img">',
        "<title>Which folder imports which</title>",
        "<style>text{font:13px sans-serif;fill:#1f2933}.line{stroke:#dde2e7}.dot{fill:#073273}.up{fill:#ac2f0b}"
        ".self{fill:#dde2e7}@media(prefers-color-scheme:dark){text{fill:#dfe4ea}.line{stroke:#2f363e}.dot{fill:#3f87f3}"
        ".up{fill:#ed5e3b}.self{fill:#2f363e}}</style>",
    ]
    for at, name in enumerate(names):
        middle = step * at + step // 2
        turned = f"translate({left + middle + 4},{top - 8}) rotate(-60)"
        parts += [
            f'<line class="line" x1="{left}" x2="{left + side}" y1="{top + middle}" y2="{top + middle}"/>',
            f'<text x="{left - 8}" y="{top + middle + 4}" text-anchor="end">{name}</text>',
            f'<text transform="{turned}">{name}</text>',
            f'<rect class="self" x="{left + middle - 5}" y="{top + middle - 5}" width="10" height="10"/>',
        ]
        for other in sorted(rooms[name], key=names.index):
            kind = "dot" if names.index(other) > at else "up"
            across = left + step * names.index(other) + step // 2
            parts.append(f'<circle class="{kind}" cx="{across}" cy="{top + middle}" r="6"/>')
    return "\n".join([*parts, "</svg>\n"])


def counted() -> str:
    """The table of the counts."""
    return markers.table(("what", "count"), [(name, f"{now:,}") for name, now in structure.counts().items()])


def featured() -> str:
    """The table of the features; a file of two features belongs to the first."""
    tops = ("xalign_fairseq", "tests", "scripts", "examples")
    left = {path for top in tops for path in (structure.ROOT / top).rglob("*") if path.suffix in KINDS}
    rows = []
    for name, patterns in FEATURES.items():
        found = {path for pattern in patterns.split() for path in structure.ROOT.glob(pattern)} & left
        left -= found
        lines = {"xalign_fairseq": 0, "tests": 0, "scripts": 0, "examples": 0}
        for path in found:
            lines[path.relative_to(structure.ROOT).parts[0]] += path.read_text(encoding="utf-8").count("\n")
        package, tests, *others = lines.values()
        rows.append((name, *(f"{structure.rounded(each):,}" for each in (package, tests, sum(others)))))
    return markers.table(("feature", "package", "tests", "scripts and examples"), rows)


def traced() -> str:
    """The table of the five commands."""
    with tempfile.TemporaryDirectory() as work:
        return trace_calls.render(trace_calls.sample_traces(Path(work)))


def main() -> None:
    """Write the picture and the tables."""
    parts = {"counts": counted, "features": featured, "traces": traced}
    PICTURE.write_text(picture(room_arrows(structure.arrows())), encoding="utf-8")
    markers.update([PAGE], "structure", lambda name: parts[name](), False, "python scripts/document_house.py")


if __name__ == "__main__":
    main()
