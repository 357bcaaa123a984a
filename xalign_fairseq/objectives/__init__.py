"""Objectives, one file each: hidden states to losses. Every module of this folder is imported, which registers it."""

import importlib
import pkgutil

for _info in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_info.name}")
