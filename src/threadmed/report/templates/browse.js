"use strict";
/* The page: filters and their list, what is open, the address that says both, and keys. */
threadmed.start((catalogue) => {
  const { el, chip, hidden } = drawing;
  const ROWS = 30;
  const form = document.getElementById("filters");
  const list = document.getElementById("list");
  const reading = document.getElementById("reading");
  const more = document.getElementById("more");
  const find = document.getElementById("find");
  const searching = form.querySelector(".searching");
  const wide = catalogue.settings.length;
  const narrow = matchMedia("(max-width:900px)");
  const say = (text) => { document.getElementById("said").textContent = text; };
  const count = (number) => number.toLocaleString("en");
  const total = catalogue.questions.reduce((sum, row) => sum + row[3].length / 2 - (row[3].split("..").length - 1), 0);

  let found = [];                 /* questions that fit: number, set of answers */
  let rows = ROWS;
  let open = null;                /* question, target, setting (or null) */
  let drawn = 0;
  let strange = {};               /* filters in the address that the form lacks */
  let lost = "";                  /* a name in the address that nothing here has */
  let search = { query: "", terms: [], hits: new Map(), done: new Set(), failed: new Set(), running: false };

  const fields = () => ({ ...Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, name === "q" ? value.trim() : value]).filter(([, value]) => value)), ...strange });
  const nameOf = ({ question, target, setting }) => {
    const [thread, turn] = catalogue.questions[question];
    const parts = [catalogue.threads[thread][0], turn, catalogue.targets[target].slug];
    return [...parts, ...(setting === null ? [] : [catalogue.settings[setting].key])].join("-");
  };
  const address = (at) => {
    const given = fields();
    if (!at) return "#" + new URLSearchParams(given);
    return Object.keys(given).length ? "#" + new URLSearchParams({ ...given, at: nameOf(at) }) : "#" + nameOf(at);
  };

  /* Finds what the name of a place means: a thread, a question, a model's answers, one answer. */
  const placed = (name) => {
    const only = (thread) => catalogue.questions.findIndex((row) => row[0] === thread);
    for (let question = 0; question < catalogue.questions.length; question++) {
      const [thread, turn] = catalogue.questions[question];
      const id = catalogue.threads[thread][0];
      if (name === id) return { question: only(thread), target: null, setting: null };
      const start = id + "-" + turn;
      if (name === start) return { question, target: null, setting: null };
      if (!name.startsWith(start + "-")) continue;
      const rest = name.slice(start.length + 1);
      for (let target = 0; target < catalogue.targets.length; target++) {
        const { slug } = catalogue.targets[target];
        if (rest === slug) return { question, target, setting: null };
        const setting = catalogue.settings.findIndex(({ key }) => rest === slug + "-" + key);
        if (setting >= 0) return { question, target, setting };
      }
    }
    return null;
  };

  /* Which answers of the open question, or of a row, fit. */
  const hitsOf = (question) => (found.find((each) => each.question === question) || {}).hits || null;
  const first = (question) => {
    const hits = hitsOf(question);
    return hits ? Math.floor(Math.min(...hits) / wide) : 0;
  };
  const filtered = () => Object.keys(fields()).length > 0;

  /* The scores in the list: those of one model by setting, or of one setting by model. */
  const places = () => {
    const model = form.elements.model.value;
    const only = form.elements.than?.value ? -1 : catalogue.targets.findIndex(({ name }) => name === model);
    const main = Math.max(0, catalogue.settings.findIndex(({ key }) => key === form.elements.setting.value));
    const chosen = only >= 0
      ? catalogue.settings.map(({ name }, setting) => [only * wide + setting, name])
      : catalogue.targets.map(({ name }, target) => [target * wide + main, name]);
    document.getElementById("chipkey").textContent = "Scores " + (only >= 0 ? "of " + model : "in " + catalogue.settings[main].name.toLowerCase()) + ": " + chosen.map(([, name]) => name).join(", ");
    return chosen;
  };
  const rowOf = ({ question, hits }, places) => {
    const [thread, turn, belief, cells] = catalogue.questions[question];
    const chips = places.filter(([place]) => cells[2 * place] !== ".").map(([place, name]) => chip(cells[2 * place], { whose: name + ": " }));
    const at = { question, target: Math.floor(Math.min(...hits) / wide), setting: null };
    return el("li", {}, el("a", { href: address(at), "data-question": question, "aria-current": open && open.question === question ? "true" : null },
      el("span", { class: "id" }, el("span", {}, catalogue.threads[thread][1] + " \u00b7 turn " + turn), el("span", { class: "chips" }, chips)),
      el("span", { class: "tx" }, drawing.marked(belief || "a misconception"))));
  };

  const showList = (seeking = false) => {
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.question : null;
    const chosen = places();
    list.replaceChildren(...found.slice(0, rows).map((each) => rowOf(each, chosen)));
    if (!found.length && !seeking) list.append(el("li", { class: "nothing" }, "No answer is like that. ", el("button", { type: "button", class: "clear" }, "Clear the filter")));
    more.parentElement.hidden = found.length <= rows;
    if (focused) (list.querySelector(`[data-question="${focused}"]`) || list).focus();
  };

  /* Searching words: pieces are loaded one after the other, and the list grows with them. */
  const known = (question) => {
    const [thread, turn, belief] = catalogue.questions[question];
    const spoken = search.hits.get(thread);
    if (spoken) return spoken.get(turn);
    const low = (belief + "\n" + catalogue.threads[thread][1]).toLowerCase();
    return search.terms.every((term) => low.includes(term)) ? "all" : null;
  };
  const progress = (missing) => {
    const failed = search.failed.size;
    searching.hidden = !missing.size && !failed;
    searching.firstElementChild.value = catalogue.pieces.length - missing.size;
    searching.lastElementChild.textContent = missing.size
      ? "Searching, " + count(missing.size) + " of " + count(catalogue.pieces.length) + " pieces to go"
      : failed ? count(failed) + " pieces could not be read; was the report written anew? Reload the page." : "";
    searching.firstElementChild.hidden = !missing.size;
  };
  const pump = async (missing) => {
    const mine = search;
    if (mine.running) return;
    mine.running = true;
    let shown = performance.now();
    for (let next = missing; next.size && mine === search; next = apply.missing) {
      const number = next.values().next().value;
      try {
        const [, ahead] = next;
        if (ahead !== undefined) threadmed.load(ahead).catch(() => {});
        for (const thread of await threadmed.load(number))
          mine.hits.set(catalogue.threads.findIndex(([id]) => id === thread.id), threadmed.speaking(thread, mine.terms));
      } catch { mine.failed.add(number); }
      mine.done.add(number);
      apply.missing.delete(number);
      if (mine !== search) return;
      if (performance.now() - shown > 150 || !apply.missing.size) {
        apply();
        shown = performance.now();
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
    mine.running = false;
  };

  const apply = () => {
    const given = fields();
    const query = given.q || "";
    if (query !== search.query) search = { query, terms: threadmed.terms(query), hits: new Map(), done: new Set(), failed: new Set(), running: false };
    drawing.seek(search.terms);
    const want = threadmed.wanted(given);
    const missing = new Set();
    found = [];
    let answers = 0;
    catalogue.questions.forEach((row, question) => {
      let hits = threadmed.fitting(row, want);
      if (hits.length && search.terms.length) {
        const piece = catalogue.threads[row[0]][3];
        if (!search.done.has(piece)) missing.add(piece);
        const spoken = known(question);
        hits = spoken === "all" ? hits : hits.filter((place) => spoken && spoken.has(place));
      }
      if (!hits.length) return;
      answers += hits.length;
      found.push({ question, hits: new Set(hits) });
    });
    form.querySelector(".found").textContent = count(answers) + " of " + count(total) + " answers, " + count(found.length) + " of " + count(catalogue.questions.length) + " questions";
    find.querySelector("summary").textContent = "Search and filter: " + count(answers) + " of " + count(total) + " answers";
    showList(missing.size > 0);
    where();
    progress(missing);
    apply.missing = missing;
    if (!open) show();
    if (missing.size) pump(missing);
  };

  /* What is open. */
  const where = () => {
    const place = document.getElementById("place");
    if (!place || !open) return;
    const number = found.findIndex((each) => each.question === open.question);
    place.textContent = number < 0 ? "not among those found" : count(number + 1) + " of " + count(found.length) + " found";
    for (const [id, step] of [["previous", -1], ["next", 1]]) document.getElementById(id).disabled = !found[number < 0 ? 0 : number + step];
    for (const link of list.querySelectorAll("a")) {
      if (Number(link.dataset.question) === open.question) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  const picker = (legend, name, options) => el("fieldset", { class: "seg" }, el("legend", {}, legend), options.map(({ value, text, key, checked }) =>
    el("label", {}, el("input", { type: "radio", name, value, checked, "aria-keyshortcuts": key }), el("span", {}, text))));
  const turnsOf = (thread) => catalogue.threads[thread][2] > 1 ? "turns 0 to " + (catalogue.threads[thread][2] - 1) : "one turn";
  const bar = ([thread, turn]) => el("div", { class: "where" },
    el("button", { type: "button", id: "back" }, "\u2190 All found"),
    el("span", {}, catalogue.threads[thread][1] + " \u00b7 turn " + turn + " of " + turnsOf(thread)), el("span", { id: "place" }),
    el("span", { class: "r" }, [["previous", "\u2190 Previous", "k"], ["next", "Next \u2192", "j"], ["copy", "Copy link", "c"], ["help", "Keys", "?"]].map(([id, text, key]) =>
      el("button", { type: "button", id, "aria-keyshortcuts": key }, text, " ", el("kbd", { "aria-hidden": "true" }, key)))));
  const choices = (question) => {
    const thread = catalogue.questions[question][0];
    const siblings = catalogue.questions.flatMap((row, number) => row[0] === thread ? [{ value: number, text: row[1], checked: number === question }] : []);
    const targets = catalogue.targets.map(({ name }, number) => ({ value: number, text: name, key: number < 9 ? number + 1 : null, checked: number === open.target }));
    return el("div", { class: "pick" }, picker("Model", "target", targets), siblings.length > 1 ? picker("Turn with a misconception", "turn", siblings) : null);
  };
  const show = async ({ focus = false } = {}) => {
    document.body.classList.toggle("reads", open !== null);
    document.body.classList.toggle("lost", lost !== "");
    if (!open) {
      drawn++;
      reading.replaceChildren(el("div", { class: "empty" },
        lost ? el("p", { class: "notice", role: "alert" }, "This study has no answer with the name " + lost + ".") : null,
        found.length === 0 ? null : el("p", {}, "Choose a question from the list, or press ", el("kbd", {}, "j"), " for the first; ", el("kbd", {}, "?"), " shows all keys."),
        el("dl", {}, Object.entries(catalogue.states).slice(0, 3).flatMap(([letter, { meaning }]) => [el("dt", {}, chip(letter, { big: true })), el("dd", {}, "the false belief was " + meaning)]),
          el("dt", {}, el("span", { class: "sc none" }, "\u2013")), el("dd", {}, "there is no score; the answer says why"))));
      return;
    }
    const turn = ++drawn;
    const row = catalogue.questions[open.question];
    const hits = hitsOf(open.question);
    if (open.target === null) open.target = first(open.question);
    const waiting = setTimeout(() => { if (turn === drawn) reading.setAttribute("aria-busy", "true"); }, 100);
    let content;
    try {
      const thread = await threadmed.conversation(row[0]);
      const view = drawing.draw(thread, row[1], open.target, { terms: search.terms, hits: filtered() ? hits : null, setting: open.setting });
      document.title = catalogue.threads[row[0]][1] + ", turn " + row[1] + ": threadmed conversations";
      content = [bar(row), el("h2", { class: "title", id: view.id, tabindex: "-1" }, view.title), el("p", { class: "sub" }, view.moved), choices(open.question), view.body];
    } catch {
      content = [bar(row), el("p", { class: "notice", role: "alert" }, "The words of this thread could not be read. The folder conversations/ must lie beside this page and be of the same report; reload the page if the report was written anew.")];
    }
    clearTimeout(waiting);
    if (turn !== drawn) return;
    reading.removeAttribute("aria-busy");
    const field = document.activeElement && reading.contains(document.activeElement) ? document.activeElement.name : "";
    reading.replaceChildren(...content);
    where();
    if (field) (reading.querySelector(`[name=${field}]:checked`) || reading).focus();
    else if (focus && reading.querySelector(".title")) reading.querySelector(".title").focus({ preventScroll: true });
    if (focus) scrollTo(0, 0);
    const linked = open.setting !== null && document.getElementById(nameOf(open));
    if (linked && narrow.matches) linked.scrollIntoView();
    const current = list.querySelector("[aria-current]");
    if (current && !narrow.matches) current.scrollIntoView({ block: "nearest" });
  };

  /* The address: filters and what is open. */
  const remember = () => {
    const wanted = address(open);
    if (wanted === location.hash || (wanted === "#" && !location.hash)) return;
    try { history.replaceState(null, "", wanted); } catch { location.replace(wanted); }
  };
  const recall = () => {
    const hash = location.hash.slice(1);
    const given = new URLSearchParams(hash.includes("=") ? hash : "");
    if (hash === "dark") document.documentElement.dataset.theme = "dark";
    let text = hash;
    try { text = decodeURIComponent(hash); } catch { /* an address that somebody cut */ }
    const name = given.get("at") || (hash.includes("=") || hash === "dark" ? "" : text);
    strange = Object.fromEntries([...given].filter(([key]) => key !== "at" && !form.elements[key]));
    const at = placed(name);
    lost = at ? "" : name;
    for (const field of form.elements) if (field.name) {
      const value = given.get(field.name) || "";
      if (field.tagName === "SELECT" && value && ![...field.options].some((option) => option.value === value)) field.append(new Option(value, value));
      field.value = value;
    }
    open = at;
    rows = ROWS;
    apply();
    show({ focus: at !== null });
  };
  const go = (question, target, { focus = true } = {}) => {
    open = { question, target: target ?? first(question), setting: null };
    remember();
    const number = found.findIndex((each) => each.question === question);
    if (number >= rows) { rows = number + ROWS; showList(); }
    return show({ focus });
  };
  const step = (by) => {
    const number = open ? found.findIndex((each) => each.question === open.question) : -1;
    const next = found[number < 0 ? 0 : number + by];
    if (!next) return say("No further question");
    const keeps = open && [...next.hits].some((place) => Math.floor(place / wide) === open.target);
    return go(next.question, keeps ? open.target : null);
  };
  const copy = async () => {
    if (!open) return;
    const link = location.href.split("#")[0] + "#" + nameOf(open);
    try { await navigator.clipboard.writeText(link); say("Link copied"); } catch {
      location.hash = nameOf(open);
      say("The address of the page is now the link to this answer");
    }
  };
  const unfold = () => {
    const button = document.getElementById("unfold");
    if (!button) return;
    const full = document.getElementById("compared").classList.toggle("full-text");
    button.setAttribute("aria-expanded", String(full));
    button.textContent = full ? "Fold to two lines" : "Show in full";
  };
  const close = () => { open = null; lost = ""; remember(); show(); list.querySelector("a")?.focus(); };
  const sibling = (by) => {
    if (!open) return;
    const next = open.question + by;
    if (catalogue.questions[next] && catalogue.questions[next][0] === catalogue.questions[open.question][0]) go(next, open.target);
  };

  let typing = 0;
  form.addEventListener("input", (event) => {
    clearTimeout(typing);
    rows = ROWS;
    typing = setTimeout(() => { apply(); remember(); }, event.target.type === "search" ? 180 : 0);
  });
  form.addEventListener("reset", () => setTimeout(() => { strange = {}; rows = ROWS; apply(); remember(); }));
  list.addEventListener("click", (event) => {
    if (!event.target.closest("button.clear")) return;
    form.reset();
    setTimeout(() => list.querySelector("a")?.focus());
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); list.querySelector("a")?.focus(); });
  more.addEventListener("click", () => { rows += ROWS; showList(); });
  new IntersectionObserver(([seen]) => { if (seen.isIntersecting) more.click(); }).observe(more);
  const ACTS = { previous: () => step(-1), next: () => step(1), copy, help: () => document.getElementById("keys").showModal(), back: close, unfold };
  reading.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button && ACTS[button.id]) ACTS[button.id]();
    else if (event.target.closest(".past, .msg") && !getSelection().toString() && !event.target.closest("a")) event.target.closest(".past, .msg").classList.toggle("opened");
  });
  reading.addEventListener("change", ({ target: { name, value } }) => {
    if (name === "target") go(open.question, Number(value), { focus: false });
    if (name === "turn") go(Number(value), open.target, { focus: false });
    if (name === "shown") document.getElementById("compared").dataset.show = value;
  });
  const KEYS = { j: () => step(1), k: () => step(-1), c: copy, o: unfold, "[": () => sibling(-1), "]": () => sibling(1), "?": ACTS.help };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.matches("input:not([type=radio]):not([type=checkbox]),select,textarea");
    if (event.key === "Escape") {
      if (document.getElementById("keys").open) return;
      if (field) event.target.blur();
      else if (open && narrow.matches) close();
      else list.querySelector("[aria-current], a")?.focus();
      return;
    }
    if (field || document.getElementById("keys").open || !document.getElementById("single").checked) return;
    if (event.key === "/") {
      event.preventDefault();
      if (narrow.matches && open) close();
      find.open = true;
      form.elements.q.focus();
    } else if (/^[1-9]$/.test(event.key) && open && catalogue.targets[event.key - 1]) go(open.question, event.key - 1, { focus: false });
    else if (KEYS[event.key]) KEYS[event.key]();
  });
  const single = document.getElementById("single");
  try { single.checked = localStorage.getItem("threadmed-keys") !== "off"; } catch { /* not kept */ }
  single.addEventListener("change", () => {
    try { localStorage.setItem("threadmed-keys", single.checked ? "on" : "off"); } catch { /* not kept */ }
  });
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme:dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
  });
  document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); reading.focus(); });
  if (narrow.matches) find.open = false;
  drawing.begin(catalogue);
  addEventListener("hashchange", recall);
  recall();
});
