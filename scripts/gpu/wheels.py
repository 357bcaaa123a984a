"""Make a kit's wheels smaller: strip fairseq's, and replace scikit-learn, scipy and lxml by stand-ins.

usage: wheels.py FOLDER

fairseq-fixed loses its examples and three compiled modules (for BLEU, non-autoregressive translation and
speech), which nothing here imports: 18 of 20 MB. fairseq imports scikit-learn and scipy (45 MB) for the
scores of two tasks; sacrebleu imports lxml (5 MB) for downloads. Their stand-ins are installed only if the
real packages are missing.
"""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

LEFT_OUT = ("fairseq/examples/", "alignment_train_", "fairseq/libbase.", "fairseq/libnat.")
# Package -> the modules of it that are imported.
STAND_INS = {"scikit-learn": ("sklearn", "metrics"), "scipy": ("scipy", "stats"), "lxml": ("lxml", "etree")}
CODE = '''"""Stand-in for {name} in the kit for GPU machines: it can be imported but does nothing."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def missing(*args, **kwargs):
        raise ImportError(f"{{__name__}}.{{name}} needs {name}; this is a stand-in")

    return missing
'''
VERSION = "0+stand.in"
METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: xalign_fairseq\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def slim(wheel: Path) -> None:
    """Remove unneeded files from fairseq's wheel, in place."""
    new = wheel.with_suffix(".tmp")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for entry in old.infolist():
            if entry.filename.startswith(LEFT_OUT):
                continue
            content = old.read(entry)
            if entry.filename.endswith(".dist-info/RECORD"):
                lines = content.decode().splitlines(keepends=True)
                content = "".join(line for line in lines if not line.startswith(LEFT_OUT)).encode()
            out.writestr(entry, content, zipfile.ZIP_DEFLATED)
    new.replace(wheel)


def stand_in(name: str, folder: Path) -> Path:
    """Write the wheel of a stand-in."""
    package, part = STAND_INS[name]
    stem = f"{name.replace('-', '_')}-{VERSION}"
    files = {f"{package}/{module}.py": CODE.format(name=name) for module in ("__init__", part)}
    files |= {f"{stem}.dist-info/METADATA": METADATA.format(name=name, version=VERSION)}
    files |= {f"{stem}.dist-info/WHEEL": WHEEL}
    record = f"{stem}.dist-info/RECORD"
    lines = [f"{path},{_digest(text)},{len(text)}" for path, text in files.items()]
    wheel = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as out:
        for path, text in {**files, record: "\n".join([*lines, f"{record},,", ""])}.items():
            out.writestr(path, text)
    return wheel


def _digest(text: str) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def main() -> None:
    folder = Path(sys.argv[1])
    for wheel in folder.glob("fairseq_fixed-*.whl"):
        slim(wheel)
    for name in STAND_INS:
        stand_in(name, folder)


if __name__ == "__main__":
    main()
