import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.browser import BROWSER

pytestmark = pytest.mark.slow  # reads the docstrings of the whole package
ROOT = Path(__file__).resolve().parents[1]
# Opens each page in a frame of each width, and records those whose content is wider.
MEASURE = """<script>
const found = [];
async function measure(pages) {
  for (const width of [1280, 390]) for (const page of pages) {
    const frame = document.createElement("iframe");
    frame.style.cssText = `width:${width}px;height:800px;border:0`;
    await new Promise(loaded => { frame.onload = loaded; frame.src = page; document.body.append(frame); });
    if (frame.contentDocument.documentElement.scrollWidth > width) found.push(`${page} ${width}`);
    frame.remove();
  }
  document.body.textContent = `[${found.join(";")}]`;
}
</script><body><script>measure(PAGES)</script></body>
"""
# The build would send downloads here, where nothing answers.
NOWHERE = {name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy")}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site."""
    pytest.importorskip("sphinx", reason="the site is built with the extra docs")
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-c", "docs", "-W", "--keep-going", "-q", ".", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, **NOWHERE})
    assert done.returncode == 0, done.stderr[-6000:]
    return out


def test_every_page_is_built_and_reached_from_the_first(site):
    first = (site / "docs/index.html").read_text(encoding="utf-8")
    for page in ("user_dir_docs.md", *(page.relative_to(ROOT) for page in (ROOT / "docs").rglob("*.md"))):
        built = (site / page).with_suffix(".html")
        assert built.is_file(), page
        link = os.path.relpath(built, site / "docs")
        assert f'href="{link}"' in first or link == "index.html", f"{page} is in no table of contents"
    assert (site / "index.html").read_text().count("docs/index.html") == 2


def test_every_picture_exists(site):
    found = [
        (page, name)
        for page in site.rglob("*.html")
        for name in re.findall(r'<img\b[^>]*?src="([^"#?]+)', page.read_text())
    ]
    assert len(found) > 10
    assert not [(page, name) for page, name in found if not (page.parent / name).is_file()]


def test_pages_load_nothing_from_other_sites(site):
    """Styles, scripts, fonts and pictures are part of the site, so it needs no network."""
    fetched = re.compile(
        r"""<(?:script|img|iframe)\b[^>]*\bsrc=["']?(?:https?:)?//|<link\b[^>]*\bhref=["']?(?:https?:)?//"""
    )
    for page in site.rglob("*.html"):
        assert not fetched.search(page.read_text(encoding="utf-8")), page


@pytest.mark.skipif(not BROWSER, reason="no browser")
def test_no_page_is_wider_than_a_laptop_or_a_phone(site, tmp_path):
    wide = tmp_path / "wide.html"
    wide.write_text("<div style='width:500px'>.</div>")
    pages = [f"file://{page}" for page in (wide, *site.rglob("*.html"))]
    (tmp_path / "measure.html").write_text(MEASURE.replace("PAGES", json.dumps(pages)))
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--dump-dom")
    budget = "--virtual-time-budget=300000"
    line = [BROWSER, *options, budget, f"--user-data-dir={tmp_path}/user", f"file://{tmp_path}/measure.html"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=300)
    assert f"[file://{wide} 390]" in done.stdout, done.stdout[-3000:]
