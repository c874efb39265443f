"use strict";

const CARD = { width: 118, height: 74 };
const CHARACTER = 7.3; // of the monospaced font at 12 px
const SMALLEST = 0.68; // the scale below which a picture scrolls in its box

const fit = (text, width, character = CHARACTER) => {
  const most = Math.floor(width / character);
  const characters = [...plain(text)];
  return characters.length <= most ? characters.join("") : `${characters.slice(0, most - 1).join("")}…`;
};

/** Return where the nodes and edges of a graph lie. `direction` is LR or TB. */
function layout(nodes, direction) {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  const space =
    direction === "LR" ? { nodesep: 16, ranksep: 22, edgesep: 18 } : { nodesep: 8, ranksep: 30, edgesep: 22 };
  graph.setGraph({ rankdir: direction, ...space, marginx: 6, marginy: 6 });
  nodes.forEach((_, i) => graph.setNode(String(i), { ...CARD }));
  nodes.forEach((node, i) =>
    node.inputs.forEach((input, slot) => {
      if (input.node !== null)
        graph.setEdge(String(input.node), String(i), { width: 44, height: 20, labelpos: "c" }, String(slot));
    }),
  );
  dagre.layout(graph);
  const edges = graph
    .edges()
    .map((edge) => ({ node: Number(edge.w), slot: Number(edge.name), input: Number(edge.v), ...graph.edge(edge) }));
  const plan = { ...graph.graph(), direction, cards: nodes.map((_, i) => graph.node(String(i))), edges };
  return ordered(plan, direction);
}

/** Mirror a layout across its direction where that puts more nodes of one rank in the program's order. */
function ordered(plan, direction) {
  const [along, across, size] = direction === "LR" ? ["x", "y", plan.height] : ["y", "x", plan.width];
  const rises = plan.cards.flatMap((one, i) =>
    plan.cards.slice(i + 1).map((other) => (one[along] === other[along] ? Math.sign(other[across] - one[across]) : 0)),
  );
  if (sum(rises) >= 0) return plan;
  const flip = (point) => ({ ...point, [across]: size - point[across] });
  const edges = plan.edges.map((edge) => ({ ...flip(edge), points: edge.points.map(flip) }));
  return { ...plan, cards: plan.cards.map(flip), edges };
}

/** Return a path for an edge, and where its label lies. It leaves a card at the middle of its side. Where several edges
 * enter a card, or leave it for the same one, they keep apart in the order in which they come. */
function route(edge, { cards, edges, direction }) {
  const lying = direction === "LR";
  const across = (point) => (lying ? point.y : point.x);
  const came = ({ input, points, slot }) => [across(points.length > 3 ? points.at(-2) : cards[input]), slot];
  const place = (among) => {
    const sorted = [...among].sort((one, other) => came(one)[0] - came(other)[0] || came(one)[1] - came(other)[1]);
    return (sorted.indexOf(edge) - (sorted.length - 1) / 2) * 22;
  };
  const end = (card, side, shift) =>
    lying
      ? { x: card.x + (side * CARD.width) / 2, y: card.y + shift }
      : { x: card.x + shift, y: card.y + (side * CARD.height) / 2 };
  const leaving = place(edges.filter((other) => other.input === edge.input && other.node === edge.node));
  const entering = place(edges.filter((other) => other.node === edge.node));
  const between = edge.points.length > 3 ? edge.points.slice(1, -1) : [];
  const stops = [end(cards[edge.input], 1, leaving), ...between, end(cards[edge.node], -1, entering)];
  const pieces = stops.slice(1).map((point, i) => {
    const from = stops[i];
    const half = lying ? (from.x + point.x) / 2 : (from.y + point.y) / 2;
    const [one, two] = lying
      ? [`${half} ${from.y}`, `${half} ${point.y}`]
      : [`${from.x} ${half}`, `${point.x} ${half}`];
    return `C${one} ${two} ${point.x} ${point.y}`;
  });
  const middle = { x: (stops[0].x + stops.at(-1).x) / 2, y: (stops[0].y + stops.at(-1).y) / 2 };
  return { path: `M${stops[0].x} ${stops[0].y}${pieces.join("")}`, label: between.length ? edge : middle };
}

