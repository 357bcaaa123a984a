import json

from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.data.tokenizers.spm_training import train_sentencepiece
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer


def test_both_ways_are_measured_on_the_first_pairs(script, tmp_path):
    benchmark = script("benchmark_prepare")
    words = ["abc", "bcd", "cde", "dea", "eab", "acd"]
    lines = [" ".join(words[(i + k) % 6] for k in range(1 + i % 5)) for i in range(40)]
    text = [tmp_path / name for name in ("a.en", "a.de")]
    for path in text:
        path.write_text("".join(f"{line}\n" for line in lines))
    model, dictionary = tmp_path / "spm.model", tmp_path / "dict.txt"
    model.write_bytes(train_sentencepiece([scan(text[0])], 20, seed=1))
    SentencePieceTokenizer(model).dictionary.save(dictionary)
    given = ["--text", *map(str, text), "--spm", str(model), "--dict", str(dictionary)]
    benchmark.main([*given, "--pairs", "20", "--rounds", "1", "--out", str(tmp_path / "out")])
    done = json.loads((tmp_path / "out/prepare.json").read_text())
    assert [(row["links"], row["pairs"]) for row in done["rows"]] == [(False, 20), (True, 20)]
    assert all(round(row["pairs_a_second"] * row["cpu_seconds"]) == 20 for row in done["rows"])
    assert "| with links" in (tmp_path / "out/prepare.md").read_text()
