"""A ``--user-dir`` outside the package: it registers xalign_fairseq and one objective of its own."""

import xalign_fairseq

xalign_fairseq.register()

from . import cosine_pull  # noqa: E402, F401  (importing registers)
