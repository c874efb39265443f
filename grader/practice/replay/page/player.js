"use strict";

const PAUSE = 1400; // milliseconds between steps, at speed 1
const SPEEDS = [0.5, 1, 2, 4];

/**
 * Make a player of frames. `show` is called with the index of a frame whenever another one is to be seen.
 * @type {(show: (at: number, aloud: boolean) => void, controls: Controls) => Player}
 */
function makePlayer(show, { toggle, slider, back, step, restart, end, speed, keys: allowed }) {
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
    for (const button of [back, restart]) if (button) button.disabled = at === 0;
    for (const button of [step, end]) if (button) button.disabled = at === last;
    show(at, aloud);
  }
  const pace = () => Number(speed?.value ?? 1);
  function pause() {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    toggle.textContent = "Play";
  }
  /** @type {() => void} */
  function tick() {
    if (at >= last) return pause();
    go(at + 1);
    timer = setTimeout(tick, PAUSE / pace());
    return undefined;
  }
  /** @type {() => void} */
  function play() {
    if (timer !== null) return pause();
    if (at === last) go(0);
    toggle.textContent = "Pause";
    timer = setTimeout(tick, PAUSE / pace() / 2);
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
    const next = SPEEDS[SPEEDS.indexOf(pace()) + steps];
    if (next && speed) speed.value = String(next);
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
  step.addEventListener("click", () => by(1));
  back.addEventListener("click", () => by(-1));
  restart?.addEventListener("click", () => to(0));
  end?.addEventListener("click", () => to(last));
  slider.addEventListener("input", () => to(Number(slider.value)));
  if (allowed) document.addEventListener("keydown", (event) => {
    const taken = !allowed.checked || targetOf(event).closest?.("input, select, textarea, summary, [role=region]");
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
