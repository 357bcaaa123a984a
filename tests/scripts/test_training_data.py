"""The data-bins of the training benchmark: assembled, cut and prepared text."""


def test_real_text_is_cut_evenly_and_prepared_once(tmp_path, script, monkeypatch):
    module = script("training_data")
    module.lines = []

    def run(line):
        module.lines.append(line)
        if line[1].endswith("assemble.py"):
            folder = module.Path(line[3])
            folder.mkdir(parents=True)
            for language in line[2].split("-"):
                (folder / f"train.{language}").write_text("".join(f"{language} {number}\n" for number in range(7)))
        else:
            module.Path(line[line.index("--out") + 1]).mkdir()

    monkeypatch.setattr(module, "_run", run)
    monkeypatch.setattr(module, "EACH", 3)
    monkeypatch.setattr(module, "MONO", 2)
    data = module
    trimmed = data.make("trimmed", tmp_path / "data", tmp_path)
    assert data.make("trimmed", tmp_path / "data", tmp_path) == trimmed == tmp_path / "trimmed"
    prepare = data.lines[-1]
    assert len(data.lines) == 5 and prepare[-1] == "--trim-vocabulary" and prepare.count("--pair") == 4
    assert prepare[prepare.index("--tokenizer") + 1] == "e5-small"
    assert (tmp_path / "text/de-en/some.de").read_text() == "de 0\nde 2\nde 4\n"
    assert (tmp_path / "text/de-en/mono.en").read_text() == "en 0\nen 4\n"
    data.make("whole", tmp_path / "data", tmp_path)
    assert len(data.lines) == 6 and "--trim-vocabulary" not in data.lines[-1]
