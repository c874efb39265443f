"use strict";

/**
 * Return how a run ended. On a page with a training run, that one comes first: right gradients do not make it right.
 * @type {(run: Run, replay: Data.Replay, to: (at: number | null) => void, landscape: Data.Landscape | null, note: string) => Child[]}
 */
function lead(run, replay, to, landscape, note) {
  const { problem } = replay;
  const own = problem ? "! " : run.first === null ? "✓ " : "≠ ";
  const [sign, training] = landscape ? descentVerdict(landscape) : [own, ""];
  const held = replay.nodes.some(({ yours }) => yours.grad !== null || yours.grad_text);
  const judged = (!problem || (held && problem.where === "read")) && verdict(run);
  const rest = [problem?.text, judged].filter(Boolean).join(" ");
  const about = aboutGraph(replay);
  const sentences = [note, training, landscape && rest ? `Before the first step: ${rest}` : rest, ...about].filter(Boolean);
  const jump = { type: "button", id: "first-difference", onclick: () => to(run.first) };
  return [
    h("strong", null, sign),
    plain(`${sentences.join(" ")} `),
    run.first !== null && h("button.plain", jump, `Show step ${run.first}, where the first difference arises`),
  ];
}

/**
 * Return the frame to begin with: the first difference, or the line that raised an error, or else the start.
 * @type {(run: Run) => number}
 */
const opening = ({ first, frames, replay }) => first ?? (replay.problem?.line ? frames.length - 1 : 0);

/**
 * Show one replay, recorded or with other values of the leaves, from a frame on.
 * @type {(data: Data.ReplayPage, replay: Data.Replay, player: Player, views: Views, how?: { leaves?: Leaves, where?: number, kept?: Map<number, HTMLInputElement> }) => void}
 */
function open(data, replay, player, views, { leaves, where, kept } = {}) {
  const own = leavesOf(replay.nodes);
  const same = !leaves || Object.entries(own).every(([i, value]) => value === leaves[Number(i)]);
  const run = same ? recordedRun(replay) : referenceRun(replay, leaves);
  const back = () => open(data, replay, player, views);
  byId("title").textContent = plain(replay.title);
  byId("title").classList.toggle("long", replay.title.length > 40);
  document.title = `${plain(replay.title)}: your backward pass`;
  byId("program").textContent = plain(replay.program === replay.title ? "" : replay.program);
  fill(byId("lead"),
    lead(
      recordedRun(replay),
      replay,
      (at) => (same ? player.to(at) : back()),
      replay === data.replays[0] ? data.landscape : null,
      data.note,
    ),
  );
  byId("other").hidden = same;
  const values = replay.nodes
    .map((node, i) => (isLeaf(node) ? `${node.name} = ${digits(own[i])}` : ""))
    .filter(Boolean);
  byId("other-words").textContent = plain(
    `These are other values: the page shows the reference. Your recorded run belongs to ${series(values)}.`,
  );
  byId("return").onclick = () => {
    back();
    byId("play").focus();
  };
  byId("file").textContent = plain(replay.source.file);

  const edge = edgeView(byId("edge"), run);
  const graph = graphView(byId("graph"), run, {
    chosen(node, slot) {
      edge.choose(node, slot);
      graph.choose(node, slot);
      edge.show(run.frames[player.at]);
    },
    label: plain(`The graph of ${replay.title}: choose an edge to read it`),
  });
  /** @type {(other: Leaves, leaf: number, inputs: Map<number, HTMLInputElement>) => void} */
  const changed = (other, leaf, inputs) => {
    open(data, replay, player, views, { leaves: other, where: Infinity, kept: inputs });
    inputs.get(leaf)?.focus();
  };
  byId("tables").classList.toggle("beside", areNarrow(run));
  // the page computes no arrays, so their leaves cannot be edited
  const ofArrays = haveArrays(replay.nodes);
  for (const part of document.querySelectorAll("#leaves-section, nav a[href='#leaves-heading']"))
    part.toggleAttribute("hidden", ofArrays);
  views.list = [
    graph.show,
    edge.show,
    stepView(byId("now"), run),
    sourceView(byId("source"), replay.source, run), // after the step, which leaves it its room
    numbersView(byId("numbers"), run),
    ...(ofArrays ? [] : [leavesView(byId("leaves"), run, leaves ?? own, changed, kept)]),
    waterfallView(byId("waterfall"), run, player.to),
  ];
  views.run = run;
  views.replay = replay;
  player.load(run, where ?? opening(run));
}

