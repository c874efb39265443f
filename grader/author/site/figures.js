"use strict";

// The figures of lessons: a right engine on an expression, drawn as the replay draws, with leaves that can be changed.
// Every number is computed here from the table of operations, so a figure is there before Python is.

const REACH = 5; // a slider goes this far to both sides of 0, or as far as the leaf's own value
const TABLE_NUDGE = 0.1;
const CURVE_MARGIN = 2; // of a curve, to both sides of the steps
const WIDTH_CHANGE = 24; // pixels of another width for which a figure is drawn again

/**
 * What a figure is about at some values of its leaves.
 * @typedef {{ figure: Data.SiteFigure, leaves: Leaves, rate: number, run: Run }} Moment
 */

/**
 * How the learner's code runs on the figures of the lesson.
 * @typedef {(figure: Data.SiteFigure, leaves: Leaves) => Promise<Data.Replay | null>} OwnRun
 */

/** The learner's code for figures, which hear of each change. Without a verdict on the text, there is none. */
class OwnCode {
  constructor() {
    /** @type {OwnRun | undefined} */
    this.run = undefined;
    /** @type {(() => void)[]} */
    this.heard = [];
  }

  /**
   * @param {OwnRun | undefined} run
   */
  set(run) {
    if (this.run === run) return;
    this.run = run;
    for (const changed of this.heard) changed();
  }
}

/**
 * Put a live figure into a place, in which its graph can be measured.
 * @type {(place: HTMLElement, figure: Data.SiteFigure, code: OwnCode) => void}
 */
function figureView(place, figure, code) {
  const { nodes, root } = figure;
  const own = leavesOf(nodes);
  const engines = engineSwitch(code, (replay) => {
    recorded = replay;
    draw(player.at || Infinity);
    about.textContent = plain(replay ? verdict(moment.run) : moment.run.ending ?? "");
  });
  /** @type {Data.Replay | null} */
  let recorded = null;
  let leaves = { ...own };
  let { rate } = figure;
  /** @type {Moment} */
  let moment;
  /** @type {{ node: number, slot: number } | null} */
  let chosen = null;
  /** @type {Show[]} */
  let shows = [];

  // the parts of the figure
  const box = h("div.graph", { id: `${place.id}-graph` });
  const [now, edge, about] = [h("div.now"), h("p.edge-words"), h("p.unseen", { role: "status" })];
  const numbers = h("table", {});
  const steps = h("table.mirrored", {});
  const views = h("div.views", {});
  const { controls, bar, count } = transport();
  const reset = h("button", { type: "button", disabled: true, onclick: () => change({ ...own }, figure.rate) }, "Reset");
  const sliders = nodes.flatMap((node, i) =>
    isLeaf(node) ? [slider(node.name, own[i], rangeOf(own[i]), (value) => change({ ...leaves, [i]: value }, rate))] : [],
  );
  const pace = figure.rate
    ? [slider("rate", rate, [figure.rate / 10, 3 * figure.rate], (value) => change(leaves, value))]
    : [];
  const all = [...sliders, ...pace];
  const game = figure.show.includes("order") ? gameBoard(place.id) : null;
  fill(place,
    h("figcaption", {}, coded(`\`${figure.title}\``), engines.place),
    box,
    now,
    edge,
    about,
    h("div.controls", {}, bar, h("div.leaves", { role: "group", "aria-label": "Values" }, all.map(({ label }) => label), reset)),
    views,
    figure.show.includes("steps") && scrolled("Forward and backward steps", steps),
    game?.section,
    h("details", {}, h("summary", {}, "All numbers of this step"), scrolled("All numbers of this step", numbers)),
  );

  const player = makePlayer((at, aloud) => {
    const frame = moment.run.frames[at];
    for (const show of shows) show(frame, at);
    count.textContent = `${at} / ${moment.run.frames.length - 1}`;
    controls.slider.setAttribute("aria-valuetext", plain(`Step ${at}: ${headline(moment.run, frame)}`));
    if (aloud) about.textContent = plain(spoken(moment.run, frame, at));
  }, controls);

  /**
   * Show other values, at the same step; at the end if no step was taken.
   * @type {(other: Leaves, speed: number) => void}
   */
  function change(other, speed) {
    leaves = other;
    rate = speed;
    const values = [...Object.values(leaves), rate];
    all.forEach(({ show }, at) => show(values[at]));
    reset.disabled = Object.entries(own).every(([i, value]) => leaves[Number(i)] === value) && rate === figure.rate;
    if (engines.follow(figure, leaves)) return; // it draws when the learner's code has run
    draw(player.at || Infinity);
    about.textContent = plain(moment.run.ending ?? "");
  }

  /** @type {(at: number) => void} */
  function draw(at) {
    moment = { figure, leaves, rate, run: recorded ? recordedRun(recorded) : figureRun(figure, leaves) };
    const { run } = moment;
    const read = edgeView(edge, run);
    const graph = graphView(box, run, {
      chosen: (node, slot) => choose({ node, slot }),
      label: plain(`The graph of ${figure.title}: choose an edge to read it`),
      formulas: figure.edges,
    });
    /** @type {(other: { node: number, slot: number }) => void} */
    function choose(other) {
      chosen = other;
      read.choose(other.node, other.slot);
      graph.choose(other.node, other.slot);
      read.show(run.frames[player.at]);
    }
    if (chosen) [read, graph].forEach((view) => view.choose(chosen?.node ?? 0, chosen?.slot ?? 0));
    shows = [graph.show, stepView(now, run), read.show, numbersView(numbers, run)];
    if (figure.show.includes("steps")) shows.push(waterfallView(steps, run, player.to));
    fill(views, figure.show.map((kind) => FIGURE_VIEWS[kind]?.(moment)));
    const played = game && gameOf({ ...figure, nodes: nodes.map((node, i) => (isLeaf(node) ? { ...node, leaf_value: leaves[i] } : node)) });
    if (game) game.section.hidden = !played;
    if (game && played) playGame(played, game.board);
    player.load(run, at);
  }

  let width = place.clientWidth;
  draw(Infinity);
  engines.follow(figure, leaves);
  code.heard.push(() => engines.follow(figure, leaves));
  new ResizeObserver(() => {
    if (!place.clientWidth || Math.abs(place.clientWidth - width) < WIDTH_CHANGE) return;
    width = place.clientWidth;
    draw(player.at);
  }).observe(place);
}

