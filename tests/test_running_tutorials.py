"""The tutorials and some guides work: their commands are run as written; test_running_pages.py runs other pages."""

import pytest
from support.pages import ROOT, blocks, run, script

TASKS = ("build_a_glossary", "clean_a_corpus", "large_corpora", "move_markup", "project_labels", "train_marian")
AS_WRITTEN = [
    *sorted(page for page in (ROOT / "docs/tutorials").glob("*.md") if page.stem != "index"),
    *(ROOT / f"docs/howto/{task}.md" for task in TASKS),
]


@pytest.mark.slow
@pytest.mark.parametrize("page", AS_WRITTEN, ids=lambda page: page.stem)
def test_a_page_runs_unchanged(page, tmp_path):
    printed = run(script(page), tmp_path)
    assert not [text for kind, text in blocks(page) if kind == "text" and text not in printed]


def test_every_page_that_is_run_has_commands():
    assert len(AS_WRITTEN) > len(TASKS)
    assert not [page for page in AS_WRITTEN if "xalign" not in script(page)]
