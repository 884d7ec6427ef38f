"use strict";
/* Draws one model's answers to one question: what it had read, what it said, what the
   judges said, setting beside setting. Data becomes text nodes and nothing else. */
const drawing = (() => {
  let catalogue = null;
  let words = [];

  const el = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) node.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
    }
    node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
    return node;
  };
  const hidden = (text) => el("span", { class: "vh" }, text);

  /* Marks the words that were searched for. */
  const marked = (text) => {
    const low = text.toLowerCase();
    if (!words.length || low.length !== text.length) return [text];
    const parts = [];
    let at = 0;
    while (at < text.length) {
      let next = -1, length = 0;
      for (const word of words) {
        const place = low.indexOf(word, at);
        if (place >= 0 && (next < 0 || place < next || (place === next && word.length > length))) [next, length] = [place, word.length];
      }
      if (next < 0) break;
      parts.push(text.slice(at, next), el("mark", {}, text.slice(next, next + length)));
      at = next + length;
    }
    parts.push(text.slice(at));
    return parts;
  };

  const chip = (letter, { whose = "", big = false } = {}) => {
    const state = catalogue.states[letter];
    return el("span", { class: "sc " + state.look, title: whose + state.meaning },
      hidden(whose), state.text, big ? null : hidden(" " + state.meaning));
  };
  const judged = (score) => score === null
    ? el("span", { class: "sc none", title: "no score" }, "\u2013", hidden(" no score"))
    : chip(Object.keys(catalogue.states).find((letter) => catalogue.states[letter].score === score));

  const SHOWN = { own: "Its own answer", physician: "Physician" };

  /* What a column showed of an earlier turn; shapes and words tell the kinds apart. */
  const shown = (view, column, turn) => {
    const setting = catalogue.settings[column.setting];
    const part = view.column(column.setting);
    const nothing = (text) => el("div", { class: part + " msg none" }, el("span", {}, el("span", { class: "only" }, setting.name + ": "), text));
    if (setting.shows === "questions") return nothing("no answer shown");
    if (setting.shows === "nothing") return nothing("not even the question shown");
    let text = view.thread.turns[turn][1], badge = null;
    if (setting.shows === "own") {
      const item = view.item(column.setting, turn);
      text = item && view.thread.said[item.said][0];
      badge = item && item.state !== "." ? chip(item.state) : null;
    }
    const changes = setting.key === "intervention" ? view.changes.filter((change) => change.turn === turn) : [];
    const after = changes.map(({ replaced, words }) => el("p", { class: "aside changed" + (replaced ? " replaced" : "") }, words, replaced && view.thread.turns[turn][1] ? ". Read in its place: " + view.thread.turns[turn][1] : ""));
    if (!text) return nothing(setting.shows === "own" ? "no answer of its own came" : "the physician did not answer this one");
    return el("div", { class: part + " msg " + setting.shows },
      el("div", { class: "from" }, el("span", {}, el("span", { class: "only" }, setting.name + ": "), SHOWN[setting.shows]), badge),
      el("p", { class: "fold" }, marked(text)), after);
  };

  const asking = (who, text, kind) =>
    el("div", { class: "full q " + kind }, el("div", { class: "who" }, el("b", {}, "Patient"), " " + who), el("p", { class: "fold" }, marked(text)));

  const earlier = (view) => {
    if (!view.turn) return [];
    const label = view.turn === 1 ? "turn 0" : "turns 0 to " + (view.turn - 1);
    const rows = view.thread.turns.slice(0, view.turn).flatMap(([question], turn) =>
      [asking("turn " + turn, question, "past"), ...view.columns.map((column) => shown(view, column, turn))]);
    return [el("div", { class: "full foldbar" },
      el("h3", {}, "What came before, and what each setting showed of it: " + label),
      el("button", { type: "button", id: "unfold", "aria-expanded": "false", "aria-controls": "compared" }, "Show in full"), el("kbd", { "aria-hidden": "true" }, "o")), ...rows];
  };

  const facts = (view) => {
    const { asked, thread, turn } = view;
    const physician = thread.turns[turn][1];
    const others = asked.others.map(([source, text]) => " " + source + " said: " + text.replace(/\.$/, "") + ".").join("");
    return el("div", { class: "facts" },
      el("div", {}, el("h3", {}, "False belief"), el("p", {}, marked(asked.belief || "not put into words")),
        asked.harm === null ? null : el("p", { class: "aside" }, "Harm if it stands: " + asked.harm),
        el("p", { class: "aside" }, "Label: " + asked.source + "." + others)),
      asked.correction ? el("div", {}, el("h3", {}, "What is right"), el("p", {}, marked(asked.correction))) : null,
      el("div", { class: "said" }, el("h3", {}, "The physician answered ", el("span", { class: "aside" }, "(not yet shown to any model)")),
        el("p", {}, physician === null ? "not at all" : marked(physician))));
  };

  const judges = (view, column) => {
    const item = column.item;
    if (item.opinions < 0) return el("div", { class: "judges" }, el("p", { class: "jh" }, "No judge was asked"));
    const opinions = view.thread.opinions[item.opinions];
    const disagreement = catalogue.disagreements[item.judges];
    const said = { single: opinions.length > 1 ? "Judges" : "Judge", agree: "Judges agree", differ: "Judges differ", opposed: "Judges differ by +1 and \u22121" }[disagreement];
    const differ = disagreement === "differ" || disagreement === "opposed";
    const state = catalogue.states[item.state];
    const rule = item.tie_break ? "no majority, so " + (catalogue.primary || "the primary judge") + " decided: " : catalogue.rule + ": ";
    return el("div", { class: "judges" },
      el("p", { class: "jh" }, el(differ ? "strong" : "span", {}, said),
        opinions.length > 1 && state ? el("span", {}, rule + (state.score === null ? "no score" : state.text)) : null),
      el("dl", {}, opinions.flatMap(([judge, repeat, score, text]) => [
        el("dt", {}, judged(score)),
        el("dd", {}, el("b", {}, catalogue.judges[judge] + (repeat ? ", time " + (repeat + 1) : "")), " ", el("span", { class: "w" }, marked(text)))])));
  };

  const answer = (view, column) => {
    const [text, detail] = view.thread.said[column.item.said];
    const state = catalogue.states[column.item.state];
    return el("section", { class: view.column(column.setting) + " col", "aria-label": "Answer, " + view.named(column) },
      el("div", { class: "ans" + (column.hit ? " hit" : "") },
        el("p", { class: "big" }, el("span", { class: "only" }, view.named(column) + ": "), chip(column.item.state, { big: true }), el("b", {}, state.meaning)),
        text ? el("p", { class: "text" }, marked(text)) : null,
        detail ? el("p", { class: "aside" }, marked(detail)) : null),
      judges(view, column));
  };

  const head = (view, column) => {
    const setting = catalogue.settings[column.setting];
    const look = view.turn ? setting.shows : "nothing";
    return el("div", { class: view.column(column.setting) + " h " + look + (column.hit ? " hit" : ""), id: view.id + "-" + setting.key },
      el("h3", {}, el("span", {}, view.named(column), " ", el("a", { class: "link", href: "#" + view.id + "-" + setting.key, "aria-label": "Link to the answer in " + setting.name }, "#")), chip(column.item.state)),
      el("p", {}, view.turn ? setting.reads : "saw this question alone"));
  };

  /* On a narrow screen one setting is seen at a time; the scores stand on the tabs. */
  const tabs = (view) => view.columns.length < 2 ? null : el("fieldset", { class: "full tabs seg" }, el("legend", { class: "vh" }, "Setting"),
    view.columns.map((column) => el("label", {},
      el("input", { type: "radio", name: "shown", value: column.setting, checked: column.setting === view.front }),
      el("span", {}, view.named(column, true) + ", " + catalogue.states[column.item.state].text))));

  /* What is known of the view: columns are answers, those of one request together. */
  const viewed = (thread, asked, target, { hits, setting }) => {
    const items = thread.items.filter((item) => item[0] === target).map(
      ([, number, turn, said, opinions, leader, state, judges, tie_break]) => ({ setting: number, turn, said, opinions, leader, state, judges, tie_break }));
    const columns = [];
    for (const item of items) {
      if (item.turn !== asked.turn || item.state === ".") continue;
      const same = columns.find((column) => column.setting === item.leader);
      if (same) same.settings.push(item.setting);
      else columns.push({ setting: item.setting, settings: [item.setting], item });
    }
    const wide = catalogue.settings.length;
    for (const column of columns)
      column.hit = setting === null ? hits !== null && column.settings.some((each) => hits.has(target * wide + each)) : column.settings.includes(setting);
    const front = columns.find((column) => column.hit) || columns[0];
    return {
      thread, asked, columns, turn: asked.turn,
      changes: (thread.changes || []).map(([whose, turn, before, replaced, words]) => ({ whose, turn, before, replaced, words }))
        .filter(({ whose, before }) => whose === target && (before < 0 || before === asked.turn)),
      id: [thread.id, asked.turn, catalogue.targets[target].slug].join("-"),
      front: front ? front.setting : 0,
      item: (number, turn) => items.find((item) => item.setting === number && item.turn === turn),
      column: (number) => "c c" + number,
      named: ({ settings }, short = false) => settings.map((each, place) => {
        const name = catalogue.settings[each].name;
        return place ? name.toLowerCase() : name;
      }).slice(0, short ? 1 : undefined).join(", "),
    };
  };

  const moved = ({ columns }, name) => {
    const scores = new Set(columns.map(({ item }) => catalogue.states[item.state].score).filter((score) => score !== null));
    if (columns.length === 1 && columns[0].settings.length < 2) return name + ", asked in one setting.";
    if (columns.length < 2) return name + ", one request in these settings.";
    if (scores.size > 1) return name + ": the score changes with what it had read.";
    if (scores.size === 1) return name + ": the score is the same whatever it had read.";
    return name + ": no answer has a score.";
  };

  /* Gives the body of the page for one model at one question. */
  const draw = (thread, turn, target, { terms, hits = null, setting = null }) => {
    words = terms;
    const asked = thread.asked.find((each) => each.turn === turn);
    const view = viewed(thread, asked, target, { hits, setting });
    const compared = el("div", { class: "cmp n" + view.columns.length, id: "compared", "data-show": view.front },
      tabs(view), view.columns.map((column) => head(view, column)), earlier(view),
      el("div", { class: "full asked" }, asking("turn " + turn + ", the question", thread.turns[turn][0], "target"), facts(view)),
      view.columns.map((column) => answer(view, column)));
    if (!view.columns.length) compared.append(el("p", { class: "full aside" }, "This model was not asked."));
    return {
      id: view.id,
      title: asked.belief || "A misconception that is not put into words",
      moved: moved(view, catalogue.targets[target].name),
      body: compared,
    };
  };

  return { draw, el, chip, hidden, marked, begin: (data) => { catalogue = data; }, seek: (terms) => { words = terms; } };
})();
