"""Rules that shell scripts keep."""

import re
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Programs that may end before their input does. What writes into them is then killed by SIGPIPE, or not, as it happens.
STOPS_READING = re.compile(r"\|\s*(head\b|grep\s+(-\w*[qm]|--quiet|--max-count)|sed\s.*\bq\b)")


def test_no_script_pipes_into_a_program_that_stops_reading():
    """Under pipefail a script would end with 141 where the writer comes second."""
    scripts = list(chain(*(ROOT.glob(f"{top}/**/*.sh") for top in ("scripts", "examples"))))
    assert len(scripts) > 20
    lines = [(path, line) for path in [*scripts, ROOT / ".ci/run"] if path.exists() for line in path.open()]
    assert [(path.name, line) for path, line in lines if STOPS_READING.search(line)] == []
