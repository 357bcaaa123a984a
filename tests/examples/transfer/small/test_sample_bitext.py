import sys

from tests.examples.recipes import load

[sample_bitext] = load("transfer/small", "sample_bitext")


def sample(folder, monkeypatch, pairs, seed=1):
    for lang in "de", "en":
        (folder / f"text.{lang}").write_text("".join(f"{lang}{i}\n" for i in range(20)))
    files = [str(folder / f"text.{lang}") for lang in ("de", "en")]
    monkeypatch.setattr(sys, "argv", ["sample_bitext.py", *files, str(pairs), "--seed", str(seed)])
    sample_bitext.main()
    return [[int(line[2:]) for line in open(file)] for file in files]


def test_pairs_stay_pairs_and_in_their_order(tmp_path, monkeypatch):
    src, tgt = sample(tmp_path, monkeypatch, 8)
    assert src == tgt == sorted(set(src)) and len(src) == 8
    assert sample(tmp_path, monkeypatch, 8) == [src, tgt] != sample(tmp_path, monkeypatch, 8, seed=2)
