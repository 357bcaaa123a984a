import base64
import hashlib
import json
import re
import subprocess
from html import unescape

import pytest
from support.browser import BROWSER, read_html

from xalign_fairseq.aligner.neural.aligner import Alignment
from xalign_fairseq.aligner.render.matrix import CONTROLS
from xalign_fairseq.aligner.render.page import Page
from xalign_fairseq.core.text.segmented import SegmentedText
from xalign_fairseq.links.pharaoh import Gold, parse_line

HEBREW = Alignment(
    ["BBC", "said", "so", "."], ["רשת", "BBC", "אמרה", "."], {(0, 1): 0.9, (1, 2): 0.8, (0, 0): 0.004, (3, 3): 1.0}
)
HINDI = Alignment(["red", "house"], ["लाल", "घर", "।"], {(0, 0): 0.75})
EMPTY = Alignment([], ["alone"], {})
HOSTILE = Alignment(
    ["<script>alert(1)</script>", "a\"b'c", "&amp;", "\0\t\n\x85", "x" * 3000],
    ["</p></article>", "👩‍👩‍👧"],
    {(4, 1): 0.5},
)
PAIRS = [HEBREW, HINDI, EMPTY, HOSTILE]


def whole(page, pairs):
    lines = [page.line(pair, number) for number, pair in enumerate(pairs, 1)]
    assert not any("\n" in line for line in lines)
    return page.begin() + "".join(line + "\n" for line in lines) + page.end()


def articles(page, pairs):
    """The element of each pair, and those of its two sides."""
    found = [*read_html(whole(page, pairs)).iter("article")]
    return [(each, [side for side in each.iter("p") if side.get("class") != "facts"]) for each in found]


def test_a_text_is_shown_with_its_own_spaces():
    text = SegmentedText(" 你好\u3000<b>\u200b 世界。 ", ((1, 3), (4, 7), (9, 11), (11, 12)))
    shown = re.search(r"aria-label=\"source\">(.*?)</p>", Page().line(Alignment(text, ["a", "b"], {}), 1))[1]
    assert unescape(re.sub(r"</?span[^>]*>", "", shown)) == "你好 <b>\u200b 世界。"
    assert "a</span> <span" in Page().line(Alignment(text, ["a", "b"], {}), 1)  # words without text


def test_a_page_holds_the_words_and_links_of_every_pair():
    read = articles(Page(), PAIRS)
    assert [pair.get("id") for pair, _ in read] == ["1", "2", "3", "4"]
    for (pair, sides), alignment in zip(read, PAIRS, strict=True):
        for side, words in zip(sides, (alignment.src, alignment.tgt), strict=True):
            assert [span.text for span in side.iter("span")] == [word.translate(CONTROLS) for word in words]
        items = (item.split("=") for item in pair.get("data-links").split())
        assert {tuple(map(int, link.split("-"))): float(p) for link, p in items} == alignment.links
        assert "data-gold" not in pair.attrib


def test_text_is_escaped_and_nothing_is_loaded():
    page = whole(Page(), PAIRS)
    read = [*read_html(page).iter()]
    assert [each.tag for each in read].count("script") == 1
    assert not any({"src", "onclick", "style"} & each.attrib.keys() for each in read)
    assert all(each.get("href", "#").startswith("#") for each in read)
    assert "url(" not in page and "@import" not in page
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", page)
    assert "␀␉␊" in page


