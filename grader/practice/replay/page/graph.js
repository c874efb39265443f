"use strict";

const CARD = { width: 118, height: 74 };
const PART = { width: 36, height: 15 }; // of a number of an array
const CHARACTER = 7.3; // of the monospaced font at 12 px
const SMALLEST = 0.68; // the scale below which the nodes are drawn as rows
const ROW = { height: 24, step: 27, widest: 620, top: 22 };

/** @type {(text: string, width: number, character?: number) => string} */
const fit = (text, width, character = CHARACTER) => {
  const most = Math.floor(width / character);
  const characters = [...plain(text)];
  return characters.length <= most ? characters.join("") : `${characters.slice(0, most - 1).join("")}…`;
};

/** @type {(nodes: GraphNode[]) => Size} */
function cardOf(nodes) {
  if (!haveArrays(nodes)) return CARD;
  const rows = Math.max(...nodes.map(({ shape }) => Math.min(shape?.at(-2) ?? 1, CORNER + 0.6)));
  return { width: 252, height: 53 + rows * PART.height };
}

/**
 * Return where the nodes and edges of a graph lie. `direction` is LR or TB, and `width` that of a label on an edge.
 * @type {(nodes: GraphNode[], direction: "LR" | "TB", width?: number) => Plan}
 */
function layout(nodes, direction, width = 44) {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  const space =
    direction === "LR" ? { nodesep: 16, ranksep: 22, edgesep: 18 } : { nodesep: 8, ranksep: 30, edgesep: 22 };
  graph.setGraph({ rankdir: direction, ...space, marginx: 6, marginy: 6 });
  const card = cardOf(nodes);
  nodes.forEach((_, i) => graph.setNode(String(i), { ...card }));
  nodes.forEach((node, i) =>
    node.inputs.forEach((input, slot) => {
      if (input.node !== null)
        graph.setEdge(String(input.node), String(i), { width, height: 20, labelpos: "c" }, String(slot));
    }),
  );
  dagre.layout(graph);
  const edges = graph
    .edges()
    .map((edge) => ({ node: Number(edge.w), slot: Number(edge.name), input: Number(edge.v), ...graph.edge(edge) }));
  /** @type {Plan} */
  const plan = { ...graph.graph(), direction, card, gutter: 0, cards: nodes.map((_, i) => graph.node(String(i))), edges };
  return ordered(plan, direction);
}

/**
 * Return a layout with a row for each node, inputs above the nodes computed from them. The edges are arcs beside the
 * rows. It fits any width.
 * @type {(nodes: GraphNode[], room: number) => Plan}
 */
function rowLayout(nodes, room) {
  const gutter = room < 480 ? 64 : 92;
  const card = { width: Math.min(room, ROW.widest) - gutter - 2, height: ROW.height };
  /** @type {(i: number) => Point} */
  const at = (i) => ({ x: gutter + card.width / 2, y: ROW.top + i * ROW.step + ROW.height / 2 });
  const edges = nodes.flatMap(({ inputs }, node) =>
    inputs.flatMap(({ node: input }, slot) => (input === null ? [] : [{ node, slot, input, x: 0, y: 0, points: [] }])),
  );
  const size = { width: Math.min(room, ROW.widest), height: ROW.top + nodes.length * ROW.step };
  return { ...size, direction: "ROWS", gutter, card, cards: nodes.map((_, i) => at(i)), edges };
}

/**
 * Return an arc from a row to another, and where its label lies: beside the row that uses the other.
 * @type {(edge: PlanEdge, plan: Plan) => { path: string, label: Point }}
 */
function arc({ node, slot, input }, { cards, edges, gutter }) {
  const [from, to] = [cards[input].y, cards[node].y];
  const again = edges.some((other) => other.node === node && other.input === input && other.slot < slot);
  const reach = Math.min(gutter - 12, 12 + 5 * (node - input)) + (again ? 8 : 0);
  const x = gutter - (4 / 3) * reach;
  const beside = edges.filter((other) => other.node === node).length < 2 ? 0 : slot ? 11 : -11;
  return {
    path: `M${gutter} ${from}C${x} ${from} ${x} ${to} ${gutter} ${to}`,
    label: { x: gutter / 2, y: to + beside },
  };
}

/**
 * Mirror a layout across its direction where that puts more nodes of one rank in the program's order.
 * @type {(plan: Plan, direction: "LR" | "TB") => Plan}
 */
