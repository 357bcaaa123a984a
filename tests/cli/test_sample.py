from xalign_fairseq.cli import main
from xalign_fairseq.links.pharaoh import read_links


def test_a_sample_its_sizes_and_an_existing_folder(tmp_path, capsys):
    out = tmp_path / "sample"
    command = ["sample", "--out", str(out), "--pairs", "30", "--valid", "5", "--test", "4"]
    assert main(command) == 0
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
    assert main(command) == 2 and "--overwrite" in capsys.readouterr().err
    assert main([*command, "--overwrite"]) == 0
