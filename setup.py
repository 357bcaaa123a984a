"""Compile the native libraries of xalign_fairseq; pyproject.toml has the rest. Imports neither torch nor fairseq.

XALIGN_BUILD_OPS=cpu|cuda|cpu,cuda compiles the native libraries into the package, which then fits only this platform.
cpu-all instead of cpu compiles for every CPU with AVX2, as in released wheels (pyproject.toml).
Without it, a library is compiled when it is first needed.
"""

import importlib.util
import os
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
SINKHORN = Path("xalign_fairseq/transport/sinkhorn")
NATIVE = [kind for kind in os.environ.get("XALIGN_BUILD_OPS", "").replace(" ", "").split(",") if kind]


class BuildNative(build_py):
    """Copies the package and compiles into the copy, or into the package itself in an editable installation."""

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
    """A wheel with native libraries fits one platform, but any Python version."""

    def get_tag(self):
        python, abi, platform = super().get_tag()
        return ("py3", "none", platform) if NATIVE else (python, abi, platform)


class Native(Distribution):
    """Declares compiled files to setuptools."""

    def has_ext_modules(self):
        return bool(NATIVE)


def load_toolchain():
    """Load the package's compiling module from its file, because its package would import torch."""
    sys.path.insert(0, str(HERE))
    spec = importlib.util.spec_from_file_location("toolchain", HERE / SINKHORN / "toolchain.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


setup(distclass=Native, cmdclass={"build_py": BuildNative, "bdist_wheel": PlatformWheel})