function ordered(plan, direction) {
  /** @type {["x", "y", number] | ["y", "x", number]} */
  const [along, across, size] = direction === "LR" ? ["x", "y", plan.height] : ["y", "x", plan.width];
  const rises = plan.cards.flatMap((one, i) =>
    plan.cards.slice(i + 1).map((other) => (one[along] === other[along] ? Math.sign(other[across] - one[across]) : 0)),
  );
  if (sum(rises) >= 0) return plan;
  /** @type {<P extends Point>(point: P) => P} */
  const flip = (point) => ({ ...point, [across]: size - point[across] });
  const edges = plan.edges.map((edge) => ({ ...flip(edge), points: edge.points.map(flip) }));
  return { ...plan, cards: plan.cards.map(flip), edges };
}

/**
 * Return a path for an edge, and where its label lies. It leaves a card at the middle of its side. Where several edges
 * enter a card, or leave it for the same one, they keep apart in the order in which they come.
 * @type {(edge: LaidEdge, plan: Plan) => { path: string, label: Point }}
 */
function route(edge, plan) {
  const { cards, edges, direction } = plan;
  if (direction === "ROWS") return arc(edge, plan);
  const lying = direction === "LR";
  /** @type {(point: Point) => number} */
  const across = (point) => (lying ? point.y : point.x);
  /** @type {(edge: LaidEdge) => Pair} */
  const came = ({ input, points, slot }) => [across(points.length > 3 ? points[points.length - 2] : cards[input]), slot];
  /** @type {(among: LaidEdge[]) => number} */
  const place = (among) => {
    const sorted = [...among].sort((one, other) => came(one)[0] - came(other)[0] || came(one)[1] - came(other)[1]);
    return (sorted.indexOf(edge) - (sorted.length - 1) / 2) * (lying || plan.card === CARD ? 22 : 66);
  };
  /** @type {(card: Point, side: number, shift: number) => Point} */
  const end = (card, side, shift) =>
    lying
      ? { x: card.x + (side * plan.card.width) / 2, y: card.y + shift }
      : { x: card.x + shift, y: card.y + (side * plan.card.height) / 2 };
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
  const last = stops[stops.length - 1];
  const middle = { x: (stops[0].x + last.x) / 2, y: (stops[0].y + last.y) / 2 };
  return { path: `M${stops[0].x} ${stops[0].y}${pieces.join("")}`, label: between.length ? edge : middle };
}

/**
 * Draw the graph of a run into `box`; return functions that show a frame and choose an edge. With `formulas`, an edge
 * that has carried a contribution shows it as local derivative times upstream gradient.
 * @type {(box: HTMLElement, run: Run, how?: { chosen?: Choose, label?: string, formulas?: boolean }) => GraphView}
 */
function graphView(box, run, { chosen, label = "The graph", formulas = false } = {}) {
  const { nodes } = run;
  const room = formulas || haveArrays(nodes) ? 90 : undefined; // of a label
  const [wide, tall] = [layout(nodes, "LR", room), layout(nodes, "TB", haveArrays(nodes) ? room : undefined)];
  const [space, deep] = [box.clientWidth || 600, innerHeight * 0.6];
  /** @type {(plan: Plan) => number} */
  const scaleOf = ({ width, height }) => Math.min(1, space / width, deep / height);
  const drawn = scaleOf(wide) >= Math.min(0.78, scaleOf(tall)) ? wide : tall;
  const plan = scaleOf(drawn) < SMALLEST ? rowLayout(nodes, space) : drawn;
  const scale = plan === drawn ? Math.max(scaleOf(plan), Math.min(0.8, space / plan.width)) : 1;
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
  const cards = nodes.map((node, i) => (plan === drawn ? drawnCard : drawnRow)(node, nodes, plan.cards[i], plan.card));
  add(picture,
    svg("defs", null, heads),
    ...(plan === drawn ? [] : rowHeads(plan)),
    ...edges.map((edge) => edge.line),
    ...cards.map((card) => card.group),
    ...edges.map((edge) => edge.pill),
  );
  fill(box, picture);

  /** @type {(frame: Frame) => void} */
  function show(frame) {
    nodes.forEach((_, i) => showCard(cards[i], run, frame, i));
    for (const edge of edges) showEdge(edge, run, frame, box.id, formulas);
    if (frame.node !== null) bringIntoView(box, plan.cards[frame.node], plan.card, scale);
  }
  /** @type {(node: number, slot: number) => void} */
  function choose(node, slot) {
    for (const edge of edges) edge.line.classList.toggle("chosen", edge.at.node === node && edge.at.slot === slot);
  }
  return { show, choose };
}

