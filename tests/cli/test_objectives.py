import json
import sys
from pathlib import Path

import pytest
from support.processes import run_without_fairseq

from xalign_fairseq.cli import main
from xalign_fairseq.cli.objectives import import_folder
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.objectives import registry
from xalign_fairseq.objectives.registry import OBJECTIVES

TUTORIAL = Path(__file__).parents[2] / "examples/new_objective"


def test_the_list_has_a_line_for_each(capsys):
    assert main(["objectives"]) == 0
    lines = capsys.readouterr().out.splitlines()
    sums = lines.index("sums:")
    assert {line.split()[0] for line in lines[1 : sums - 1]} == set(OBJECTIVES)
    assert "weam                 tlm + word_exchange" in lines[sums:]
    [moco] = [line for line in lines if line.startswith("moco ")]
    assert moco.split(maxsplit=2)[1:] == [
        "bitext",
        "Sentence-level alignment by momentum contrast (PPA, Pan et al. 2021)",
    ]


def test_one(capsys):
    assert main(["objectives", "dict_mlm"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("dict_mlm: Masked language modelling with a bilingual dictionary")
    assert "``" not in page
    assert "paper:   Chaudhary et al. (2020), DICT-MLM" in page and "https://arxiv.org/abs/2010.12566" in page
    assert "reads:   lexicon, from xalign lexicon DATA_BIN" in page and "reads:   mono" in page
    assert "trains:  the masked-language-model head" in page
    assert "  --dict-mlm-prob\n" in page and "--criterion dict_mlm" in page


def test_a_sum(capsys):
    assert main(["objectives", "align_mlm"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("align_mlm: the sum of mlm, lexicon_align.\n") and "--criterion align_mlm" in page
    assert "  --lexicon-align-weight 10.0\n" in page and "  xalign objectives lexicon_align\n" in page
    assert main(["objectives", "align_mlm", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["name"] == "align_mlm" and found["objectives"] == ["mlm", "lexicon_align"]
    assert main(["objectives", "xlm_algin"]) == 2
    assert "expected: xlm_align or" in capsys.readouterr().err
    main(["objectives", "dwa"])
    page = capsys.readouterr().out
    assert "labelling layer (default: 10 of 12, Table 11, the same depth in other encoders; " in page
    assert "Sinkhorn iterations (default: 2)\n" in page


def test_it_needs_no_fairseq():
    code = "from xalign_fairseq.cli import main\nmain(['objectives', 'tlm'])"
    assert run_without_fairseq(code).startswith("tlm: Translation language modelling")


def test_an_objective_of_a_user_dir(capsys):
    assert main(["objectives", "cosine_pull", "--user-dir", str(TUTORIAL)]) == 0
    page = capsys.readouterr().out
    assert "--cosine-pull-layer" in page and f"--user-dir {TUTORIAL} " in page


CODE = """
from xalign_fairseq.objectives.registry import Objective, register_objective

@register_objective("of_a_folder")
class OfAFolder(Objective):
    def forward(self, step): ...
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "LISTENERS", [])  # otherwise criterions would keep its options
    path = tmp_path / "my_objectives_of_a_test"
    path.mkdir()
    (path / "__init__.py").write_text(CODE)
    yield path
    OBJECTIVES.pop("of_a_folder", None)
    sys.modules.pop(path.name, None)


def test_it_registers_once(folder):
    before = list(sys.path)
    import_folder(str(folder))
    import_folder(f"{folder}/")
    assert "of_a_folder" in OBJECTIVES and sys.path == before


def test_a_name_that_another_package_has(folder):
    import_folder(str(folder))
    other = folder.parent / "other" / folder.name
    other.mkdir(parents=True)
    (other / "__init__.py").touch()
    with pytest.raises(XalignError, match="already imported"):
        import_folder(str(other))


@pytest.mark.parametrize(("code", "found"), [("import no_such_thing", "ModuleNotFound"), ("x = 1 +", "Syntax")])
def test_code_that_cannot_be_imported_is_named_by_its_line(folder, code, found):
    (folder / "__init__.py").write_text(f"\n{code}")
    with pytest.raises(XalignError, match=rf'__init__.py", line 2[\s\S]*{code[:5]}[\s\S]*{found}Error'):
        import_folder(str(folder))