def test_only_the_pages_own_script_may_run():
    page = Page().begin()
    script = re.search(r"<script>(.*)</script>", page, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in page


def test_sides_know_their_direction_size_and_language():
    read = articles(Page(languages=("en", "he")), [HEBREW, HINDI])
    attrs = [[side.attrib for side in sides] for _, sides in read]
    assert [[side["dir"] for side in pair] for pair in attrs] == [["ltr", "rtl"], ["ltr", "ltr"]]
    assert [["class" in side for side in pair] for pair in attrs] == [[False, True], [False, True]]
    assert [[side["lang"] for side in pair] for pair in attrs] == [["en", "he"]] * 2
    assert all(side["tabindex"] == "0" and side["aria-label"] for pair in attrs for side in pair)


def test_labels_have_a_colour_each_and_are_named_at_their_first_word():
    pair = Alignment(["New", "York", "now"], ["jetzt"], {})
    line = Page().line(pair, 1, labels=([(range(0, 2), "A<B")], []))
    colours = re.findall(r'style="--label: (\d+)"', line)
    assert len(colours) == 2 and len(set(colours)) == 1
    assert re.findall(r'data-label="([^"]*)"[^>]*>(\w+)<', line) == [("A&lt;B", "New")]


def test_gold_links_mark_wrong_and_missing_links():
    page = Page([parse_line("0-1 1p2 2-2 3p0"), Gold(frozenset(), frozenset({(0, 0)}))])
    (first, sides), (second, _) = articles(page, [HEBREW, HINDI])
    assert first.get("data-gold") == "0-1 1p2 2-2 3p0"
    assert [[span.get("class") for span in side.iter("span")] for side in sides] == [
        ["wrong", None, "alone wrong", "wrong"],
        ["wrong", None, "wrong", "wrong"],
    ]
    assert "4 links · 2 not gold · 1 missing" in "".join(first.itertext())
    assert "1 link · all as gold" in "".join(second.itertext())
    assert "sure gold link that is missing" in page.begin() and "missing" not in Page().begin().split("<body>")[1]


def browse(page, folder, script):
    """The value of ``script`` after it ran on the page in a browser; console messages are errors."""
    # The page's own policy would refuse the script of a test.
    page = re.sub(r"<meta http-equiv[^>]*>", "", page)
    probe = f"""<script>addEventListener("load", async () => {{
      // Frames in which observers report and the page draws: a busy machine's first ones come late.
      for (let frame = 0; frame < 20; frame++)
        await Promise.race([new Promise(requestAnimationFrame), new Promise((done) => setTimeout(done, 200))])
          .then(() => new Promise((done) => setTimeout(done, 50)));
      const said = {{begun: document.querySelector("svg") !== null}};
      {script}
      const out = document.createElement("pre"); out.id = "probe"; out.textContent = JSON.stringify(said);
      document.body.append(out);
    }});</script></body>"""
    (folder / "page.html").write_text(page.replace("</body>", probe))
    for _ in range(8):  # a browser can exit before its first frame, which draws the links
        shown = render(folder / "page.html", folder)
        said = json.loads(unescape(re.search(r'<pre id="probe">(.*?)</pre>', shown, re.DOTALL)[1]))
        if said["begun"]:  # before the script, which can also draw links
            break
    return said


def render(path, folder):
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"]
    command += ["--window-size=1200,900", "--virtual-time-budget=9000", f"--user-data-dir={folder}/profile"]
    command.append(f"file://{path}")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "CONSOLE" not in done.stderr, done.stderr
    return done.stdout


@pytest.mark.skipif(BROWSER is None, reason="no Chromium to show the page in")
def test_a_browser_shows_the_page_without_errors(tmp_path):
    (tmp_path / "page.html").write_text(whole(Page(), PAIRS))
    for _ in range(8):  # on a busy machine the page may be dumped before its first frame
        shown = render(tmp_path / "page.html", tmp_path)
        if "<path" in shown:
            break
    # The script ran under the page's policy: links between single lines are drawn.
    assert shown.count("<path") == len(HEBREW.links) + len(HINDI.links)
    assert "Theme: auto</button>" in shown and shown.count('class="listed">x') == 1


@pytest.mark.skipif(BROWSER is None, reason="no Chromium to show the page in")
def test_pointing_and_keys_show_a_words_links(tmp_path):
    script = """
      const all = (selector) => [...document.querySelectorAll(selector)];
      const word = (side, index) => all("article:first-child .sides p")[side].children[index];
      const state = () => ({
        here: all(".here").map((word) => word.textContent),
        partners: all("span.link, span.extra, span.missing").map((word) => word.className),
        chances: all(".chance").map((note) => note.textContent),
        paths: all("article:first-child path").length,
        told: document.getElementById("said").textContent,
      });
      const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
      word(0, 0).dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
      said.pointed = state();
      document.body.dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
      said.left = state();
      word(1, 1).click();
      said.clicked = state();
      press("ArrowLeft"); said.next = state();
      press("ArrowRight"); press("ArrowRight"); said.first = state();
      press("End"); press("ArrowUp"); said.over = state();
      press("Home"); press("ArrowRight"); press("ArrowRight"); said.lonely = state();
      press("Escape"); said.away = state();
      const button = document.querySelector("button");
      button.click(); said.theme = [button.textContent, getComputedStyle(document.documentElement).colorScheme];
    """
    said = browse(
        whole(Page([parse_line("0-1 1p2 2-2"), *[Gold(frozenset(), frozenset())] * 3]), PAIRS), tmp_path, script
    )
    assert said["pointed"]["here"] == ["BBC"]
    assert said["pointed"]["partners"] == ["wrong extra", "link"]
    assert said["pointed"]["chances"] == ["<1%", "90%"]
    assert said["pointed"]["paths"] == 2
    assert said["left"]["here"] == said["left"]["chances"] == said["left"]["partners"] == []
    assert said["left"]["paths"] == 5  # four links and one missing
    assert (said["clicked"]["here"], said["clicked"]["told"]) == (["BBC"], "BBC: BBC 90%")
    assert said["next"]["here"] == ["אמרה"]  # in right-to-left text the next word is on the left
    assert said["next"]["told"] == "אמרה: said 80%; so, missing"
    assert said["next"]["chances"] == ["80%", "missing"]
    assert said["first"]["told"] == "רשת: BBC <1%, not gold"
    assert (said["over"]["here"], said["over"]["told"]) == (["."], ".: . 100%, not gold")
    assert said["lonely"]["told"] == "so: אמרה, missing"
    assert said["away"]["here"] == [] and said["away"]["paths"] == 5
    assert said["theme"] == ["Theme: light", "light"]


@pytest.mark.skipif(BROWSER is None, reason="no Chromium to show the page in")
def test_links_are_clear_between_single_lines_faint_over_few_and_hidden_over_many(tmp_path):
    pairs = [Alignment(["word"] * n, ["Wort"] * n, {(k, k): 1.0 for k in range(n)}) for n in (5, 40, 200)]
    script = """
      said.drawn = [...document.querySelectorAll("article")].map((pair) =>
        [pair.querySelectorAll("path").length, pair.querySelector("svg")?.classList.contains("faint")]);
      const word = document.querySelectorAll(".sides p")[2].children[3];
      word.dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
      const svg = word.closest("article").querySelector("svg");
      said.asked = [svg?.children.length, svg?.classList.contains("faint")];
    """
    said = browse(whole(Page(), pairs), tmp_path, script)
    assert said["drawn"] == [[5, False], [40, True], [0, True]]
    assert said["asked"] == [1, False]