/**
 * Scroll the box, and not the page, so that a card is in view.
 * @type {(box: HTMLElement, at: Point, card: Size, scale: number) => void}
 */
function bringIntoView(box, { y }, { height }, scale) {
  const [from, to] = [(y - height / 2) * scale, (y + height / 2) * scale];
  if (from < box.scrollTop || to > box.scrollTop + box.clientHeight) box.scrollTop = (from + to - box.clientHeight) / 2;
}

/** @type {(x: number, y: number) => SVGElement} */
const numberText = (x, y) => svg("text.number", { x, y, "text-anchor": "end" });
/** @type {(at: Point, card: Size, ...parts: SVGElement[]) => SVGElement} */
const cardGroup = ({ x, y }, { width, height }, ...parts) =>
  svg(
    "g.card",
    { transform: `translate(${x - width / 2} ${y - height / 2})`, "aria-hidden": "true" },
    svg("rect", { width, height, rx: 5 }),
    ...parts,
  );

const DATA = 74; // pixels of a number in a row
/** @type {(card: Size) => number} */
const dataEnd = ({ width }) => Math.round(width * 0.57);

/** @type {(plan: Plan) => SVGElement[]} */
function rowHeads({ card, gutter }) {
  /** @type {(end: number, text: string) => SVGElement} */
  const word = (end, text) => svg("text.axis", { x: gutter + end, y: 14, "text-anchor": "end" }, text);
  return [word(dataEnd(card), "data"), word(card.width - 10, "grad")];
}

/**
 * Draw a node as a row: `e = a * b`, its value and its gradient.
 * @type {(node: GraphNode, nodes: GraphNode[], at: Point, card: Size) => Card}
 */
function drawnRow(node, nodes, at, card) {
  const end = dataEnd(card);
  const [data, grad] = [numberText(end, 16.5), numberText(card.width - 10, 16.5)];
  const shape = node.shape?.length ? ` ${shapeText(node.shape)}` : "";
  const words = [`${node.name}${shape}`, expression(node, nodes)].filter(Boolean).join(" = ");
  const group = cardGroup(
    at,
    card,
    svg("title", null, words),
    svg("text.row", { x: 10, y: 16.5 }, fit(words, end - DATA - 10)),
    data,
    grad,
  );
  return { group, data, grad, room: [DATA, card.width - 20 - end] };
}

/** @type {(node: GraphNode, nodes: GraphNode[], at: Point, card: Size) => Card} */
function drawnCard(node, nodes, at, card) {
  const words = operationOf(node, nodes);
  const room = card.width - 26; // of both, in the smaller font
  const title = node.shape?.length ? `${node.name} ${shapeText(node.shape)}` : node.name;
  const name = fit(title, Math.max(room / 2, room - words.length * CHARACTER), 8.5);
  const head = [
    svg("title", null, `${title} ${words}`),
    svg("text.name", { x: 10, y: 20 }, name),
    svg("text.operation", { x: card.width - 10, y: 20, "text-anchor": "end" }, fit(words, room - name.length * 8.5)),
    svg("line", { x1: 0, x2: card.width, y1: 29.5, y2: 29.5 }),
  ];
  // with arrays, data and gradient lie beside each other
  if (haveArrays(nodes)) {
    const half = card.width / 2;
    const [data, grad] = [0, half].map((x) => svg("g.number", { transform: `translate(${x} 0)` }));
    const labels = ["data", "grad"].map((label, i) => svg("text.label", { x: 10 + i * half, y: 43 }, label));
    return { group: cardGroup(at, card, ...head, ...labels, data, grad), data, grad, room: [half, half] };
  }
  const [data, grad] = [numberText(card.width - 10, 47), numberText(card.width - 10, 65)];
  const group = cardGroup(
    at,
    card,
    ...head,
    svg("text.label", { x: 10, y: 47 }, "data"),
    data,
    svg("text.label", { x: 10, y: 65 }, "grad"),
    grad,
  );
  return { group, data, grad, room: [card.width - 42, card.width - 42] };
}

/** @type {(card: Card, run: Run, frame: Frame, i: number) => void} */
function showCard({ group, data, grad, room }, run, frame, i) {
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
  const { data: right, grad: rightGrad } = run.expected[i];
  showPart(data, made, run.data[i], right, wrongData(run, frame, i), room[0]);
  showPart(grad, made, frame.grads[i], rightGrad, wrong, room[1]);
}

