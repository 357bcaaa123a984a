import logging
import sys

from xalign_fairseq.core.errors import Command, Parameter
from xalign_fairseq.trainer.messages import log_as_typed


def test_options_are_logged_as_they_are_typed_also_into_the_log_file(tmp_path, monkeypatch, capsys):
    root, own = logging.getLogger(), logging.getLogger("xalign_fairseq")
    shown = logging.StreamHandler(sys.stderr)
    monkeypatch.setattr(root, "handlers", [shown])
    monkeypatch.setattr(own, "handlers", [])
    log_as_typed(str(tmp_path / "train.log"))
    own.warning("set %s, see %s", Parameter("moco_queue_size", 8), Command("objectives", "moco"))
    root.warning("%s and %s", "text", 1)
    first = "set --moco-queue-size 8, see xalign objectives moco\n"
    assert capsys.readouterr().err == f"{first}text and 1\n"
    assert (tmp_path / "train.log").read_text() == first
    own.handlers[0].close()
