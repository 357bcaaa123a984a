#!/usr/bin/env python3
"""Hold out validation pairs from FOLDER/all.* and write train.* and valid.* with links.

Training links are the intersection of the two directions. Validation links are a silver standard: the intersection
is sure, the rest of the union is possible.

usage: split_bitext.py FOLDER SRC TGT [--valid N] [--seed S]
"""

import argparse
import random
from contextlib import ExitStack
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("src")
    parser.add_argument("tgt")
    parser.add_argument("--valid", type=int, default=500, help="validation pairs (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the choice (default: %(default)s)")
    args = parser.parse_args()
    names = [args.src, args.tgt, "fwd", "rev"]
    columns = [(args.folder / f"all.{name}").read_text(encoding="utf-8").split("\n")[:-1] for name in names]
    held_out = set(random.Random(args.seed).sample(range(len(columns[0])), args.valid))
    with ExitStack() as stack:
        files = {
            (split, name): stack.enter_context(open(args.folder / f"{split}.{name}", "w", encoding="utf-8"))
            for split in ("train", "valid")
            for name in (args.src, args.tgt, "links")
        }
        for row, (src, tgt, fwd, rev) in enumerate(zip(*columns, strict=True)):
            split = "valid" if row in held_out else "train"
            sure = set(fwd.split()) & set(rev.split())
            links = sorted(sure)
            if split == "valid":
                links += sorted(link.replace("-", "p") for link in (set(fwd.split()) | set(rev.split())) - sure)
            for name, line in ((args.src, src), (args.tgt, tgt), ("links", " ".join(links))):
                files[split, name].write(line + "\n")


if __name__ == "__main__":
    main()
