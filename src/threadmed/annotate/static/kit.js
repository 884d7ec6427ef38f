// Items without a server: what is said stays in this browser, and leaves as a file.
(() => {
  "use strict";
  const setup = JSON.parse(document.getElementById("setup").textContent);
  const $ = (id) => document.getElementById(id);
  const store = `threadmed-kit:${setup.kit}:${setup.rater}`;
  const fresh = () => ({ revision: 0, saved: 0, entries: [], later: [] });
  let state = fresh();
  let keeps = true; // whether this browser keeps anything
  try { state = JSON.parse(localStorage.getItem(store)) ?? state; } catch { keeps = false; }

  const keep = () => {
    const text = JSON.stringify(state);
    try { localStorage.setItem(store, text); keeps = localStorage.getItem(store) === text; } catch { keeps = false; }
    tell();
  };
  const tell = () => {
    const unsaved = state.revision > state.saved;
    const kept = keeps
      ? "Answers are kept in this browser until you save them as a file."
      : "This browser keeps nothing: save your answers as a file before you close the page.";
    $("kitstate").textContent = unsaved ? kept : state.saved ? "The file that you saved holds all of your answers." : kept;
    $("kitstate").className = keeps ? "" : "warn";
  };
  const part = (task) => setup.parts[task];
  // Of an item, the last entry that is not undone; the order is that of the first.
  const holding = (task) => {
    const found = new Map(part(task).begun.map((said) => [said.item, said]));
    for (const entry of state.entries) {
      if (entry.task === task && !entry.undone) found.set(entry.said.item, entry.said);
    }
    return found;
  };
  const queue = (task) => {
    const rank = new Map();
    state.later.forEach((put, at) => { if (put.task === task) rank.set(put.item, at + 1); });
    return [...part(task).items].sort((a, b) => (rank.get(a.item) ?? 0) - (rank.get(b.item) ?? 0));
  };
  const look = async (task, wanted) => {
    const held = holding(task);
    const items = queue(task);
    const on = wanted ? items.find((each) => each.item === wanted) : items.find((each) => !held.has(each.item));
    const order = [...held.keys()];
    const answered = Boolean(on) && held.has(on.item);
    const last = on && state.entries.findLast((entry) => entry.task === task && entry.said.item === on.item);
    return {
      task,
      done: held.size,
      total: items.length,
      item: on?.item ?? null,
      number: answered ? order.indexOf(on.item) + 1 : held.size + 1,
      shown: on?.shown ?? null,
      draft: last?.said ?? (on && held.get(on.item)) ?? null,
      answered,
      recent: [...held.values()].map((said, at) => ({ item: said.item, number: at + 1, value: said.value })).slice(-7).reverse(),
      opinions: [],
    };
  };
  const source = {
    address: (task) => `#${task}`,
    look,
    save: (task, said) => {
      state.entries.push({ task, said: { ...said, key: "" }, at: Date.now() / 1000, undone: false });
      state.revision += 1;
      keep();
      return look(task, null);
    },
    undo: (task) => {
      const last = state.entries.findLast((entry) => entry.task === task && !entry.undone);
      if (last) { last.undone = true; state.revision += 1; keep(); }
      return look(task, last?.said.item ?? null);
    },
    later: (task, item) => { state.later.push({ task, item }); keep(); return look(task, null); },
  };

  const answers = () => Object.keys(setup.parts).flatMap((task) => {
    const held = new Map();
    for (const entry of state.entries) {
      if (entry.task === task && !entry.undone) held.set(entry.said.item, { task, said: entry.said, at: entry.at });
    }
    return [...held.values()];
  });
  const file = () => JSON.stringify(
    { threadmed_kit: 1, kit: setup.kit, rater: setup.rater, revision: state.revision, answers: answers() }, null, 1);
  const saved = () => { state.saved = state.revision; keep(); };
  $("download").onclick = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([file()], { type: "application/json" }));
    link.download = `threadmed-${setup.rater}.json`.replace(/[^\w.-]+/g, "_");
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    saved();
  };
  $("copy").onclick = async () => {
    const box = document.querySelector("#copied textarea");
    box.value = file();
    const told = await navigator.clipboard?.writeText(box.value).then(() => true, () => false);
    $("copytitle").textContent = told ? "Copied; paste it into a message" : "Copy this text";
    $("copied").showModal();
    box.select();
  };
  $("load").onchange = async (event) => {
    const [chosen] = event.target.files;
    event.target.value = "";
    let given = null;
    try { given = JSON.parse(await chosen.text()); } catch { /* told below */ }
    if (given?.kit !== setup.kit || given?.rater !== setup.rater || !Array.isArray(given.answers)) {
      $("kitstate").textContent = "That file is not of this kit.";
      $("kitstate").className = "warn";
      return;
    }
    const held = answers().map((each) => each.said.item);
    for (const each of given.answers) {
      if (!held.includes(each.said?.item)) state.entries.push({ task: each.task, said: each.said, at: each.at, undone: false });
    }
    state.revision = Math.max(state.revision, given.revision) + 1;
    keep();
    page.redraw();
  };
  addEventListener("beforeunload", (event) => { if (!keeps && state.revision > state.saved) event.preventDefault(); });

  const page = startRating(setup, source);
  const wanted = () => (setup.parts[location.hash.slice(1)] ? location.hash.slice(1) : setup.task);
  addEventListener("hashchange", () => page.show(wanted()));
  tell();
  page.show(wanted());
})();
