// A rater's page: draws the item that a source gives, and tells the source what the rater says.
// A source has look, save, undo and later, each of which promises what the page then shows.
const startRating = (setup, source) => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const strange = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g;
  const plain = (text) => text.replace(strange, "\ufffd");
  const make = (tag, properties = {}, ...inside) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name in node) node[name] = value;
      else node.setAttribute(name, value);
    }
    node.append(...inside.filter((part) => part !== null));
    return node;
  };
  const words = (text, tag = "p") => make(tag, { className: "words", dir: "auto" }, plain(text));
  const memory = {
    get(name) { try { return localStorage.getItem(name); } catch { return null; } },
    set(name, value) { try { localStorage.setItem(name, value); } catch { /* it may be full or forbidden */ } },
    drop(name) { try { localStorage.removeItem(name); } catch { /* as above */ } },
  };

  let task = setup.task;
  let on = null; // what the page shows
  let flagged = false;
  let folded = true;
  let busy = false;
  let key = null; // one act of saving keeps its key, however often it is tried
  const choices = () => setup.tasks[task].choices;
  const chosen = () => document.querySelector("[name=choice]:checked")?.value;
  const short = (value) => (choices().find((choice) => choice.value === value)?.name ?? value).split(",")[0];
  const draftName = () => `threadmed:${setup.rater}:${on.item}`;

  const said = () => ({
    item: on.item,
    value: chosen() ?? "",
    belief: needsBelief() ? $("belief").value.trim() : "",
    note: $("note").value.trim(),
    flag: flagged,
  });
  const needsBelief = () => Boolean(setup.tasks[task].belief_with) && chosen() === setup.tasks[task].belief_with;
  const lacking = () => {
    if (!on || !on.item) return "";
    if (!chosen()) return "Choose one of three";
    if (needsBelief() && !$("belief").value.trim()) return "Say which belief";
    return "";
  };
  const refresh = () => {
    if ($("which")) $("which").hidden = !needsBelief();
    $("why").textContent = lacking();
    $("save").disabled = busy || !on || !on.item || Boolean(lacking());
    $("flag").setAttribute("aria-pressed", String(flagged));
    for (const id of ["flag", "later"]) $(id).disabled = busy || !on || !on.item;
    $("undo").disabled = busy;
  };
  // The key that saves from where the rater is.
  const hint = () => {
    const typing = document.activeElement?.matches("textarea,input[type=text]");
    $("save").querySelector("kbd").textContent = typing ? "Ctrl Enter" : "Enter";
  };
  const changed = () => {
    key = null;
    refresh();
    memory.set(draftName(), JSON.stringify(said()));
  };

  const context = (earlier) => {
    if (!earlier.length) return null;
    const asked = earlier.filter((message) => message.who === "patient").length;
    const answered = earlier.length - asked;
    const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
    const hidden = task === "scoring" ? ", answers hidden" : "";
    const told = count(asked, "question") + (answered ? `, ${count(answered, "answer")}` : "") + hidden;
    const list = make("dl");
    earlier.forEach((message, at) => {
      const name = message.who === "physician" ? "Physician" : at ? "Patient" : "Patient, first message";
      const place = at === earlier.length - 1 ? "last" : "past";
      list.append(make("div", { className: place }, make("dt", {}, name), words(message.text, "dd")));
    });
    const toggle = make("button", { type: "button", className: "plain", id: "fold" });
    const box = make("section", { className: "ctx", id: "ctx", "aria-label": "Earlier in this conversation" },
      make("h2", {}, `Earlier in this conversation: ${told} `, toggle), list);
    const draw = () => {
      box.classList.toggle("folded", folded);
      toggle.replaceChildren(make("span", {}, folded ? "show all" : "fold"), " ", make("kbd", {}, "E"));
      toggle.setAttribute("aria-expanded", String(!folded));
    };
    toggle.onclick = () => { folded = !folded; draw(); };
    draw();
    return box;
  };
  const card = (kind, title, text) =>
    text ? make("section", { className: `card ${kind}` }, make("h2", {}, title), words(text)) : null;
  const opinions = () => {
    if (!on.opinions || !on.opinions.length) return null;
    const rows = on.opinions.map((opinion) => make("li", {}, make("b", {}, short(opinion.value)),
      opinion.belief ? words(opinion.belief) : null, opinion.note ? words(opinion.note) : null));
    return make("section", { className: "card said" }, make("h2", {}, "What the raters said, in no order"), make("ul", {}, ...rows));
  };
  const options = () => {
    const boxes = choices().map((choice, at) => {
      const input = make("input", { type: "radio", name: "choice", id: `choice-${at}`, value: choice.value });
      input.onchange = changed;
      const label = make("label", { htmlFor: input.id }, make("kbd", {}, choice.key.toUpperCase()),
        make("b", {}, choice.name), make("small", {}, choice.meaning));
      return make("div", { className: "opt" }, input, label);
    });
    return make("fieldset", { className: "choices" },
      make("legend", { className: "vh" }, setup.tasks[task].question), make("div", { className: "opts" }, ...boxes));
  };
  const field = (id, title, hint, key) => {
    const area = make("textarea", { id, rows: 1, maxLength: 4000 });
    area.oninput = changed;
    return make("div", { className: "field" }, make("div", { className: "name" },
      make("label", { htmlFor: id }, title), make("span", {}, `${hint} `, key ? make("kbd", {}, key) : null)), area);
  };

  const step = () => {
    const place = `Item ${on.number} of ${on.total}`;
    return on.answered ? `${place}, answered before` : place;
  };
  const drawItem = (work) => {
    const which = field("belief", "Which false belief?", "one sentence, in your words");
    which.id = "which";
    work.replaceChildren(...[
      make("p", { className: "step" }, step()),
      make("h1", { id: "title", tabIndex: -1 }, setup.tasks[task].question),
      context(on.shown.earlier),
      card("q", "The patient asks", on.shown.question),
      card("belief", "The false belief", on.shown.belief),
      card("a", "The answer to score", on.shown.answer),
      opinions(),
      options(),
      setup.tasks[task].belief_with ? which : null,
      field("note", "Note", "optional", "O"),
    ].filter(Boolean));
    let draft = on.draft;
    // What holds goes before what this browser remembers: it may be from elsewhere, and later.
    if (!on.answered) {
      try { draft = JSON.parse(memory.get(draftName())) ?? draft; } catch { /* no draft that can be read */ }
    }
    flagged = Boolean(draft?.flag);
    if (!draft) return;
    const at = choices().findIndex((choice) => choice.value === draft.value);
    if (at >= 0) $(`choice-${at}`).checked = true;
    if ($("belief")) $("belief").value = draft.belief ?? "";
    $("note").value = draft.note ?? "";
  };
  const drawEnd = (work) => {
    const nothing = setup.adjudicating ? "There is nothing to settle." : on.total ? "All done, thank you." : "There is nothing for you here.";
    const past = on.recent.length ? ", or open one of your last answers again." : ".";
    const text = setup.adjudicating
      ? "Where raters differ from now on, it appears here."
      : setup.kit
        ? "Save your answers as a file above, and send it to the organiser."
        : on.total
          ? `Everything is saved. You may close this page${past}`
          : "None of the items is yours to rate.";
    const others = Object.keys(setup.tasks).filter((name) => name !== task);
    work.replaceChildren(make("div", { className: "end" },
      make("h1", { id: "title", tabIndex: -1 }, nothing), make("p", {}, text),
      ...others.map((name) => make("p", {}, make("a", { href: source.address(name) }, `Go on with ${setup.tasks[name].title.toLowerCase()}`)))));
  };
  const reopen = (past) => {
    const button = make("button", { type: "button", title: "Open this item again" }, `${past.number} ${short(past.value)}`);
    if (past.item === on.item) button.setAttribute("aria-current", "true");
    button.onclick = () => { $("sheet").close(); open(past.item); };
    return make("li", {}, button);
  };
  const drawAround = () => {
    $("count").textContent = `${on.done} of ${on.total}`;
    $("progress").max = Math.max(1, on.total);
    $("progress").value = on.done;
    for (const box of document.querySelectorAll(".recent")) {
      box.querySelector("ol").replaceChildren(...on.recent.map(reopen));
      box.hidden = !on.recent.length;
    }
    document.title = (on.item ? `${step()}: ` : "") + "threadmed annotate";
  };
  const draw = (found) => {
    on = found;
    key = null;
    folded = true;
    const work = $("work");
    if (on.item) drawItem(work); else drawEnd(work);
    drawAround();
    refresh();
  };

  const tell = (text, state = "") => {
    $("saved").className = `saved ${state}`;
    $("saved").textContent = text;
  };
  const allSaved = () => {
    const state = setup.kit ? "kept" : "saved";
    const told = on.done > 1 ? `All ${on.done} answers ${state}` : on.done ? `1 answer ${state}` : "Ready";
    tell(told);
  };
  const act = async (doing, done, promise) => {
    if (busy) return;
    busy = true;
    refresh();
    tell(doing, "busy");
    try {
      const found = await promise();
      busy = false;
      draw(found);
      allSaved();
      $("live").textContent = done();
      $("title").focus({ preventScroll: true });
      scrollTo(0, 0);
    } catch (error) {
      busy = false;
      refresh();
      tell(`Not saved: ${error.message}`, "lost");
      $("live").textContent = `Not saved: ${error.message}. Your answer is still here; try again.`;
    }
  };
  const where = () => (on.item ? `${step()}.` : "No item is left.");
  const save = () => {
    if (busy || !on || !on.item || lacking()) return;
    key ??= Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const draft = draftName();
    act("Saving", () => `Saved. ${where()}`, async () => {
      const found = await source.save(task, { ...said(), key });
      memory.drop(draft);
      return found;
    });
  };
  const undo = () => {
    const before = on?.done;
    act("Undoing", () => (on.done === before && !on.answered ? `Nothing to undo. ${where()}` : `${where()} Open again.`), () => source.undo(task));
  };
  const later = () => { if (on?.item) act("Opening", where, () => source.later(task, on.item)); };
  const open = (item) => act("Opening", where, () => source.look(task, item));
  const choose = (value) => {
    const at = choices().findIndex((choice) => choice.value === value);
    $(`choice-${at}`).checked = true;
    changed();
    if (needsBelief() && !$("belief").value) $("belief").focus();
    else $(`choice-${at}`).focus();
  };
  const flag = () => { if (on?.item) { flagged = !flagged; changed(); } };
  const show = (name) => {
    task = name;
    for (const node of document.querySelectorAll(".rubric")) node.hidden = node.dataset.task !== task;
    for (const tab of document.querySelectorAll(".tabs a")) {
      if (tab.dataset.task === task) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    const entry = (keys, text) => [make("dt", {}, ...keys.map((each) => make("kbd", {}, each))), make("dd", {}, text)];
    document.querySelector("#keylist dl").replaceChildren(
      ...choices().flatMap((choice) => entry([choice.key.toUpperCase()], choice.name)),
      ...entry(["Enter"], "save and go on"), ...entry(["Ctrl", "Enter"], "the same from a text field"),
      ...entry(["U"], "undo the last answer"), ...entry(["S"], "later: put the item at the end"),
      ...entry(["F"], "flag"), ...entry(["O"], "note"), ...entry(["E"], "earlier messages"),
      ...entry(["Esc"], "leave a text field"));
    return act("Opening", where, () => source.look(task, null));
  };

  addEventListener("focusin", hint);
  addEventListener("focusout", () => setTimeout(hint));
  $("save").onclick = save;
  $("undo").onclick = undo;
  $("later").onclick = later;
  $("flag").onclick = flag;
  $("help").onclick = () => $("keylist").showModal();
  $("rubricopen").onclick = () => $("sheet").showModal();
  $("keys").checked = memory.get("threadmed:keys") !== "off";
  const keysOn = () => {
    memory.set("threadmed:keys", $("keys").checked ? "on" : "off");
    document.body.classList.toggle("off", !$("keys").checked);
  };
  $("keys").onchange = keysOn;
  keysOn();

  const letters = {
    u: undo,
    f: flag,
    s: later,
    o: () => $("note")?.focus(),
    e: () => $("fold")?.click(),
    "?": () => $("keylist").showModal(),
  };
  addEventListener("keydown", (event) => {
    if (event.isComposing || event.repeat || document.querySelector("dialog[open]")) return;
    const typing = event.target.matches("textarea,input[type=text]");
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); save(); return; }
    if (typing) { if (event.key === "Escape") event.target.blur(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && !event.target.matches("button,a,summary")) { event.preventDefault(); save(); return; }
    if (!$("keys").checked) return;
    const letter = event.key.toLowerCase();
    const choice = choices().find((each) => each.key === letter);
    if (choice && on?.item && !busy) { event.preventDefault(); choose(choice.value); }
    else if (letters[letter]) { event.preventDefault(); letters[letter](); }
  });
  return { show, redraw: () => show(task) };
};
