from xalign_fairseq.cli import main


def test_every_file_of_a_linked_text(tmp_path, capsys):
    for name, text in (("src", "das Haus\nein Haus\n"), ("tgt", "the house\na house\n"), ("links", "0-0 1-1\n1-1\n")):
        (tmp_path / name).write_text(text)
    files = [part for name in ("src", "tgt", "links") for part in (f"--{name}", str(tmp_path / name))]
    assert main(["dictionary", *files]) == 2
    assert "--out, --lex, --shortlist, --guided" in capsys.readouterr().err
    outputs = ["--out", f"{tmp_path}/out", "--lex", f"{tmp_path}/lex", "--shortlist", f"{tmp_path}/shortlist"]
    assert main(["dictionary", *files, *outputs]) == main(["dictionary", *files, *outputs]) == 0
    assert "2 rows in" in capsys.readouterr().err
    assert (tmp_path / "out").read_text() == "Haus\thouse\t2\t1\t1\t3.82\ndas\tthe\t1\t1\t1\t3.82\n"
    lines = ["house Haus 1.0000000", "a NULL 1.0000000", "the das 1.0000000", "NULL ein 1.0000000"]
    assert (tmp_path / "lex.s2t").read_text().splitlines() == lines
    assert (tmp_path / "shortlist").read_text() == "house Haus 1.0000000\nthe das 1.0000000\n"
    for name in ("lex.t2s", "shortlist", "out"):  # the last checked first
        (tmp_path / name).write_text("mine\n")
        assert main(["dictionary", *files, *outputs]) == 2
        assert f"would be lost\n  where: {tmp_path / name}" in capsys.readouterr().err