/** Draw the graph of a run into `box`; return functions that show a frame and choose an edge. */
function graphView(box, run, { chosen, label = "The graph" } = {}) {
  const { nodes } = run;
  const wide = layout(nodes, "LR");
  const tall = layout(nodes, "TB");
  const [room, deep] = [box.clientWidth || 600, innerHeight * 0.6];
  const scaleOf = ({ width, height }) => Math.min(1, room / width, deep / height);
  const plan = scaleOf(wide) >= Math.min(0.78, scaleOf(tall)) ? wide : tall;
  const scale = Math.max(scaleOf(plan), Math.min(0.8, room / plan.width), SMALLEST);
  const picture = svg("svg", {
    viewBox: `0 0 ${plan.width} ${plan.height}`,
    width: Math.round(plan.width * scale),
    height: Math.round(plan.height * scale),
    role: "group",
    "aria-label": label,
  });
  const heads = ["forward", "backward", "differs", "resting"].map((kind) =>
    svg(
      "marker",
      {
        id: `${box.id}-${kind}`,
        viewBox: "0 0 8 8",
        refX: 7,
        refY: 4,
        markerWidth: 9,
        markerHeight: 9,
        markerUnits: "userSpaceOnUse",
        orient: "auto-start-reverse",
      },
      svg(`path.head.${kind}`, { d: "M0 0.5 L8 4 L0 7.5 Z" }),
    ),
  );
  const edges = plan.edges.map((edge) => drawnEdge(edge, route(edge, plan), chosen));
  const cards = nodes.map((node, i) => drawnCard(node, nodes, plan.cards[i]));
  picture.append(
    svg("defs", null, heads),
    ...edges.map((edge) => edge.line),
    ...cards.map((card) => card.group),
    ...edges.map((edge) => edge.pill),
  );
  box.replaceChildren(picture);

  function show(frame) {
    nodes.forEach((_, i) => showCard(cards[i], run, frame, i));
    for (const edge of edges) showEdge(edge, run, frame, box.id);
    if (frame.node !== null) bringIntoView(box, plan.cards[frame.node], scale);
  }
  function choose(node, slot) {
    for (const edge of edges) edge.line.classList.toggle("chosen", edge.at.node === node && edge.at.slot === slot);
  }
  return { show, choose };
}

/** Scroll the box, and not the page, so that a card is in view. */
function bringIntoView(box, card, scale) {
  const sides = [
    ["scrollLeft", box.clientWidth, card.x, CARD.width],
    ["scrollTop", box.clientHeight, card.y, CARD.height],
  ];
  for (const [side, room, middle, size] of sides) {
    const [from, to] = [(middle - size / 2) * scale, (middle + size / 2) * scale];
    if (from < box[side] || to > box[side] + room) box[side] = (from + to - room) / 2;
  }
}

function drawnCard(node, nodes, { x, y }) {
  const words = operationOf(node, nodes);
  const room = CARD.width - 26; // of both, in the smaller font
  const name = fit(
    node.name,
    isNamed(node) ? Math.max(room / 2, room - words.length * CHARACTER) : room - words.length * CHARACTER,
    8.5,
  );
  const number = () => svg("text.number", { x: CARD.width - 10, "text-anchor": "end" });
  const [data, grad] = [number(), number()];
  data.setAttribute("y", 47);
  grad.setAttribute("y", 65);
  const group = svg(
    "g.card",
    { transform: `translate(${x - CARD.width / 2} ${y - CARD.height / 2})`, "aria-hidden": "true" },
    svg("title", null, `${node.name} ${words}`),
    svg("rect", { width: CARD.width, height: CARD.height, rx: 5 }),
    svg("text.name", { x: 10, y: 20 }, name),
    svg("text.operation", { x: CARD.width - 10, y: 20, "text-anchor": "end" }, fit(words, room - name.length * 8.5)),
    svg("line", { x1: 0, x2: CARD.width, y1: 29.5, y2: 29.5 }),
    svg("text.label", { x: 10, y: 47 }, "data"),
    data,
    svg("text.label", { x: 10, y: 65 }, "grad"),
    grad,
  );
  return { group, data, grad };
}