/** @type {(data: Data.ReplayPage, choose: (at: number) => void) => (at: number) => void} */
function presets(data, choose) {
  const buttons = data.replays.map((replay, i) =>
    h("button", { type: "button", onclick: () => choose(i), "data-preset": replay.preset || undefined }, replay.title),
  );
  fill(byId("presets"), ...buttons);
  byId("presets").hidden = buttons.length < 2;
  return (at) =>
    buttons.forEach((button, i) =>
      i === at ? button.setAttribute("aria-current", "true") : button.removeAttribute("aria-current"),
    );
}

/**
 * Return the page's data. In a frame without data of its own, the page around it sends it.
 * @type {() => Data.ReplayPage | Promise<Data.ReplayPage>}
 */
function received() {
  const own = unpack();
  if (own) return own;
  document.body.classList.add("framed");
  return new Promise((resolve) => {
    addEventListener("message", ({ source, data }) => source === parent && resolve(data));
    parent.postMessage({ ready: true }, "*");
  });
}

async function start() {
  const data = await received();
  find("main").hidden = false;
  const turnGame = orderGame(data.game, data.replays);
  if (data.replays.length) {
    /** @type {Views} */
    const views = { list: [], run: null, replay: null };
    const player = makePlayer((at, aloud) => {
      const { run } = views;
      if (!run) return;
      const frame = run.frames[at];
      for (const show of views.list) show(frame, at);
      const text = spoken(run, frame, at);
      byId("at").setAttribute(
        "aria-valuetext",
        `Step ${at} of ${run.frames.length - 1}: ${plain(headline(run, frame))}`,
      );
      byId("place").textContent = `${at} / ${run.frames.length - 1}`;
      if (aloud) byId("spoken").textContent = plain(text);
    }, {
      toggle: byId("play"), slider: byId("at"), back: byId("back"), step: byId("step"),
      restart: byId("restart"), end: byId("end"), speed: byId("speed"), keys: byId("keys"),
    });
    /** @type {(at: number) => void} */
    const choose = (at) => {
      mark(at);
      open(data, data.replays[at], player, views);
      turnGame(data.replays[at]);
    };
    const mark = presets(data, choose);
    choose(0);
    let width = innerWidth;
    addEventListener("resize", () => {
      if (width === innerWidth) return;
      width = innerWidth;
      const { run, replay } = views;
      if (!run || !replay) return;
      const values = run.data.map(({ value }) => value ?? NaN);
      const leaves = run.recorded ? undefined : Object.fromEntries(values.map((value, i) => [i, value]));
      open(data, replay, player, views, { leaves, where: player.at });
    });
  } else {
    for (const part of document.querySelectorAll(".replay")) part.setAttribute("hidden", "");
    byId("lead").textContent = plain(
      data.landscape ? descentVerdict(data.landscape).join("") : data.thermometers.map(layersVerdict)[0] ?? "",
    );
    if (data.thermometers.length) byId("title").textContent = plain(data.thermometers[0].title);
  }
  byId("model").hidden = find('nav a[href="#model"]').hidden = !data.model;
  if (data.model) {
    byId("title").textContent = "Your language model";
    byId("file").textContent = plain(data.model.source);
    byId("game").hidden = find('nav a[href="#game-heading"]').hidden = true;
    modelView(byId("model"))(data.model);
  }
  if (data.landscape) {
    byId("descent").hidden = false;
    landscapeView(byId("descent"), data.landscape);
    if (!location.hash) byId("descent").scrollIntoView();
    if (!data.replays.length) byId("title").textContent = plain(data.landscape.title);
  } else find('nav a[href="#descent"]').hidden = true;
  byId("thermometers").hidden = find('nav a[href="#thermometers"]').hidden = !data.thermometers.length;
  if (data.thermometers.length) {
    thermometersView(byId("thermometers"), data.thermometers);
    if (!location.hash) byId("thermometers").scrollIntoView();
  }
  document.body.dataset.ready = "yes";
  if (document.body.classList.contains("framed")) parent.postMessage({ shown: true }, "*");
}

start().catch((error) => {
  byId("lead").textContent = `The replay cannot be shown: ${error.message}`;
  throw error;
});
