"""From text by spm_encode and fairseq-preprocess, with links, to training and AER, with the page's own commands."""

import re
from functools import partial

import numpy as np
import pytest
from support.processes import program

from tests.examples.stand_ins import EXAMPLES, run_real
from tests.examples.test_papers_scale import FAST_ALIGN
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.databin import AlignReader, DataBin

HERE = EXAMPLES / "fairseq_preprocess"


class Ids(list):
    """Replaces a file of ids."""

    prefix = "valid.align.de-en"


def test_tokens_are_words_and_all_links_sure():
    sides = Ids([[7, 8, 9, 2], [7, 2]]), Ids([[5, 6, 2], [5, 2]])
    reader = AlignReader(*sides, Ids([np.array(each) for each in ([0, 1, 2, 0], [1, 0])]))
    src, tgt, links = reader[0]
    assert src.tolist() == [0, 1, 2] and tgt.tolist() == [0, 1] and links.tolist() == [[0, 1, 1], [2, 0, 1]]
    with pytest.raises(XalignError, match="outside its sentences"):
        reader[1]  # token 1 of a one-token sentence


@pytest.mark.slow
def test_the_pages_commands_go_from_text_to_aer(tmp_path):
    program(tmp_path / "bin/fast_align", FAST_ALIGN)
    run = partial(run_real, "bash", "-c", folders=[tmp_path / "bin"], cwd=HERE)
    text, data, save = (tmp_path / name for name in ("text", "data", "run"))
    run(f"bash ../ppa/0_download.sh {text} de-en", SAMPLE="80")
    sample = text / ".sample/en-de"
    for lang in ("de", "en"):
        (tmp_path / f"test.{lang}").write_text((sample / f"valid.{lang}").read_text())
    gold = [
        " ".join("-".join(link.split("-")[::-1]) for link in line.split())
        for line in (sample / "valid.gold").read_text().splitlines()
    ]
    (tmp_path / "test.gold").write_text("".join(f"{line}\n" for line in gold))
    page = (HERE / "README.md").read_text()
    commands = [line[4:].split("  #")[0] for line in page.splitlines() if line.startswith("    ")]
    assert len(commands) == 4
    small = {"VOCAB": "300", "WORKERS": "1", "UPDATES": "3", "WARMUP": "1"}
    for command in commands:
        for name, path in (("TEXT", text), ("DATA_BIN", data), ("SAVE_DIR", save)):
            command = re.sub(rf"\b{name}\b", str(path), command)
        command = re.sub(r"\btest\.(?=de|en|links|gold)", f"{tmp_path}/test.", command)
        shown = run(command, **small)
    assert "aer" in shown.lower()
    links = DataBin(data).links("train", "de", "en")
    assert isinstance(links, AlignReader) and len(links) == 80 and len(links[0][2])
    assert "word_contrastive_loss" in (save / "train.log").read_text()
