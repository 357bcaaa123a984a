"""``python -m xalign_fairseq`` is the ``xalign`` command."""

import sys

from xalign_fairseq.cli import main

sys.exit(main())
