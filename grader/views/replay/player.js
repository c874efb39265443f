"use strict";

const PAUSE = 1400; // milliseconds between steps, at speed 1
const SPEEDS = [0.5, 1, 2, 4];

/** Make a player of frames. `show` is called with the index of a frame whenever another one is to be seen. */
function makePlayer(show) {
  const [toggle, slider, speed] = ["play", "at", "speed"].map(byId);
  let last = 0;
  let first = null;
  let at = 0;
  let timer = null;

  function go(to, { spoken: aloud = true } = {}) {
    at = Math.max(0, Math.min(last, to));
    slider.value = String(at);
    byId("back").disabled = byId("restart").disabled = at === 0;
    byId("step").disabled = byId("end").disabled = at === last;
    show(at, aloud);
  }
  function pause() {
    clearTimeout(timer);
    timer = null;
    toggle.textContent = "Play";
  }
  function tick() {
    if (at >= last) return pause();
    go(at + 1);
    timer = setTimeout(tick, PAUSE / Number(speed.value));
    return undefined;
  }
  function play() {
    if (timer !== null) return pause();
    if (at === last) go(0);
    toggle.textContent = "Pause";
    timer = setTimeout(tick, PAUSE / Number(speed.value) / 2);
    return undefined;
  }
  const by = (steps) => {
    pause();
    go(at + steps);
  };
  const to = (where) => {
    pause();
    go(where);
  };
  const faster = (steps) => {
    const next = SPEEDS[SPEEDS.indexOf(Number(speed.value)) + steps];
    if (next) speed.value = String(next);
  };
  const keys = {
    " ": play,
    ArrowRight: () => by(1),
    ArrowLeft: () => by(-1),
    Home: () => to(0),
    End: () => to(last),
    "+": () => faster(1),
    "-": () => faster(-1),
    d: () => first !== null && to(first),
  };

  toggle.addEventListener("click", play);
  byId("step").addEventListener("click", () => by(1));
  byId("back").addEventListener("click", () => by(-1));
  byId("restart").addEventListener("click", () => to(0));
  byId("end").addEventListener("click", () => to(last));
  slider.addEventListener("input", () => to(Number(slider.value)));
  document.addEventListener("keydown", (event) => {
    const taken = !byId("keys").checked || event.target.closest?.("input, select, textarea, summary, [role=region]");
    const pressed = event.key === " " && event.target.closest?.("button, [role=button]");
    const key = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!key || taken || pressed || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    key();
  });

  return {
    to,
    get at() {
      return at;
    },
    /** Take the frames of a run, and show one of them. */
    load(run, where = 0) {
      pause();
      last = run.frames.length - 1;
      first = run.first;
      slider.max = String(last);
      go(where, { spoken: false });
    },
  };
}
