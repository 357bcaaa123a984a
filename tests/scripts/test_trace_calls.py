"""The way of a command through the package's files."""

import sys


def test_the_way_of_a_command_is_printed(script, monkeypatch, capsys):
    trace_calls = script("trace_calls")
    monkeypatch.setattr(sys, "argv", ["trace_calls.py", "user-dir"])
    trace_calls.main()
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ["cli/user_dir.py", "from", "cli/__init__.py"] for line in lines)
    assert lines[-1].endswith(" files, 0 upward hops; exit code 0")


def test_calls_into_a_room_further_up_are_told(script):
    trace = script("trace_calls").Trace()
    trace.entered = [("core/files.py", "cli/align.py"), ("cli/align.py", "core/files.py"), ("cli/align.py", "")]
    assert trace.upward() == [("core/files.py", "cli/align.py")] and trace.files() == ["core/files.py", "cli/align.py"]
