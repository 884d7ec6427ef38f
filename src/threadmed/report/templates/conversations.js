"use strict";
/* The data of the viewer: what is loaded, which answers fit the filters, and where words
   stand. Pieces register themselves, because a page from disk may not fetch. */
const threadmed = (() => {
  const held = new Map();
  const awaited = new Map();
  let ready = () => {};
  let catalogue = null;

  const index = (data) => {
    catalogue = data;
    ready(data);
  };
  const piece = (number, hash, threads) => {
    if (hash === catalogue.pieces[number]) held.set(number, threads);
  };

  /* Gives the threads of a piece; a piece that is gone, or is of another report, fails. */
  const load = (number) => {
    if (held.has(number)) return Promise.resolve(held.get(number));
    if (!awaited.has(number)) awaited.set(number, new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = "conversations/piece-" + String(number).padStart(3, "0") + ".js";
      const done = () => {
        script.remove();
        awaited.delete(number);
        if (held.has(number)) resolve(held.get(number));
        else reject(new Error("piece " + number));
      };
      script.addEventListener("load", done);
      script.addEventListener("error", done);
      document.head.append(script);
    }));
    return awaited.get(number);
  };
  const conversation = async (place) => {
    const [id, , , number] = catalogue.threads[place];
    return (await load(number)).find((thread) => thread.id === id);
  };

  /* Words of a query; what stands in quotes is one. */
  const terms = (query) =>
    [...query.toLowerCase().matchAll(/"([^"]+)"|[^\s"]+/g)].map((match) => (match[1] || match[0]).trim()).filter(Boolean).slice(0, 30);

  const number = (names, name) => names.findIndex((each) => (each.key || each.name) === name);

  /* Turns the fields of the form into what answers are held against. */
  const wanted = (fields) => ({
    target: fields.model ? number(catalogue.targets, fields.model) : null,
    setting: fields.setting ? number(catalogue.settings, fields.setting) : null,
    turn: fields.turn ? parseInt(fields.turn, 10) : null,
    later: (fields.turn || "").endsWith("+"),
    states: states(fields),
    judges: fields.judges ? letters(fields.judges) : null,
    flip: fields.flip ? fields.flip.split(".").map((key) => number(catalogue.settings, key)) : null,
    than: fields.than ? number(catalogue.targets, fields.than) : null,
  });
  const states = ({ score, outcome }) => {
    if (!score && !outcome) return null;
    const scores = score && score.split(",");
    return Object.entries(catalogue.states).filter(([, state]) =>
      (!scores || scores.includes(state.score === null ? "none" : String(state.score))) &&
      (!outcome || state.outcome === outcome)).map(([letter]) => letter).join("");
  };
  const letters = (name) =>
    Object.entries(catalogue.disagreements).filter(([, each]) =>
      each === name || (name === "differ" && each === "opposed")).map(([letter]) => letter).join("");

  /* Gives the numbers of answers of which one is corrected and the one beside it, of
     another setting or of another model or of both, is not; null where none is asked for. */
  const flipped = (cells, want) => {
    if (!want.flip && want.than === null) return null;
    const wide = catalogue.settings.length;
    const pairs = want.flip ? [want.flip] : catalogue.settings.map((_, setting) => [setting, setting]);
    const state = (target, setting) => (target < 0 || setting < 0 ? "?" : cells[2 * (target * wide + setting)]);
    const places = new Set();
    for (let target = 0; target < catalogue.targets.length; target++) {
      if (want.target !== null && want.target !== target) continue;
      const other = want.than ?? target;
      for (const [better, worse] of pairs) {
        if (state(target, better) !== "c" || !"pn".includes(state(other, worse))) continue;
        places.add(target * wide + better).add(other * wide + worse);
      }
    }
    return places;
  };

  /* Gives the numbers of a question's answers that fit; an answer's is
     model times settings plus setting. */
  const fitting = ([, turn, , cells], want) => {
    const hits = [];
    if (want.turn !== null && (want.later ? turn < want.turn : turn !== want.turn)) return hits;
    const wide = catalogue.settings.length;
    const flips = flipped(cells, want);
    for (let target = 0; target < catalogue.targets.length; target++) {
      if (!flips && want.target !== null && want.target !== target) continue;
      for (let setting = 0; setting < wide; setting++) {
        if (want.setting !== null && want.setting !== setting) continue;
        const place = target * wide + setting;
        if (flips && !flips.has(place)) continue;
        const state = cells[2 * place];
        if (state === "." || (want.states !== null && !want.states.includes(state))) continue;
        if (want.judges !== null && !want.judges.includes(cells[2 * place + 1])) continue;
        hits.push(place);
      }
    }
    return hits;
  };

  /* Gives, for each labelled turn of a thread, the set of answers near which all words
     stand: in the conversation up to the turn, in the answer, or with the judges. */
  const speaking = (thread, words) => {
    const all = 2 ** words.length - 1;
    const mask = (...texts) => {
      let found = 0;
      for (const text of texts) {
        const low = (text || "").toLowerCase();
        words.forEach((word, bit) => { if (low.includes(word)) found |= 2 ** bit; });
      }
      return found;
    };
    const said = thread.said.map(([text, detail]) => mask(text, detail));
    const judged = thread.opinions.map((opinions) => mask(...opinions.map((opinion) => opinion[3])));
    const before = [];
    thread.turns.forEach(([question, physician], turn) =>
      before.push((before[turn - 1] || mask(thread.thread_id)) | mask(question, physician)));
    const wide = catalogue.settings.length;
    const found = new Map();
    for (const asked of thread.asked) {
      const around = before[asked.turn] | mask(asked.belief, asked.correction, asked.source);
      const places = new Set();
      for (const [target, setting, turn, answer, opinions] of thread.items)
        if (turn === asked.turn && (around | said[answer] | (judged[opinions] || 0)) === all)
          places.add(target * wide + setting);
      found.set(asked.turn, places);
    }
    return found;
  };

  return {
    index, piece, load, conversation, terms, wanted, fitting, speaking,
    start: (then) => { ready = then; },
  };
})();
