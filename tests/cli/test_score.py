import hashlib
import json
import subprocess
import sys

import pytest

from xalign_fairseq.cli import main
from xalign_fairseq.core.version import __version__

GOLD = "0-0 1-1 2-2 1p2 3p3\n0-1 1-0\n\n"
HYP = "0-0 1-1 1-2 4-0\n0-1\n\n"  # 3 of 5 sure, 4 of 5 possible, 5 links
SRC = "a b c d e\na b\na\n"
TGT = "a b c d\na b\na\n"


@pytest.fixture
def files(tmp_path):
    for name, text in (("gold", GOLD), ("hyp", HYP), ("src", SRC), ("tgt", TGT)):
        (tmp_path / name).write_text(text)
    return tmp_path


def raised(text):
    lines = text.splitlines()
    marks = [[item.replace("p", " p ").replace("-", " - ").split() for item in line.split()] for line in lines]
    return "".join(" ".join(f"{int(i) + 1}{mark}{int(j) + 1}" for i, mark, j in line) + "\n" for line in marks)


def score(capsys, *options):
    code = main(["score", *map(str, options)])
    out, err = capsys.readouterr()
    return code, out, err


def test_json(files, capsys):
    code, out, _ = score(capsys, "--hyp", files / "hyp", "--gold", files / "gold", "--json")
    found = json.loads(out)
    digest = hashlib.sha256((files / "gold").read_bytes()).hexdigest()[:12]
    signature = "base:hyp0,gold0|possible:includes-sure|null:unlinked|unit:word|average:micro"
    signature += f"|data:gold=sha256-{digest}|version:{__version__}"
    assert code == 0 and found == {
        "aer": pytest.approx(1 - (3 + 4) / (5 + 5)),
        "precision": pytest.approx(4 / 5),
        "recall": pytest.approx(3 / 5),
        "f1": pytest.approx(2 * 0.8 * 0.6 / 1.4),
        "links": 5,
        "sure": 5,
        "sentences": 3,
        "signature": signature,
    }


@pytest.mark.parametrize("name", ["hyp", "gold"])
def test_a_one_based_file_is_named_and_can_be_converted(files, capsys, name):
    (files / name).write_text(raised({"hyp": HYP, "gold": GOLD}[name]))
    options = ["--hyp", files / "hyp", "--gold", files / "gold"]
    code, out, err = score(capsys, *options)
    assert code == 2 and not out
    assert "looks 1-based" in err and f"where: {files / name}" in err and f"--{name}-index-base 1" in err
    code, _, err = score(capsys, *options, "--src", files / "src", "--tgt", files / "tgt")
    assert code == 2 and f"where: {files / name}, line 1" in err and f"--{name}-index-base 1" in err
    code, out, _ = score(capsys, *options, f"--{name}-index-base", 1, "--json")
    assert code == 0 and json.loads(out)["aer"] == pytest.approx(0.3)
    assert f"{name}1" in json.loads(out)["signature"]
    code, out, _ = score(capsys, *options, f"--{name}-index-base", 0, "--json")
    assert code == 0 and json.loads(out)["aer"] > 0.5


def test_two_one_based_files_are_caught_by_their_text(files, capsys):
    (files / "hyp").write_text(raised(HYP))
    (files / "gold").write_text(raised(GOLD))
    options = ["--hyp", files / "hyp", "--gold", files / "gold"]
    assert score(capsys, *options)[0] == 0
    code, _, err = score(capsys, *options, "--src", files / "src", "--tgt", files / "tgt")
    assert code == 2 and "looks 1-based" in err


def test_comparison(files, capsys):
    (files / "better").write_text("0-0 1-1 2-2\n0-1 1-0\n\n")
    options = ["--hyp", files / "hyp", "--gold", files / "gold", "--compare", files / "better"]
    _, out, _ = score(capsys, *options, "--json")
    compared = json.loads(out)["compare"]
    assert compared["aer"] == 0 and compared["aer_difference"] == pytest.approx(-0.3)
    assert 0 < compared["p_value"] <= 1 and compared["samples"] == 1000
    _, out, _ = score(capsys, *options, "--bootstrap", 50)
    assert "compared: aer 0.00, difference -30.00" in out and "(50 resamples)" in out


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("hyp", "0-0\n", "1 line of hypothesis, 3 of gold"),
        ("hyp", "0-0\n1+1\n\n", "hyp, line 2"),
        ("gold", "\n\n\n", "the gold file has no link"),
    ],
)
def test_bad_files(files, capsys, name, text, expected):
    (files / name).write_text(text)
    code, out, err = score(capsys, "--hyp", files / "hyp", "--gold", files / "gold")
    assert code == 2 and expected in err and not out


def test_exchanged_languages_give_a_warning(files, capsys):
    for lines, warns in ((5, True), (3, False)):  # with few links it may be chance
        (files / "hyp").write_text("0-1 1-2 2-3\n" * lines)
        (files / "gold").write_text("1-0 2-1 3-2\n" * lines)
        code, _, err = score(capsys, "--hyp", files / "hyp", "--gold", files / "gold")
        assert code == 0 and ("source and target exchanged" in err) == warns


def test_swapped_files_give_a_warning(files, capsys):
    (files / "sure").write_text("0-0 1-1\n0-1\n\n")
    code, _, err = score(capsys, "--hyp", files / "gold", "--gold", files / "sure")
    assert code == 0 and "the files may be swapped" in err
    for hyp, gold in (("sure", "gold"), ("sure", "sure"), ("gold", "gold")):
        assert score(capsys, "--hyp", files / hyp, "--gold", files / gold)[2] == ""


def test_gold_as_the_shared_tasks_write_it(files, capsys):
    numbered = [
        f"{pair} {int(item.replace('p', '-').split('-')[0]) + 1} {int(item.replace('p', '-').split('-')[1]) + 1} "
        f"{'P' if 'p' in item else 'S'}"
        for pair, line in enumerate(GOLD.splitlines(), 1)
        for item in line.split()
    ]
    (files / "numbered").write_text("\n".join(numbered) + "\n")
    _, expected, _ = score(capsys, "--hyp", files / "hyp", "--gold", files / "gold", "--json")
    code, found, _ = score(capsys, "--hyp", files / "hyp", "--gold", files / "numbered", "--json")
    found, expected = json.loads(found), json.loads(expected)
    assert code == 0 and "gold1" in found.pop("signature") and "gold0" in expected.pop("signature")
    assert found == expected
    code, _, err = score(capsys, "--hyp", files / "numbered", "--gold", files / "hyp")
    assert code == 2 and "numbered lines (1 3 2 S) can only be gold" in err
    (files / "json").write_text('{"src": ["a"], "tgt": ["b"], "links": [[0, 0, 1]]}\n' * 3)
    code, _, err = score(capsys, "--hyp", files / "json", "--gold", files / "gold")
    assert code == 2 and "this is JSON" in err and "text.links" in err
    code, _, err = score(capsys, "--hyp", files / "hyp", "--gold", files / "numbered", "--gold-index-base", 0)
    assert code == 2 and "counts tokens from 1" in err


def test_scoring_files_loads_no_torch(files):
    line = ("score", "--hyp", str(files / "hyp"), "--gold", str(files / "gold"), "--bootstrap", "5")
    program = (
        "import sys; sys.modules['torch'] = None; from xalign_fairseq.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run([sys.executable, "-c", program, *line], capture_output=True, text=True)
    assert done.returncode == 0 and "aer" in done.stdout, done.stderr