/**
 * Return a switch between a right engine and the learner's code, which is there when the code was graded. `follow` lets
 * the learner's code run if it is chosen, and returns whether it does; `drawn` is then called with the recording.
 * @type {(code: OwnCode, drawn: (replay: Data.Replay | null) => void) => { place: HTMLElement, follow: (figure: Data.SiteFigure, leaves: Leaves) => boolean }}
 */
function engineSwitch(code, drawn) {
  let mine = false;
  /** @type {{ figure: Data.SiteFigure, leaves: Leaves } | null} */
  let latest = null;
  let running = false;
  const told = h("span.quiet", { role: "status" });
  const [right, yours] = [false, true].map((own) =>
    h("button", { type: "button", onclick: () => choose(own) }, own ? "Your code" : "A right engine"));
  const place = h("span.engines", { role: "group", "aria-label": "Whose numbers", hidden: true }, right, yours, told);

  /** @type {(own: boolean) => void} */
  function choose(own) {
    mine = own;
    told.textContent = "";
    [right, yours].forEach((button, at) => button.setAttribute("aria-pressed", String(mine === Boolean(at))));
    if (!mine) drawn(null);
    else if (latest) follow(latest.figure, latest.leaves);
  }

  /** @type {(figure: Data.SiteFigure, leaves: Leaves) => boolean} */
  function follow(figure, leaves) {
    latest = { figure, leaves };
    if (code.run) place.hidden = false;
    const old = mine && !code.run;
    told.textContent = old ? "of your earlier text" : "";
    if (mine && code.run && !running) run(code.run);
    return mine;
  }

  /** @type {(ask: OwnRun) => Promise<void>} */
  async function run(ask) {
    running = true;
    for (let asked = null; latest && asked !== latest && mine; ) {
      asked = latest;
      const replay = await (code.run ?? ask)(asked.figure, asked.leaves).catch(() => null);
      if (!mine) break;
      if (replay) drawn(replay);
      else {
        choose(false);
        told.textContent = "Your code cannot run this expression yet.";
      }
    }
    running = false;
  }

  [right, yours].forEach((button, at) => button.setAttribute("aria-pressed", String(!at)));
  return { place, follow };
}

/**
 * Return the run of a right engine, at some values of the leaves.
 * @type {(figure: Data.SiteFigure, leaves: Leaves) => Run}
 */
