"""The documentation site: every page of this repository as HTML.

    pip install -e ".[docs]" && python -m sphinx -c docs -W --keep-going . build/site

The pages are plain Markdown and also readable in the repository. The sources begin at its root, so that a link
between two pages, or to a script, works in both places. Only the table of contents is here.
"""

import re
import sys
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

# The table of contents: parts and their pages. A page belongs to the first part that names it.
CONTENTS = {
    "Tutorials": [
        *(
            f"docs/tutorials/{name}"
            for name in (
                "align", "evaluate", "fine_tune", "write_an_objective", "continue_pretraining", "transfer",
                "derived_languages", "gpu", "several_gpus",
            )
        ),
        "docs/tutorials/*",
    ],
    "How to": ["docs/howto/*"],
    "Gallery": ["docs/gallery/index", "docs/gallery/*"],
    "Reference": [
        "user_dir_docs",
        *(
            f"docs/reference/{name}"
            for name in (
                "task", "criterions", "objectives", "models", "hugging_face", "trimming", "optimizer", "transport",
                "data_bin", "logged", "aligning", "train_aligner", "from_bitext_alone", "transfer", "compat",
            )
        ),
        "docs/reference/*",
        "docs/plain_torch",
    ],
    "Commands": ["docs/reference/commands", "docs/reference/cli/*"],
    "API": ["docs/api/index", "docs/api/*"],
    "Look up": [
        "docs/troubleshooting", "docs/operations", "docs/formats", "docs/differences", "docs/scope",
        "docs/train", "docs/bench",
    ],
    "How it works": ["docs/life_of_a_batch", "docs/house"],
    "The papers": ["examples/*/*", "examples/*/*/*"],
    "Measured": ["docs/results", "docs/performance", "docs/machines", "docs/gpu", "docs/faults"],
    "The project": ["README", "docs/installation", "CONTRIBUTING", "docs/releasing", "*"],
    "More": ["docs/*", "docs/**/*"],
}  # fmt: skip

project = "xalign_fairseq"
author = "the authors of xalign_fairseq"
version = release = re.search(r'__version__ = "(.+?)"', (ROOT / "xalign_fairseq/core/version.py").read_text())[1]

root_doc = "docs/index"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
include_patterns = ["docs/**", "examples/**.md", "scripts/results/**.md", "*.md"]

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
napoleon_use_ivar = True
suppress_warnings = ["ref.python"]  # field names that several classes have
smartquotes = False  # --option stays unchanged
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]  # also copy pictures with a width
html_theme = "furo"
html_math_renderer = "mathml"  # browsers show it without fetching anything
html_static_path = ["site"]
html_css_files = ["site.css"]
html_show_copyright = False
html_title = f"{project} {release}"
html_extra_path = ["site/index.html"]  # index.html at the top redirects to the first page
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"source_repository": "", "navigation_with_keys": True}


def contents() -> str:
    """The tables of contents, for the end of the first page."""
    parts, seen = [], {root_doc}
    for part, patterns in CONTENTS.items():
        found = (page for pattern in patterns for page in sorted(ROOT.glob(f"{pattern}.md")))
        names = dict.fromkeys(str(page.relative_to(ROOT).with_suffix("")) for page in found)
        rows = "\n".join(f"/{name}" for name in names if name not in seen)
        seen.update(names)
        if rows:
            parts.append(f"```{{toctree}}\n:hidden:\n:caption: {part}\n\n{rows}\n```\n")
    return "\n" + "\n".join(parts)


def read_source(app, docname, source):
    """Additions to a page's text on the site: pages for links to folders, titles of tables, contents."""
    here = (ROOT / docname).parent

    def page_of(link):
        return f"]({link[1]}/README.md)" if (here / link[1] / "README.md").is_file() else link[0]

    source[0] = re.sub(r"\]\(([^)#:]+)/\)", page_of, source[0])
    if docname == root_doc:
        source[0] += contents()
    elif "/results/" in docname:  # generated tables without titles; pages that quote them link here
        title = "" if source[0].startswith("# ") else f"# {docname}\n\n"
        source[0] = f"---\norphan: true\n---\n\n{title}{source[0]}"


def skip_member(app, what, name, obj, skip, options):
    """Skip fields of named tuples, which repeat the class."""
    return True if type(obj).__name__ == "_tuplegetter" else skip


def write_inline(writer, node):
    """An inline formula."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def write_block(writer, node):
    """A display formula."""
    writer.body.append(convert(node.astext(), display="block"))
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    app.connect("source-read", read_source)
    app.connect("autodoc-skip-member", skip_member)
