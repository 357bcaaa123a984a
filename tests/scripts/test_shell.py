import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Programs that may end before their input does. Whether SIGPIPE kills the program that writes to them is chance.
STOPS_READING = re.compile(r"\|\s*(head\b|grep\s+(-\w*[qm]|--quiet|--max-count)|sed\s.*\bq\b)")


NAMES = ["with spaces", "lang=de", "-x", 'it\'s "said" $(touch hit) `touch hit`', "two\nlines", "*"]


def shell_scripts():
    suffixes = (".sh", ".sbatch")
    found = [path for top in ("scripts", "examples") for path in (ROOT / top).rglob("*") if path.suffix in suffixes]
    return [*found, *filter(Path.exists, [ROOT / ".ci/run"])]


# Links each line's first word with the other side's; its input must exist.
LINKS = """#!/bin/bash
printf '%s\n' "$@" > "$CALLED"
[[ $1 == links && -f $3 && -f $5 ]] || exit 1
sed 's/.*/0-0/' < "$3" > "$7"
echo '{}' > "$7.json"
"""


@pytest.mark.parametrize("name", NAMES)
def test_links_of_splits_in_folders_of_any_name(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    for split, lines in (("train", "a\nb\nc"), ("valid", "d\ne\n")):
        for language in ("en", "de"):
            (folder / f"{split}.{language}").write_text(lines)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/xalign").write_text(LINKS)
    (tmp_path / "bin/xalign").chmod(0o755)
    code = 'source "$RECIPE"; engine=fast_align; link_splits "$1" en de --filters identical'
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
        "RECIPE": str(ROOT / "examples/common/recipe.sh"),
        "CALLED": str(tmp_path / "called"),
    }
    subprocess.run(["bash", "-euo", "pipefail", "-c", code, "bash", name], cwd=tmp_path, env=environment, check=True)
    assert (folder / "train.symmetrized.links").read_text() == "0-0\n" * 3
    assert (folder / "valid.symmetrized.links").read_text() == "0-0\n" * 2
    assert (tmp_path / "called").read_text().endswith("--filters\nidentical\n")
    assert not (tmp_path / "hit").exists() and not list(folder.glob(".all*"))


def test_no_script_pipes_into_a_program_that_stops_reading():
    """Under pipefail a script would exit with 141 if the writer comes second."""
    assert len(shell_scripts()) > 20
    lines = [(path, line) for path in shell_scripts() for line in path.open()]
    assert [(path.name, line) for path, line in lines if STOPS_READING.search(line)] == []