function figureRun({ nodes, root, upstream }, leaves) {
  const right = { nodes, root, fault: /** @type {const} */ (""), fault_node: null, problem: null, reference: [], asked: /** @type {const} */ ("expected") };
  const run = referenceRun(right, leaves, nodes.map((_, i) => (i === root ? upstream : 0)));
  const last = run.frames[run.frames.length - 1];
  const at = nodes.map((_, i) => i).filter((i) => isLeaf(nodes[i]));
  run.ending = `The backward pass is complete: ${series(at.map((i) => `${nodes[i].name}.grad = ${shown(last.grads[i])}`))}.`;
  return run;
}

/** @type {(value: number) => Span} */
const rangeOf = (value) => [Math.min(-REACH, Math.floor(value)), Math.max(REACH, Math.ceil(value))];

/**
 * Return a slider with its name and its value, and a function that shows another value.
 * @type {(name: string, value: number, range: Span, moved: (value: number) => void) => { label: HTMLElement, show: (value: number) => void }}
 */
function slider(name, value, [min, max], moved) {
  const step = name === "rate" ? min : Number.isInteger(value * 2) ? 0.5 : "any";
  const words = h("span.value", {});
  const input = h("input", { type: "range", min, max, step });
  /** @type {(value: number) => void} */
  const show = (other) => {
    words.textContent = plain(`${name} = ${digits(other, 4)}`);
    input.value = String(other);
    input.setAttribute("aria-valuetext", words.textContent);
  };
  input.addEventListener("input", () => Number.isFinite(input.valueAsNumber) && moved(input.valueAsNumber));
  show(value);
  return { label: h("label.leaf", {}, words, input), show };
}

/**
 * Return the buttons of a player.
 * @type {() => { controls: Controls, bar: HTMLElement, count: HTMLElement }}
 */
function transport() {
  /** @type {(label: string, text: string) => HTMLButtonElement} */
  const button = (label, text) => h("button", { type: "button", "aria-label": label, title: label }, text);
  const [back, step] = [button("Step backward", "◂"), button("Step forward", "▸")];
  const toggle = h("button.play", { type: "button" }, "Play");
  const slider = h("input", { type: "range", min: 0, value: 0, "aria-label": "Step" });
  const count = h("span.count", {});
  const bar = h("div.transport", { role: "group", "aria-label": "Steps" }, back, toggle, step, slider, count);
  return { controls: { toggle, slider, back, step }, bar, count };
}

/** @type {(label: string, table: HTMLElement) => HTMLElement} */
const scrolled = (label, table) => h("div.scroll", { tabindex: 0, role: "region", "aria-label": label }, table);

/**
 * Return the places of an order game.
 * @type {(id: string) => { section: HTMLElement, board: Board }}
 */
function gameBoard(id) {
  const [about, told] = [h("p.about", {}), h("div.told", { role: "status" })];
  const graph = h("div.graph", { id: `${id}-game` });
  const hand = h("div.hand", { role: "group", "aria-label": "Calls" });
  const placed = h("ol.order", { "aria-label": "Your order" });
  const [start, clear] = [h("button.play", { type: "button" }, "Run"), h("button", { type: "button" }, "Clear")];
  const section = h("section.game", { "aria-label": "The order game" },
    h("h3", {}, "In which order?"), about, hand, placed, h("p.buttons", {}, start, clear), told, graph);
  return { section, board: { graph, about, hand, placed, told, start, clear } };
}

// -- What a figure shows beside its graph

/** @type {Partial<Record<Data.SiteFigure["show"][number], (moment: Moment) => HTMLElement>>} */
const FIGURE_VIEWS = { table: nudgesView, thermometer: barsView, curve: curveView };

/** @type {(run: Run) => number[]} */
const lastGrads = ({ frames }) => frames[frames.length - 1].grads.map(({ value }) => value ?? NaN);

/**
 * Return a table of what each gradient says about its leaf.
 * @type {(moment: Moment) => HTMLElement}
 */
function nudgesView({ figure: { nodes, root }, leaves, run }) {
  const name = nodes[root].name;
  const grads = lastGrads(run);
  const rows = Object.keys(leaves).map(Number).map((i) => {
    const moved = forwardPass(nodes, { ...leaves, [i]: leaves[i] + TABLE_NUDGE })[root] - (run.data[root].value ?? NaN);
    return h("tr", {}, h("th", { scope: "row" }, nodes[i].name), cell(digits(grads[i])), cell(digits(grads[i] * TABLE_NUDGE, 4)), cell(digits(moved, 4)));
  });
  const words = ["leaf", "gradient", `gradient × ${TABLE_NUDGE}`, `when the leaf goes up by ${TABLE_NUDGE}, ${name} moves by`];
  return h("table.nudges", {}, h("caption.unseen", {}, "What each gradient says about its leaf"), head(words), h("tbody", {}, rows));
}