/** @type {(place: SVGElement, made: boolean, yours: Numeric, right: Numeric, wrong: boolean, room: number) => void} */
function showPart(place, made, yours, right, wrong, room) {
  if (place.tagName === "g") fill(place, ...(made ? arrayParts(yours, right, wrong) : []));
  else place.textContent = made ? fitted(yours, right, wrong, room) : "";
}

/** @type {(yours: Numeric, right: Numeric, wrong: boolean) => SVGElement[]} */
function arrayParts(yours, right, wrong) {
  const { rows, places, more } = cornerOf(yours);
  const [others, same] = [partsOf(right), haveOneShape(yours, right)];
  /** @type {(words: string, i: number, j: number, off?: boolean) => SVGElement} */
  const one = (words, i, j, off = false) => {
    const at = { x: (j + 1) * PART.width + 4, y: 59 + i * PART.height, "text-anchor": "end" };
    return svg(`text${off ? ".off" : ""}`, at, fit(words, PART.width, 6.7));
  };
  return [
    ...rows.flatMap((row, i) => [
      ...row.map((part, j) => one(shown(part, 3), i, j, wrong && (!same || differ(part, others[places[i][j]])))),
      ...(more[1] ? [svg("text", { x: 3 * PART.width + 7, y: 59 + i * PART.height }, "…")] : []),
    ]),
    ...(more[0] ? [one("⋮", 2.8, 0)] : []),
  ];
}

/**
 * Return a number beside the right one, or only with a sign if there is no room for both.
 * @type {(yours: Numeric, right: Numeric, wrong: boolean, room: number) => string}
 */
function fitted(yours, right, wrong, room) {
  const both = against(yours, right, wrong);
  return fit(wrong && both.length * CHARACTER > room ? `≠ ${shown(yours)}` : both, room);
}

/**
 * Return a number, beside the right one where they differ: `3 ≠ 6`.
 * @type {(yours: Numeric, right: Numeric, wrong: boolean) => string}
 */
function against(yours, right, wrong) {
  return wrong ? apart(yours, right).join(" ≠ ") : shown(yours);
}

/** @type {(at: PlanEdge, route: { path: string, label: Point }, chosen: Choose | undefined) => DrawnEdge} */
function drawnEdge(at, { path, label }, chosen) {
  const line = svg("path.line", { d: path });
  const text = svg("text", { x: label.x, y: label.y + 4, "text-anchor": "middle" });
  const back = svg("rect", { height: 19, rx: 9.5, y: label.y - 9.5 });
  const pill = svg("g.pill", { "aria-hidden": "true" }, back, text);
  const select = () => chosen?.(at.node, at.slot);
  /** @type {(event: KeyboardEvent) => void} */
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

/** @type {(edge: DrawnEdge, run: Run, frame: Frame, id: string, formulas: boolean) => void} */
function showEdge({ line, stroke, pill, text, back, label, at }, run, frame, id, formulas) {
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
  /** @type {(end: string, on: boolean) => void} */
  const head = (end, on) => stroke.setAttribute(`marker-${end}`, on ? `url(#${id}-${kind || "resting"})` : "none");
  head("end", !propagating);
  head("start", propagating);
  const carries = edge && (propagating || formulas);
  const words = lost !== undefined ? `lost ${digits(lost)}` : carries ? carriedWords(edge, formulas) : "";
  text.textContent = words;
  pill.classList.toggle("differs", kind === "differs");
  pill.classList.toggle("on", words !== "");
  const width = words.length * 7.6 + 14;
  const x = Math.max(label.x, width / 2);
  text.setAttribute("x", String(x));
  back.setAttribute("width", String(width));
  back.setAttribute("x", String(x - width / 2));
  if (line.getAttribute("role"))
    line.setAttribute("aria-label", plain(`Edge ${ends}: ${edge ? carried(edge) : "no contribution yet"}`));
}

/** @type {(edge: Carried & { off: boolean }, formulas: boolean) => string} */
const carriedWords = ({ local, upstream, amount, off }, formulas) =>
  formulas && local !== null
    ? `${shown(numberOf(local), 4)} × ${shown(upstream, 4)}`
    : `${off ? "≠ " : ""}${amount.array ? shapeText(amount.array.shape).replaceAll(" ", "") : change(amount, 4)}`;
/** @type {(edge: Carried) => string} */
const carried = ({ local, axes, upstream, amount, wrong }) =>
  `${local === null ? "" : `local derivative ${shown(numberOf(local))}, `}upstream gradient ${shown(upstream)}, ${wrong ? "your change" : "contribution"}${axes?.length && !wrong ? `, ${summedOver(axes)},` : ""} ${shown(amount)}`;
