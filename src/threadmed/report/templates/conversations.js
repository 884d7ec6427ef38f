(() => {
  const form = document.getElementById("filters");
  if (!form) return;
  const answers = [...document.querySelectorAll(".ans")];
  const threads = [...document.querySelectorAll(".thread")];
  const words = new Map(threads.map((thread) => [thread, thread.textContent.toLowerCase()]));
  const status = form.querySelector(".found");
  const wanted = () => Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
  const fits = (answer, want) =>
    (!want.model || answer.dataset.model === want.model) &&
    (!want.setting || answer.dataset.settings.split(" ").includes(want.setting)) &&
    (!want.score || answer.dataset.score === want.score) &&
    (!want.differ || answer.dataset.differ);
  const apply = () => {
    const want = wanted();
    const any = Object.keys(want).length > 0;
    const query = (want.q || "").toLowerCase();
    let found = 0;
    for (const thread of threads) {
      const speaks = words.get(thread).includes(query);
      let inThread = 0;
      for (const view of thread.querySelectorAll(".view")) {
        const hits = [...view.querySelectorAll(".ans")].filter((answer) => {
          const hit = speaks && fits(answer, want);
          answer.classList.toggle("hit", hit && Boolean(want.score || want.setting || want.differ));
          return hit;
        }).length;
        view.hidden = hits === 0;
        inThread += hits;
      }
      for (const asked of thread.querySelectorAll(".asked")) {
        const views = [...asked.querySelectorAll(".view")];
        asked.hidden = views.length > 0 && views.every((view) => view.hidden);
      }
      thread.hidden = any && inThread === 0 && !(answers.length === 0 && speaks);
      found += inThread;
    }
    status.textContent = found.toLocaleString("en") + " of " + answers.length.toLocaleString("en") + " answers";
    return want;
  };
  const remember = () => {
    const query = new URLSearchParams(apply()).toString();
    try {
      history.replaceState(null, "", (query ? "?" + query : location.pathname) + "#conversations");
    } catch { /* some browsers refuse this for files; the filters still work */ }
  };
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = form.elements[name];
    if (!field) continue;
    if (field.type === "checkbox") field.checked = true;
    else field.value = value;
  }
  form.hidden = false;
  form.addEventListener("input", remember);
  form.addEventListener("reset", () => setTimeout(remember));
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
})();