function showCard({ group, data, grad }, run, frame, i) {
  const made = frame.made.has(i);
  const wrong = wrongGrad(run, frame, i);
  group.classList.toggle("made", made);
  group.classList.toggle("active", frame.node === i);
  group.classList.toggle(
    "touched",
    frame.totals.some(({ node }) => node === i),
  );
  group.classList.toggle("wrong", wrong);
  group.classList.toggle("wrong-data", wrongData(run, frame, i));
  const room = CARD.width - 42;
  data.textContent = made ? fit(against(run.data[i], run.expected[i].data, wrongData(run, frame, i)), room) : "";
  grad.textContent = made ? fit(against(frame.grads[i], run.expected[i].grad, wrong), room) : "";
}

/** Return a number, beside the right one where they differ: `3 ≠ 6`. */
function against(yours, right, wrong) {
  return wrong ? apart(yours, right).join(" ≠ ") : shown(yours);
}

function drawnEdge(at, { path, label }, chosen) {
  const line = svg("path.line", { d: path });
  const text = svg("text", { x: label.x, y: label.y + 4, "text-anchor": "middle" });
  const back = svg("rect", { height: 19, rx: 9.5, y: label.y - 9.5 });
  const pill = svg("g.pill", { "aria-hidden": "true" }, back, text);
  const select = () => chosen(at.node, at.slot);
  const press = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    select();
  };
  const handled = { tabindex: 0, role: "button", onclick: select, onfocus: select, onkeydown: press };
  const group = svg("g.edge", chosen ? handled : {}, svg("path.hit", { d: path }), line);
  return { line: group, stroke: line, pill, text, back, label, at };
}

function showEdge({ line, stroke, pill, text, back, label, at }, run, frame, id) {
  const { ends, edge } = edgeWords(run, frame, at.node, at.slot);
  const lost = frame.lost?.get(edgeKey(at.node, at.slot));
  const propagating =
    lost !== undefined ||
    (frame.kind === "visit" && frame.node === at.node && frame.rows.some(({ slot }) => slot === at.slot));
  const making = frame.kind === "forward" && frame.node === at.node;
  const wrong = lost !== undefined || edge?.off;
  const kind = propagating ? (wrong ? "differs" : "backward") : making ? "forward" : "";
  for (const name of ["forward", "backward", "differs"]) line.classList.toggle(name, kind === name);
  line.classList.toggle("made", frame.made.has(at.node));
  line.classList.toggle("done", Boolean(edge) && !kind);
  line.classList.toggle("off", Boolean(edge?.off) && !kind);
  const head = (end, on) => stroke.setAttribute(`marker-${end}`, on ? `url(#${id}-${kind || "resting"})` : "none");
  head("end", !propagating);
  head("start", propagating);
  const words = propagating ? (lost === undefined ? carriedWords(edge) : `lost ${digits(lost)}`) : "";
  text.textContent = words;
  pill.classList.toggle("differs", kind === "differs");
  pill.classList.toggle("on", words !== "");
  const width = words.length * 7.6 + 14;
  back.setAttribute("width", width);
  back.setAttribute("x", label.x - width / 2);
  if (line.getAttribute("role"))
    line.setAttribute("aria-label", plain(`Edge ${ends}: ${edge ? carried(edge) : "no contribution yet"}`));
}

const carriedWords = ({ amount, off }) => `${off ? "≠ " : ""}${change(amount, 4)}`;
const carried = ({ local, upstream, amount, wrong }) =>
  `${local === null ? "" : `local derivative ${digits(local)}, `}upstream gradient ${shown(upstream)}, ${wrong ? "your change" : "contribution"} ${shown(amount)}`;
