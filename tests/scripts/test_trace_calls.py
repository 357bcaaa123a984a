import re
import sys

import document_house
import pytest

# Maximum number of calls into a room further up: from progress, log handlers, and a pool's work.
UPWARD = {"from_pretrained": 0, "prepare": 3, "train-aligner": 8, "align": 1, "transfer": 0}


def test_the_way_of_a_command_is_printed(script, monkeypatch, capsys):
    trace_calls = script("trace_calls")
    monkeypatch.setattr(sys, "argv", ["trace_calls.py", "user-dir"])
    trace_calls.main()
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ["cli/user_dir.py", "from", "cli/__init__.py"] for line in lines)
    assert lines[-1].endswith(" files, 0 upward hops; exit code 0")


@pytest.mark.parametrize("name", UPWARD)
def test_the_page_of_the_house_has_the_upward_calls_of_each_command(name):
    row = re.search(rf"^\| {name} \|.*\| (\d+) \|$", document_house.PAGE.read_text(), re.MULTILINE)
    assert row and int(row[1]) <= UPWARD[name]


@pytest.mark.slow  # trains
def test_five_commands_make_no_new_upward_calls(script, tmp_path):
    traces = script("trace_calls").sample_traces(tmp_path)
    assert {name: trace.upward() for name, trace in traces.items() if len(trace.upward()) > UPWARD[name]} == {}
    assert list(traces) == list(UPWARD) and all(len(trace.files()) > 20 for trace in traces.values())
