import re
from pathlib import Path

import torch
from support.processes import run_without_fairseq
from support.text import CONFIG, write_plain_data

from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.objectives import TLM
from xalign_fairseq.training import AlignmentModel, PretrainingData

PAGE = Path(__file__).parents[2] / "docs/plain_torch.md"


def test_the_page_trains_in_thirty_lines(tmp_path):
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
    assert len([line for line in code.splitlines() if line.strip()]) <= 30
    data = PretrainingData(write_plain_data(tmp_path / "data-bin"))
    AlignmentModel(Encoder(CONFIG), [TLM()], data).save_pretrained(tmp_path / "small.pt")
    # A small model replaces e5-small, whose tokenizer the data would need; it has none for an export.
    code = code.replace('"e5-small"', '"small.pt"').replace('"aligned", ', '"aligned.pt", ').replace("en-de", "de-en")
    code = code.replace("mono_tokens_per_sample=128", "mono_tokens_per_sample=32").replace("1024", "200")
    code += "import xalign_fairseq.trainer.optim.adamw\n"
    printed = run_without_fairseq(code, cwd=tmp_path).splitlines()
    assert [line.split()[0] for line in printed] == [*map(str, range(20)), "valid"]
    assert all("'dwa'" in line for line in printed[1:20]) and float(printed[-1].split()[1]) > 0
    start = AlignmentModel.from_pretrained(tmp_path / "small.pt", [TLM()], data)
    trained = AlignmentModel.from_pretrained(tmp_path / "aligned.pt", [TLM()], data)
    assert trained.kept.keys() == {"tokenizer"}
    assert not torch.equal(trained.encoder.lm_head.bias, start.encoder.lm_head.bias)
