"""The last step of packing: write kit.json, print the sizes, and refuse a kit that is too large.

usage: pack_manifest.py KIT --commit COMMIT --python VERSION --cuda ARCHITECTURES
"""

import argparse
import json
import sys
from pathlib import Path

import kit as kits

LARGE = 1_000_000  # bytes from which a wheel is listed


def write(kit: Path, commit: str, python: str, cuda: str) -> int:
    """Write the manifest, print the sizes, and return the total in bytes."""
    parts = {path.name: kits.size(path) for path in sorted(kit.iterdir()) if path.name != kits.MANIFEST}
    wheels = {path.name: kits.size(path) for path in sorted((kit / kits.WHEELS).iterdir())}
    manifest = {"commit": commit, "python": python, "cuda": cuda, "bytes": parts, "wheels": wheels}
    (kit / kits.MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    for name, count in parts.items():
        print(f"{count / 1e6:8.2f} MB  {name}")
        if name == kits.WHEELS:
            large = sorted(((size, wheel) for wheel, size in wheels.items() if size >= LARGE), reverse=True)
            print("".join(f"{size / 1e6:12.2f} MB  {wheel}\n" for size, wheel in large), end="")
    whole = kits.size(kit)
    print(f"{whole / 1e6:8.2f} MB  in all, of at most {kits.LARGEST / 1e6:.0f}; commit {commit}, Python {python}")
    if whole > kits.LARGEST:
        (kit / kits.MANIFEST).unlink()  # so that the kit is not used
        raise kits.KitError(f"the kit is larger than {kits.LARGEST / 1e6:.0f} MB; leave something out")
    return whole


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kit", type=Path)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--cuda", required=True, help="architectures of the kernels, empty if none were compiled")
    args = parser.parse_args()
    write(args.kit, args.commit, args.python, args.cuda)
    return 0


if __name__ == "__main__":
    sys.exit(kits.tell(main))
