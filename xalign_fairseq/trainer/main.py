"""fairseq-train as a file: processes that it spawns run it first, which sets the log's format and imports the loop."""

import sys

from fairseq_cli.train import cli_main

if __name__ == "__main__":
    sys.argv[0] = "fairseq-train"
    cli_main()
