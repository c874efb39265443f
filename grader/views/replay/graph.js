"use strict";

const CARD = { width: 118, height: 74 };
const CHARACTER = 7.3; // of the monospaced font at 12 px

const fit = (text, width) => {
  const most = Math.floor(width / CHARACTER);
  const characters = [...plain(text)];
  return characters.length <= most ? characters.join("") : `${characters.slice(0, most - 1).join("")}…`;
};

/** Return where the nodes and edges of a graph lie. `direction` is LR or TB. */
function layout(nodes, direction) {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  const space =
    direction === "LR" ? { nodesep: 16, ranksep: 22, edgesep: 18 } : { nodesep: 16, ranksep: 30, edgesep: 22 };
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
  return { ...graph.graph(), cards: nodes.map((_, i) => graph.node(String(i))), edges };
}

/** Return a smooth path through points. */
function curve(points) {
  const [first, ...rest] = points;
  const middles = rest.slice(0, -1).map((point, i) => {
    const next = rest[i + 1];
    const end = i === rest.length - 2 ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${point.x} ${point.y} ${end.x} ${end.y}`;
  });
  return `M${first.x} ${first.y}${rest.length === 1 ? `L${rest[0].x} ${rest[0].y}` : middles.join("")}`;
}

/** Draw the graph of a run into `box`; return functions that show a frame and choose an edge. */
function graphView(box, run, { chosen = () => {}, label = "The graph" } = {}) {
  const { nodes } = run;
  const wide = layout(nodes, "LR");
  const tall = layout(nodes, "TB");
  const room = box.clientWidth || 600;
  const scaleOf = ({ width }) => Math.min(1, room / width);
  const lying = scaleOf(wide) >= Math.min(0.78, scaleOf(tall));
  const plan = lying ? wide : tall;
  const scale = Math.max(scaleOf(plan), 0.72);
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
  const edges = plan.edges.map((edge) => drawnEdge(edge, run, box, chosen));
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
  const [left, right] = [(card.x - CARD.width / 2) * scale, (card.x + CARD.width / 2) * scale];
  if (left < box.scrollLeft || right > box.scrollLeft + box.clientWidth)
    box.scrollLeft = (left + right - box.clientWidth) / 2;
}

function drawnCard(node, nodes, { x, y }) {
  const words = expression(node, nodes);
  const name = fit(node.name, words ? CARD.width / 2 - 14 : CARD.width - 52);
  const number = () => svg("text.number", { x: CARD.width - 10, "text-anchor": "end" });
  const [data, grad] = [number(), number()];
  data.setAttribute("y", 47);
  grad.setAttribute("y", 65);
  const group = svg(
    "g.card",
    { transform: `translate(${x - CARD.width / 2} ${y - CARD.height / 2})`, "aria-hidden": "true" },
    svg("rect", { width: CARD.width, height: CARD.height, rx: 5 }),
    svg("text.name", { x: 10, y: 20 }, name),
    svg(
      "text.operation",
      { x: CARD.width - 10, y: 20, "text-anchor": "end" },
      fit(words || "leaf", CARD.width - 22 - name.length * 9),
    ),
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

function drawnEdge(at, run, box, chosen) {
  const path = curve(at.points);
  const line = svg("path.line", { d: path });
  const text = svg("text", { x: at.x, y: at.y + 4, "text-anchor": "middle" });
  const back = svg("rect", { height: 19, rx: 9.5, y: at.y - 9.5 });
  const pill = svg("g.pill", { "aria-hidden": "true" }, back, text);
  const select = () => chosen(at.node, at.slot);
  const press = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    select();
  };
  const group = svg(
    "g.edge",
    { tabindex: 0, role: "button", onclick: select, onfocus: select, onkeydown: press },
    svg("path.hit", { d: path }),
    line,
  );
  return { line: group, stroke: line, pill, text, back, at };
}

function showEdge({ line, stroke, pill, text, back, at }, run, frame, id) {
  const { ends, edge } = edgeWords(run, frame, at.node, at.slot);
  const propagating =
    frame.kind === "visit" && frame.node === at.node && frame.rows.some(({ slot }) => slot === at.slot);
  const making = frame.kind === "forward" && frame.node === at.node;
  const kind = propagating ? (edge.wrong ? "differs" : "backward") : making ? "forward" : "";
  for (const name of ["forward", "backward", "differs"]) line.classList.toggle(name, kind === name);
  line.classList.toggle("made", frame.made.has(at.node));
  line.classList.toggle("done", Boolean(edge) && !kind);
  const head = (end, on) => stroke.setAttribute(`marker-${end}`, on ? `url(#${id}-${kind || "resting"})` : "none");
  head("end", !propagating);
  head("start", propagating);
  const words = !propagating
    ? ""
    : edge.amount.value === null
      ? shown(edge.amount)
      : `${edge.wrong ? "≠ " : ""}${signed(edge.amount.value)}`;
  text.textContent = words;
  pill.classList.toggle("differs", kind === "differs");
  pill.classList.toggle("on", words !== "");
  const width = words.length * 7.6 + 14;
  back.setAttribute("width", width);
  back.setAttribute("x", at.x - width / 2);
  line.setAttribute("aria-label", plain(`Edge ${ends}: ${edge ? carried(edge) : "no contribution yet"}`));
}

const carried = ({ local, upstream, amount }) =>
  `${local === null ? "" : `local derivative ${digits(local)}, `}upstream gradient ${shown(upstream)}, contribution ${shown(amount)}`;
