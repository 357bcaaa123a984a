"""Text and data-bin of the four pairs."""

from tests.examples.stand_ins import run_script

# Writes one side after the other, and dies between them once if the file "once" exists.
ASSEMBLE = """import pathlib, sys
pair, out = sys.argv[1], pathlib.Path(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)
print("assembled", pair)
for side in pair.split("-"):
    (out / f"train.{side}").write_text("a")
    once = pathlib.Path(__file__).with_name("once")
    if once.exists():
        once.unlink()
        sys.exit(1)
"""


def prepare_pairs(folder):
    """Run prepare.sh; return its exit code and its calls."""
    (folder / "assemble.py").write_text(ASSEMBLE)
    xalign = '#!/bin/sh\necho "$@"\n[ "$1" = links ] || mkdir "$3"\n'
    done = run_script(
        folder,
        "xlm_align/continued/prepare.sh",
        folder / "text",
        folder / "data",
        instead={"xalign": xalign},
        BENCHMARK=str(folder),
    )
    return done.returncode, done.stdout.splitlines()


def test_the_four_pairs_are_prepared_together(tmp_path):
    (tmp_path / "text/en-fr").mkdir(parents=True)
    code, (*before, prepared) = prepare_pairs(tmp_path)
    assert code == 0
    assert [line.split()[1] for line in before if line.startswith("assembled")] == ["de-en", "en-hi", "ro-en"]
    linked = [line for line in before if line.startswith("links --engine eflomal")]
    assert len(linked) == 4 and "en-fr/train.en --tgt" in linked[1]
    assert prepared.startswith(f"prepare --out {tmp_path}/data --tokenizer e5-small --trim-vocabulary --pair de-en")
    assert prepared.count("--pair") == prepared.count("--links train=") == 4
