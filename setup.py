"""Packaging of xalign_fairseq. Imports neither torch nor fairseq."""

import re
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent
VERSION = re.search(r'__version__ = "(.+?)"', (HERE / "xalign_fairseq/__init__.py").read_text())[1]

setup(
    name="xalign_fairseq",
    version=VERSION,
    description="Cross-lingual alignment objectives for fairseq: XLM-Align and its kin, and a word aligner",
    long_description=(HERE / "README.md").read_text(encoding="utf-8") if (HERE / "README.md").exists() else "",
    long_description_content_type="text/markdown",
    license="MIT",
    packages=find_packages(include=["xalign_fairseq", "xalign_fairseq.*"]),
    package_data={"xalign_fairseq": ["py.typed", "**/*.json", "**/*.tsv", "**/*.txt", "**/*.css", "**/*.js"]},
    python_requires=">=3.11",
    install_requires=[
        "fairseq-fixed==0.12.3.1",
        "torch>=2.6",
        "numpy>=2",
        "sentencepiece>=0.2",
        "tqdm>=4.60",
        "PyYAML>=6",
    ],
    extras_require={
        "plot": ["matplotlib>=3.8"],
        "tensorboard": ["tensorboard>=2.15"],
        "huggingface": ["safetensors>=0.4", "tokenizers>=0.20"],
        "faiss": ["faiss-cpu>=1.8"],
        "recipes": ["eflomal>=2", "sacremoses>=0.1", "scipy"],
        "benchmark": [
            "simalign==0.4",
            "awesome-align==0.1.7",
            "transformers>=5",
            "tokenizers>=0.20",
            "safetensors>=0.4",
        ],
        "test": [
            "pytest>=8",
            "pytest-xdist>=3.8",
            "hypothesis>=6",
            "ruff",
            "mypy",
            "scipy",
            "matplotlib>=3.8",
            "tensorboard>=2.15",
            "seqeval>=1.2.2",
            "safetensors>=0.4",
            "tokenizers>=0.20",
            "transformers>=5",
            "faiss-cpu>=1.8",
        ],
    },
    entry_points={"console_scripts": ["xalign = xalign_fairseq.cli:main"]},
)
