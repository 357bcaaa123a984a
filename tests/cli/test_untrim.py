from xalign_fairseq.cli import main
from xalign_fairseq.encoder.pretrained.reading import read_pretrained


def call(*line):
    return main([str(each) for each in line])


def test_a_trimmed_model_gets_the_whole_vocabulary_back(tiny_checkpoint, tmp_path, capsys):
    small, whole = tmp_path / "small.pt", tmp_path / "whole.pt"
    (tmp_path / "line").write_text("a cat\n")
    assert call("trim", "--model", tiny_checkpoint, "--text", tmp_path / "line", "--floor", 0, "--out", small) == 0
    capsys.readouterr()
    assert call("untrim", "--model", small, "--original", tiny_checkpoint, "--out", whole) == 0
    before, less, after = (read_pretrained(path)[0] for path in (tiny_checkpoint, small, whole))
    full, kept, ids = (
        len(each["model"]["encoder.sentence_encoder.embed_tokens.weight"]) for each in (before, less, after)
    )
    assert capsys.readouterr().out.startswith(f"{whole}: {ids} ids (before: {kept}), ")
    assert kept < ids == full and "trimmed" not in after["task_state"]
