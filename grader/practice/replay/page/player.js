"use strict";

const PAUSE = 1400; // milliseconds between steps, at speed 1
const SPEEDS = [0.5, 1, 2, 4];

/**
 * Make a player of frames. `show` is called with the index of a frame whenever another one is to be seen.
 * @type {(show: (at: number, aloud: boolean) => void) => Player}
 */
function makePlayer(show) {
  const [toggle, slider, speed] = [byId("play"), byId("at"), byId("speed")];
  let last = 0;
  /** @type {number | null} */
  let first = null;
  let at = 0;
  /** @type {ReturnType<typeof setTimeout> | null} */
  let timer = null;

  /** @type {(to: number, how?: { spoken?: boolean }) => void} */
  function go(to, { spoken: aloud = true } = {}) {
    at = Math.max(0, Math.min(last, to));
    slider.value = String(at);
    byId("back").disabled = byId("restart").disabled = at === 0;
    byId("step").disabled = byId("end").disabled = at === last;
    show(at, aloud);
  }
  function pause() {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    toggle.textContent = "Play";
  }
  /** @type {() => void} */
  function tick() {
    if (at >= last) return pause();
    go(at + 1);
    timer = setTimeout(tick, PAUSE / Number(speed.value));
    return undefined;
  }
  /** @type {() => void} */
  function play() {
    if (timer !== null) return pause();
    if (at === last) go(0);
    toggle.textContent = "Pause";
    timer = setTimeout(tick, PAUSE / Number(speed.value) / 2);
    return undefined;
  }
  /** @type {(steps: number) => void} */
  const by = (steps) => {
    pause();
    go(at + steps);
  };
  /** @type {(where: number | null) => void} */
  const to = (where) => {
    pause();
    if (where !== null) go(where);
  };
  /** @type {(steps: number) => void} */
  const faster = (steps) => {
    const next = SPEEDS[SPEEDS.indexOf(Number(speed.value)) + steps];
    if (next) speed.value = String(next);
  };
  /** @type {Record<string, () => unknown>} */
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
    const taken = !byId("keys").checked || targetOf(event).closest?.("input, select, textarea, summary, [role=region]");
    const pressed = event.key === " " && targetOf(event).closest?.("button, [role=button]");
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
