"""The overview of commands."""

from xalign_fairseq.cli import command_modules
from xalign_fairseq.cli._ways import EXAMPLES, GROUPS, OTHERS, overview


def test_every_command_has_a_group_and_fits_a_line():
    summaries = {name: (module.__doc__ or "").split("\n")[0] for name, module in command_modules().items()}
    text = overview(summaries)
    assert f"\n{OTHERS}:" not in text
    for name, summary in summaries.items():
        assert text.count(f"\n    {name} ") == 1 and summary.endswith(".")
    assert max(map(len, text.split("\n")[2:])) <= 100
    assert all(f"\n  {line}\n" in text for line in EXAMPLES)


def test_a_group_without_commands_is_not_shown_and_one_without_a_group_is():
    text = overview({"align": "Align.", "new": "Is new."})
    assert "align words:\n    align  Align.\n" in text and f"{OTHERS}:\n    new    Is new.\n" in text
    assert not [title for title in GROUPS if f"{title}:" in text and title != "align words"]
