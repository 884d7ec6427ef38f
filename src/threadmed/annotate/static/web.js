// Items from the server: every act is sent, and what the page then shows comes back.
(() => {
  const setup = JSON.parse(document.getElementById("setup").textContent);
  const ask = async (path, options = {}) => {
    let reply;
    try {
      reply = await fetch(path, { ...options, signal: AbortSignal.timeout(20000) });
    } catch {
      throw new Error("the server cannot be reached");
    }
    const found = await reply.json().catch(() => ({ why: "the server did not say why" }));
    if (!reply.ok) throw new Error(found.why);
    return found;
  };
  const send = (task, act, body) => ask(`/item/${task}/${act}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Form": setup.form },
    body: JSON.stringify(body),
  });
  const source = {
    address: (task) => `/rate/${task}`,
    look: (task, item) => ask(`/item/${task}` + (item ? `?item=${encodeURIComponent(item)}` : "")),
    save: (task, said) => send(task, "save", said),
    undo: (task) => send(task, "undo", {}),
    later: (task, item) => send(task, "later", { item }),
  };
  startRating(setup, source).show(setup.task);
})();
