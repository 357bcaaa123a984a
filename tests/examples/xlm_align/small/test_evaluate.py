"""Layer and method are chosen on development pairs and scored on the test set."""

import json
import random
import sys

import pytest
import torch
from support import transfer_data as made_up

from tests.examples.recipes import load
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.transport.linking import Linking

[evaluate] = load("xlm_align/small", "evaluate")
EPOCH = "epoch 001 | loss 9 | wps 1 | wpb 3000.5 | bsz 9 | num_updates 30 | lr 0.1 | gnorm 1\n"
KEYS = ("similarity", "layer", "method")


@pytest.fixture
def save(tmp_path, transfer_encoder):
    """A run's folder as 3_train.sh leaves it."""
    folder = tmp_path / "links"
    folder.mkdir()
    state = torch.load(transfer_encoder, weights_only=False)
    torch.save(state | {"optimizer_history": [{"num_updates": 20}]}, folder / "checkpoint_last.pt")
    record = {"setting": "links", "command": "bash 3_train.sh", "commit": "abc", "machine": "x CPU", "seed": 1}
    (folder / "run.json").write_text(json.dumps(record))
    (folder / "train.log").write_text(EPOCH + "done training in 90.0 seconds\n")
    return folder


def write_pairs(folder, split, links, seed):
    rng = random.Random(seed)
    sides = [[[word for word, *_ in made_up.sentence(rng)] for _ in range(6)] for _ in range(2)]
    for lang, lines in zip(("de", "en"), sides, strict=True):
        made_up.write(folder / f"{split}.{lang}", "".join(f"{' '.join(words)}\n" for words in lines))
    golds = [
        [f"{rng.randrange(len(src))}-{rng.randrange(len(tgt))}" for _ in src] for src, tgt in zip(*sides, strict=True)
    ]
    made_up.write(folder / f"{split}.{links}", "".join(f"{' '.join(sorted(set(each)))}\n" for each in golds))


@pytest.mark.parametrize(("split", "links"), [("dev", "gold"), ("valid", "links")])
def test_the_setting_that_is_best_on_development_pairs_is_scored(save, tmp_path, split, links, monkeypatch, capsys):
    folder, out = tmp_path / "text/de-en", tmp_path / "results/links.json"
    write_pairs(folder, split, links, 1)
    write_pairs(folder, "test", "gold", 2)
    (folder / "eflomal.json").write_text('{"aer": 0.3}')
    monkeypatch.setattr(sys, "argv", ["evaluate.py", *map(str, (save, tmp_path / "text", out)), "de-en"])
    evaluate.main()
    assert capsys.readouterr().out.startswith("de-en: AER ")

    record = json.loads(out.read_text())
    kept = {key: record[key] for key in ("name", "setting", "machine", "updates", "tokens", "minutes")}
    assert kept == {
        "name": "links",
        "setting": "links",
        "machine": "x CPU",
        "updates": 30,
        "tokens": 90_015,
        "minutes": 1.5,
    }
    assert record["checkpoint_updates"] == 20
    found = record["pairs"]["de-en"]
    aligner = Aligner.from_pretrained(save / "checkpoint_last.pt")
    aers = {name: {} for name in (split, "test")}
    for name, gold in ((split, links), ("test", "gold")):
        sides = [(folder / f"{name}.{lang}").read_text().splitlines() for lang in ("de", "en")]
        linkings = [Linking("transport", {"filter": how}, (at,)) for at in range(3) for how in evaluate.METHODS]
        swept = list(aligner.sweep(zip(*sides, strict=True), linkings))
        for k, linking in enumerate(linkings):
            hyps = [set(each[k].links) for each in swept]
            place = linking.layer, linking.options["filter"]
            aers[name][place] = round(score(hyps, read_gold(folder / f"{name}.{gold}")).aer, 4)
    best = min(aers[split], key=aers[split].__getitem__)
    assert (found["similarity"], found["layer"], found["method"]) == ("hidden", *best)
    assert (found["dev_aer"], found["aer"]) == (aers[split][best], aers["test"][best])
    assert {(row["layer"], row["method"]): row["aer"] for row in found["all"]} == aers["test"]
    assert found["chosen_on"].startswith("gold" if split == "dev" else "silver") and found["eflomal"] == {"aer": 0.3}
