from xalign_fairseq.aligner.gold_sets import find_sets


def write(folder, gold):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "de-en.de").write_text("das Haus\n")
    (folder / "de-en.en").write_text("the house\n")
    (folder / "de-en.gold").write_text(gold)


def test_names_languages_and_digests(tmp_path):
    write(tmp_path / "b", "0-0 1p1\n")
    write(tmp_path, "1 1 1 S\n")  # of the shared tasks
    below, here = find_sets(str(tmp_path))
    assert (here.name, below.name) == ("de-en", "b/de-en") and here.languages == ("de", "en")
    assert here.pairs == [(["das", "Haus"], ["the", "house"])] and here.golds[0].sure == {(0, 0)}
    assert below.golds[0].possible == {(0, 0), (1, 1)} and here.digest != below.digest and len(here.digest) == 12
    write(tmp_path / "b", "0-0\n")
    assert find_sets(str(tmp_path))[0].digest != below.digest


def test_linked_folders_are_found_once(tmp_path):
    write(tmp_path / "elsewhere", "0-0\n")
    (tmp_path / "gold").mkdir()
    for name in ("linked", "once-more"):
        (tmp_path / "gold" / name).symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere/up").symlink_to(tmp_path / "gold")
    assert [one.name for one in find_sets(str(tmp_path / "gold"))] == ["linked/de-en"]