/**
 * Return the gradients of the nodes that the program names, as bars to the left and to the right of 0.
 * @type {(moment: Moment) => HTMLElement}
 */
function barsView({ figure: { nodes, program }, run }) {
  const grads = lastGrads(run);
  const named = nodes.map((_, i) => i).filter((i) => isLeaf(nodes[i]) || new RegExp(`\\b${nodes[i].name} =`).test(program));
  const most = Math.max(...named.map((i) => Math.abs(grads[i]) || 0), 1e-12);
  const rows = named.map((i) => {
    const width = ((grads[i] || 0) / most) * 48;
    const bar = svg("svg.bar", { viewBox: "-50 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("line.zero", { x1: 0, x2: 0, y1: 0, y2: 16 }),
      svg(`rect.${width < 0 ? "negative" : "positive"}`, { x: Math.min(0, width), width: Math.abs(width), y: 3, height: 10 }));
    return h("tr", {}, h("th", { scope: "row" }, nodes[i].name), h("td", {}, bar), cell(digits(grads[i], 4)));
  });
  return h("table.bars", {}, h("caption.unseen", {}, "Gradients of the nodes"), head(["node", "−    gradient    +", ""]), h("tbody", {}, rows));
}

/**
 * Return the root over the first leaf: a curve, its slope where the leaf is, and the steps of gradient descent from there.
 * @type {(moment: Moment) => HTMLElement}
 */
function curveView({ figure, leaves, rate, run }) {
  const { nodes, root, steps } = figure;
  const first = Number(Object.keys(leaves)[0]);
  const [name, result] = [nodes[first].name, nodes[root].name];
  /** @type {(value: number) => number} */
  const at = (value) => forwardPass(nodes, { ...leaves, [first]: value })[root];
  /** @type {Pair[]} */
  const walk = [[leaves[first], at(leaves[first])]];
  for (let step = 0; rate && step < steps; step += 1) {
    const [value] = walk[walk.length - 1];
    const next = value - rate * lastGrads(figureRun(figure, { ...leaves, [first]: value }))[first];
    walk.push([next, at(next)]);
  }
  const [low, high] = extent(walk.flatMap(([value]) => [value - CURVE_MARGIN, value + CURVE_MARGIN]));
  /** @type {Pair[]} */
  const line = Array.from({ length: 101 }, (_, i) => low + ((high - low) * i) / 100).map((value) => [value, at(value)]);
  const { x, y, marks } = axes([low, high], extent([...line, ...walk].map(([, value]) => value)), { across: name, up: result });
  const slope = lastGrads(run)[first];
  const [[here, there]] = walk;
  /** @type {Pair[]} */
  const tangent = [-1, 1].map((side) => [here + side, there + side * slope]);
  const told = [
    `At ${name} = ${digits(here, 4)}, ${result} is ${digits(there, 4)} and its slope is ${digits(slope, 4)}, the gradient of ${name}.`,
    ...walk.slice(1).map(([value, loss], i) => `Step ${i + 1} leads to ${name} = ${digits(value, 4)}, where ${result} is ${digits(loss, 4)}.`),
  ].join(" ");
  const picture = svg("svg.chart", { viewBox: `0 0 ${CHART.width} ${CHART.height}`, "aria-hidden": "true" },
    marks,
    svg("path.curve", { d: polyline(line, x, y) }),
    svg("path.reference", { d: polyline(tangent, x, y) }),
    svg("path.own", { d: polyline(walk, x, y) }),
    walk.map(([value, loss], i) => Number.isFinite(loss) && svg(i ? "circle.dot" : "circle.dot.now", { cx: x(value), cy: y(loss), r: i ? 4 : 6.5 })));
  return h("div.curve", {}, picture, h("p.quiet", {}, plain(told)));
}

/**
 * Return a place for a figure of a lesson, which is drawn when it is in the page.
 * @type {(exercise: Data.SiteExercise, id: string, code: OwnCode) => HTMLElement}
 */
function figurePlace(exercise, id, code) {
  const figure = exercise.figures.find((one) => one.id === id);
  const place = h("figure.figure", { id: `figure-${exercise.id}-${id}`, "aria-label": plain(`Figure: ${figure?.title ?? id}`) });
  if (figure) requestAnimationFrame(() => place.isConnected && figureView(place, figure, code));
  return place;
}
