// Renews the organiser's numbers, and leaves alone what is being read.
(() => {
  const numbers = document.getElementById("numbers");
  const renew = async () => {
    const reading = numbers.contains(document.activeElement) || String(getSelection());
    const open = numbers.querySelector("details[open]");
    if (document.hidden || reading || open) return;
    const reply = await fetch("/organiser/live").catch(() => null);
    if (reply && reply.ok) numbers.innerHTML = await reply.text();
  };
  setInterval(renew, 5000);
})();
