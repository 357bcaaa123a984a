from xalign_fairseq.cli import main
from xalign_fairseq.links.pharaoh import read_links


def test_a_sample_and_its_sizes(tmp_path, capsys):
    out = tmp_path / "sample"
    assert main(["sample", "--out", str(out), "--pairs", "30", "--valid", "5", "--test", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"{out}/en-{lang}" for lang in ("de", "fr")]
    splits = {"train": 30, "valid": 5, "test": 4}
    for lang, line in zip(("de", "fr"), lines, strict=True):
        folder = out / f"en-{lang}"
        texts = {each: [(folder / f"{split}.{each}").read_text() for split in splits] for each in ("en", lang)}
        assert [len(text.splitlines()) for text in texts[lang]] == list(splits.values())
        src, tgt = (sum(len(text.split()) for text in texts[each]) / 39 for each in ("en", lang))
        links = sum(len(links) for split in splits for links in read_links(folder / f"{split}.gold")) / 39
        assert line.endswith(f": 39 pairs, {src:.1f} and {tgt:.1f} words per sentence, {links:.1f} links per pair")


def test_the_seed_decides_and_a_folder_is_left_unless_told(tmp_path, capsys):
    def write(out, seed, *options):
        sizes = ("--pairs", "10", "--valid", "2", "--test", "2")
        return main(["sample", "--out", str(tmp_path / out), *sizes, "--seed", str(seed), *options])

    def text(out):
        return (tmp_path / out / "en-fr/train.fr").read_text()

    assert [write("a", 1), write("b", 1), write("c", 2)] == [0, 0, 0]
    assert text("a") == text("b") != text("c")
    assert write("a", 2) == 2 and "--overwrite" in capsys.readouterr().err
    assert text("a") == text("b")
    assert write("a", 2, "--overwrite") == 0 and text("a") == text("c")
