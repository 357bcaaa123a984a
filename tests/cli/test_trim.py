import pytest

from xalign_fairseq.cli import main
from xalign_fairseq.encoder.pretrained.reading import read_pretrained, read_tokenizer

LINES = ["the red house", "a cat sees"]


@pytest.fixture
def trim(tiny_checkpoint, tmp_path):
    """Run the command; return the exit code."""
    (tmp_path / "a.en").write_text(f"{LINES[0]}\n")
    (tmp_path / "a.xx").write_text(f"{LINES[1]}\n")

    def run(out, *options, model=tiny_checkpoint, text=("a.en", "a.xx")):
        files = [str(tmp_path / name) for name in text]
        return main(["trim", "--model", str(model), "--text", *files, "--out", str(tmp_path / out), *options])

    return run


@pytest.mark.parametrize("out", ["small.pt", "small"])
def test_the_result_aligns_as_the_model_does(trim, tiny_checkpoint, tmp_path, capsys, out):
    assert trim(out, "--floor", "0") == 0
    said = capsys.readouterr().out
    before, after = (read_tokenizer(path) for path in (tiny_checkpoint, tmp_path / out))
    small, large = after.dictionary, before.dictionary
    assert small.embedding_size < large.embedding_size
    assert said.startswith(f"{tmp_path / out}: {small.embedding_size} ids (before: {large.embedding_size}), ")
    assert [small.symbols[i] for i in after.encode(LINES[0])] == [large.symbols[i] for i in before.encode(LINES[0])]
    trimmed = read_pretrained(tmp_path / out)[0]["task_state"]["trimmed"]
    assert trimmed == {"to": ["a.en", "a.xx"], "ids": small.embedding_size, "of": large.embedding_size}
    if out == "small":
        assert "| vocabulary trimmed to | a.en, a.xx |" in (tmp_path / "small/README.md").read_text()
    links = []
    for model in (tiny_checkpoint, tmp_path / out):
        text = ["--src", str(tmp_path / "a.en"), "--tgt", str(tmp_path / "a.xx")]
        assert main(["align", "--model", str(model), *text, "--out", str(tmp_path / "links"), "--quiet"]) == 0
        links.append((tmp_path / "links").read_text())
    assert links[0] == links[1] != ""


def test_unknown_tokens_of_other_text_are_counted_and_the_trimming_text_is_named(trim, tmp_path, capsys):
    assert trim("small.pt", "--floor", "0") == 0
    for side in ("en", "xx"):
        (tmp_path / f"other.{side}").write_text("the Дом\n")
    text = ["--src", str(tmp_path / "other.en"), "--tgt", str(tmp_path / "other.xx")]
    assert main(["align", "--model", str(tmp_path / "small.pt"), *text, "--out", str(tmp_path / "links")]) == 0
    warning = capsys.readouterr().err.splitlines()[-1]
    assert warning.startswith("warning: 2 of ") and "in Cyrillic script" in warning
    assert "; it was trimmed to a.en, a.xx, which xalign untrim undoes; links by --from-scratch" in warning


@pytest.mark.parametrize("command", ["trim", "export-hf", "import-hf"])
@pytest.mark.parametrize("out", ["model", "model.pt"])
def test_nothing_is_overwritten_silently(tiny_checkpoint, tiny_text, tmp_path, capsys, command, out):
    path = tmp_path / out
    line = [command, "--model", str(tiny_checkpoint), "--out", str(path)]
    line += ["--text", str(tiny_text / "text.en")] if command == "trim" else []
    assert main(line) == 0
    part = next(path.iterdir()) if path.is_dir() else path
    part.write_bytes(b"mine")
    assert main(line) == 2 and "already exists" in capsys.readouterr().err and part.read_bytes() == b"mine"
    assert main([*line, "--overwrite"]) == 0 and part.read_bytes() != b"mine"


def test_the_model_itself_is_not_overwritten(trim, tmp_path, capsys):
    assert trim("small") == 0
    assert trim("small", "--overwrite", model=tmp_path / "small") == 2
    assert "is or contains an input" in capsys.readouterr().err
