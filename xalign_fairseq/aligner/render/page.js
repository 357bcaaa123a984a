"use strict";
// An <article> describes its pair: data-links "i-j=probability ..." and, with gold links, data-gold "i-j" (sure) and
// "ipj" (possible). Pointing at a word, or moving to it by keys, shows only its links.
{
  const SVG = "http://www.w3.org/2000/svg";
  const WORD = ".sides p > span";
  const MOST_LINES = 3; // per side, for links to be drawn at rest
  const pairs = new WeakMap(); // article -> its words and links
  const visible = new Set(); // articles on or near the screen
  let asked = null; // {pair, side, index}: the word whose links are shown
  let place = null; // the word with keyboard focus, likewise

  function pairOf(article) {
    if (!pairs.has(article)) {
      const box = article.querySelector(".sides");
      const sides = [...box.querySelectorAll("p")];
      const words = sides.map((side) => [...side.querySelectorAll(":scope > span")]);
      pairs.set(article, { article, box, sides, words, links: linksOf(article.dataset), last: [0, 0] });
    }
    return pairs.get(article);
  }

  function linksOf({ links, gold }) {
    const marks = new Map((gold || "").split(" ").filter(Boolean).map((g) => [g.replace("p", "-"), g.includes("-")]));
    const found = (links || "").split(" ").filter(Boolean).map((item) => {
      const [link, chance] = item.split("=");
      const kind = gold === undefined || marks.has(link) ? "link" : "extra";
      marks.delete(link);
      return { ends: link.split("-").map(Number), chance: Number(chance), kind };
    });
    for (const [link, sure] of marks) {
      if (sure) found.push({ ends: link.split("-").map(Number), chance: 0, kind: "missing" });
    }
    return found;
  }

  function wordAt(target) {
    const word = target instanceof Element && target.closest(WORD);
    if (!word) return null;
    const pair = pairOf(word.closest("article"));
    const side = pair.sides.indexOf(word.parentElement);
    return { pair, side, index: pair.words[side].indexOf(word) };
  }

  const linksFrom = ({ pair, side, index }) => pair.links.filter((link) => link.ends[side] === index);

  // ---- drawing ----

  function middle(pair, side, index) {
    const frame = pair.box.getBoundingClientRect();
    const box = pair.words[side][index].getClientRects()[0];
    return { x: (box.left + box.right) / 2 - frame.left, top: box.top - frame.top, bottom: box.bottom - frame.top };
  }

  function draw(pair, links) {
    const paths = links.map(({ ends, chance, kind }) => {
      const from = middle(pair, 0, ends[0]);
      const to = middle(pair, 1, ends[1]);
      const bend = 0.45 * (to.top - from.bottom);
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("class", kind);
      path.setAttribute("d", `M${from.x} ${from.bottom}C${from.x} ${from.bottom + bend} ${to.x} ${to.top - bend} ${to.x} ${to.top}`);
      path.style.opacity = kind === "missing" ? 1 : 0.25 + 0.75 * chance;
      return path;
    });
    if (!pair.svg) {
      pair.svg = document.createElementNS(SVG, "svg");
      pair.svg.setAttribute("aria-hidden", "true");
      pair.box.append(pair.svg);
    }
    pair.svg.classList.remove("faint");
    pair.svg.replaceChildren(...paths);
  }

  // All links are readable between two single lines. Over a few lines they are faint. Over more lines they are hidden;
  // on paper and on phones, where one cannot point at words, they are listed.
  function drawAtRest(pair) {
    if (asked?.pair === pair) return;
    const linesOf = (side) => Math.round(side.offsetHeight / parseFloat(getComputedStyle(side).lineHeight));
    const lines = Math.max(...pair.sides.map(linesOf));
    draw(pair, lines <= MOST_LINES ? pair.links : []);
    pair.svg.classList.toggle("faint", lines > 1);
    list(pair, lines > MOST_LINES ? pair.links : []);
  }

  function list(pair, links) {
    if (!pair.list) {
      pair.list = pair.box.parentElement.appendChild(document.createElement("p"));
      pair.list.className = "listed";
    }
    const wordsOf = ({ ends }) => ends.map((index, side) => pair.words[side][index].textContent).join(" – ");
    pair.list.textContent = links.map(wordsOf).join("; ");
  }

  function percent(chance) {
    return chance < 0.005 ? "<1%" : `${Math.round(100 * chance)}%`;
  }

  function label(pair, side, { ends, chance, kind }) {
    const at = middle(pair, side, ends[side]);
    const note = document.createElement("div");
    note.className = `chance ${kind}`;
    note.textContent = kind === "missing" ? "missing" : percent(chance);
    note.style.left = `${at.x}px`;
    note.style.top = side ? `${at.bottom}px` : `calc(${at.top}px - 1.25em)`;
    pair.box.append(note);
  }

  // ---- links of one word ----

  function clear() {
    if (!asked) return;
    const { pair } = asked;
    asked = null;
    pair.article.classList.remove("asked");
    for (const word of pair.words.flat()) word.classList.remove("here", "link", "extra", "missing");
    for (const note of pair.box.querySelectorAll(".chance")) note.remove();
    drawAtRest(pair);
  }

  function ask(word) {
    if (asked && word && asked.pair === word.pair && asked.side === word.side && asked.index === word.index) return;
    clear();
    if (!word) return;
    asked = word;
    const { pair, side, index } = word;
    const links = linksFrom(word);
    pair.article.classList.add("asked");
    pair.words[side][index].classList.add("here");
    for (const link of links) {
      const partner = pair.words[1 - side][link.ends[1 - side]];
      partner.classList.add(link.kind);
      partner.style.setProperty("--p", link.chance);
      label(pair, 1 - side, link);
    }
    draw(pair, links);
  }

  function say({ pair, side, index }) {
    const partners = linksFrom({ pair, side, index }).map(({ ends, chance, kind }) => {
      const word = pair.words[1 - side][ends[1 - side]].textContent;
      return kind === "missing" ? `${word}, missing` : `${word} ${percent(chance)}${kind === "extra" ? ", not gold" : ""}`;
    });
    document.getElementById("said").textContent =
      `${pair.words[side][index].textContent}: ${partners.join("; ") || "no link"}`;
  }

  function moveTo(word) {
    place = word;
    word.pair.last[word.side] = word.index;
    ask(word);
    say(word);
    word.pair.words[word.side][word.index].scrollIntoView({ block: "nearest" });
  }

  // ---- pointer, focus, keys ----

  document.addEventListener("pointerover", (event) => ask(wordAt(event.target) || place));
  document.documentElement.addEventListener("pointerleave", () => ask(place));

  document.addEventListener("click", (event) => {
    const word = wordAt(event.target);
    if (!word) return;
    word.pair.last[word.side] = word.index;
    word.pair.sides[word.side].focus();
    moveTo(word);
  });

  document.addEventListener("focusin", (event) => {
    if (!event.target.matches(".sides p[tabindex]")) return;
    const pair = pairOf(event.target.closest("article"));
    const side = pair.sides.indexOf(event.target);
    if (event.target.matches(":focus-visible")) moveTo({ pair, side, index: pair.last[side] });
  });

  document.addEventListener("focusout", () => {
    place = null;
    clear();
  });

  document.addEventListener("keydown", (event) => {
    if (!place || event.altKey || event.ctrlKey || event.metaKey) return;
    const { pair, side, index } = place;
    const forward = pair.sides[side].dir === "rtl" ? -1 : 1;
    const steps = { ArrowRight: index + forward, ArrowLeft: index - forward, Home: 0, End: pair.words[side].length - 1 };
    if (event.key in steps) {
      moveTo({ pair, side, index: Math.min(Math.max(steps[event.key], 0), pair.words[side].length - 1) });
    } else if (event.key === (side ? "ArrowUp" : "ArrowDown")) {
      const [link] = linksFrom(place).sort((one, other) => other.chance - one.chance);
      if (!link) return;
      pair.last[1 - side] = link.ends[1 - side];
      pair.sides[1 - side].focus();
      moveTo({ pair, side: 1 - side, index: link.ends[1 - side] });
    } else if (event.key === "Escape") {
      document.activeElement.blur();
    } else {
      return;
    }
    event.preventDefault();
  });

  // ---- the page ----

  const THEMES = ["auto", "light", "dark"];

  function setTheme(button, theme) {
    document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("button");
    let theme = "auto";
    try {
      theme = localStorage.getItem("xalign-theme") || theme;
    } catch {} // browsers may deny storage to local files
    setTheme(button, theme);
    button.addEventListener("click", () => {
      theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
      setTheme(button, theme);
      try {
        localStorage.setItem("xalign-theme", theme);
      } catch {}
    });

    const seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        visible[isIntersecting ? "add" : "delete"](target);
        if (isIntersecting) drawAtRest(pairOf(target));
      }
    }, { rootMargin: "50%" });
    const articles = document.querySelectorAll("article");
    for (const article of articles) seen.observe(article);
    // Print shows all pairs. The page width is fixed, so that lines are measured as printed.
    addEventListener("beforeprint", () => {
      document.documentElement.classList.add("printing");
      for (const article of articles) drawAtRest(pairOf(article));
    });
    addEventListener("afterprint", () => document.documentElement.classList.remove("printing"));
    new ResizeObserver(() => {
      const word = asked;
      ask(null);
      for (const article of visible) drawAtRest(pairOf(article));
      ask(word);
    }).observe(document.body);
  });
}
