"use strict";

// A run is what the player steps through: {recorded, nodes, root, asked, data, expected, frames, first}. A frame holds
// everything that is shown at one moment:
//   kind      start, forward, seed, visit, end or problem
//   node      what the frame is about
//   lines     lines of the source that are marked, the first one strongest
//   made      how many of the operations exist already: a set of indices
//   grads     the gradient of each node
//   settled   for each node, whether no later frame changes its gradient
//   edges     by `node:slot`: {local, upstream, amount} of the latest run of the node's rule
//   rows      of a visit: one for each contribution: {slot, node, local, amount}
//   totals    of a visit: one for each input: {node, before, after, amount, right, wrong, line, erased}

/** @type {(node: number, slot: number) => string} */
const edgeKey = (node, slot) => `${node}:${slot}`;

/** @type {Pick<Frame, "settled" | "upstream" | "inner" | "value" | "problem">} What only some kinds of frames have. */
const NOTHING = { settled: [], upstream: numberOf(null), inner: false, value: numberOf(null), problem: null };

/** @type {(nodes: GraphNode[], grads: Numeric[]) => Frame} */
function startFrame(nodes, grads) {
  const made = new Set(nodes.map((_, i) => i).filter((i) => isLeaf(nodes[i])));
  return { kind: "start", node: null, lines: [], made, grads, edges: new Map(), rows: [], totals: [], ...NOTHING };
}

/** @type {(frame: Frame, changed: Partial<Frame>) => Frame} */
const after = (frame, changed) => ({ ...frame, node: null, lines: [], rows: [], totals: [], ...changed });
/** @type {<T>(list: T[], at: number, value: T) => T[]} */
const replaced = (list, at, value) => list.map((old, i) => (i === at ? value : old));
/** @type {(numbers: number[]) => number} */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
/** @type {(amount: Held) => Numeric} */
const amountOf = (amount) => numberOf(amount, "nan");

/**
 * Return what a visit did to each input, beside what a right rule does for the same upstream gradient.
 * @type {(visit: Data.Visit, rows: FrameRow[], grads: Numeric[], scale: number) => Total[]}
 */
function totalsOf(visit, rows, grads, scale) {
  const inputs = [...new Set([...rows.map((row) => row.node), ...visit.changes.map((change) => change.input)])];
  return inputs.map((node) => {
    const changes = visit.changes.filter((change) => change.input === node);
    const known = changes.every((change) => change.amount !== null);
    const amount = known ? added(changes.map((change) => amountOf(change.amount))) : numberOf(null, "no number");
    const own = rows.filter((row) => row.node === node);
    const [first, last] = [changes[0], changes.at(-1)];
    // a gradient that is one array with another changes together with it, though nothing is due to it
    const reset = node === visit.node && last && isZero(numberOf(last.after));
    const none = visit.expected.length && grads[node].array && !reset ? zeros(shapeOf(grads[node])) : null;
    const right = own.length ? added(own.map((row) => amountOf(row.amount))) : none;
    return {
      node,
      before: first ? numberOf(first.before, first.before_text) : grads[node],
      after: last ? numberOf(last.after, last.after_text) : grads[node],
      amount,
      right,
      wrong: right !== null && visit.expected.length > 0 && differ(amount, right, scale),
      line: last?.line ?? 0,
      erased:
        right === null
          ? []
          : erasedBy(changes, [zeros(shapeOf(right)), right, ...own.map((row) => amountOf(row.amount))], scale),
    };
  });
}

/**
 * Return the writes that replaced a gradient by a contribution or by 0, each with the write before it in the visit.
 * @type {(changes: Data.Change[], amounts: Numeric[], scale: number) => Erased[]}
 */
function erasedBy(changes, amounts, scale) {
  return changes
    .map((change, k) => ({ change, before: changes[k - 1] ?? null }))
    .filter(
      ({ change: { before, after } }) =>
        before && after !== null && amounts.some((amount) => !differ(numberOf(after), amount, scale)),
    );
}

/**
 * Return the contribution that an edge carried, and whether it is wrong. Where the learner's code wrote an input's
 * gradient as often as the input is an operand, each write belongs to one edge; else the whole change to the first.
 * @type {(visit: Data.Visit, row: FrameRow, rows: FrameRow[], totals: Total[], scale: number) => { amount: Numeric, wrong: boolean }}
 */
function carriedBy(visit, row, rows, totals, scale) {
  const total = totals.find(({ node }) => node === row.node);
  const [same, changes] = [
    rows.filter(({ node }) => node === row.node),
    visit.changes.filter(({ input }) => input === row.node),
  ];
  const nth = same.indexOf(row);
  const whole = total?.amount ?? exactly(0);
  const amount =
    same.length === changes.length ? amountOf(changes[nth].amount) : nth === 0 ? whole : zeros(shapeOf(whole));
  if (!total?.wrong) return { amount: row.amount === null ? amount : amountOf(row.amount), wrong: false };
  return { amount, wrong: same.length === 1 || differ(amount, amountOf(row.amount), scale) };
}

/**
 * Return the run that was recorded from the learner's engine.
 * @type {(replay: Data.Replay) => Run}
 */
function recordedRun(replay) {
  const { nodes, root, problem } = replay;
  const expected = nodes.map((node) => ({
    data: numberOf(node.expected.data, "not finite"),
    grad: numberOf(node.expected.grad, "not finite"),
  }));
  /** @type {(some: { data: Numeric, grad: Numeric }[]) => number} */
  const largest = (some) =>
    Math.max(...some.flatMap(({ data, grad }) => [data, grad]).flatMap(partsOf).map(({ value }) => Math.abs(value ?? 0)));
  const scale = largest(expected);
  const named = largest(expected.filter((_, i) => !nodes[i].inner)); // numbers inside of a function may be far larger
  const initial = nodes.map((_, i) => {
    const first = replay.backward.flatMap((visit) => visit.changes).find(({ input }) => input === i);
    return i === root || !first || first.before === null ? zeros(nodes[i].shape) : numberOf(first.before);
  });
  let frame = startFrame(nodes, initial);
  const frames = [frame];
  /** @type {(changed: Partial<Frame>) => void} */
  const add = (changed) => void frames.push((frame = after(frame, changed)));

  for (const { node, line } of replay.forward)
    if (!isLeaf(nodes[node])) add({ kind: "forward", node, lines: [line], made: new Set([...frame.made, node]) });
  const seed = replay.backward.find((visit) => visit.node === root && !visit.inner);
  const held = nodes[root].yours;
  if (seed || (!problem && held.grad)) {
    const value = seed ? numberOf(seed.upstream, seed.upstream_text) : numberOf(held.grad, held.grad_text);
    add({ kind: "seed", node: root, value, grads: replaced(frame.grads, root, value) });
  }
  const firstVisit = frames.length;
  for (const visit of replay.backward) addVisit(visit);
  const grads = nodes.map(({ yours }, i) =>
    problem && yours.grad === null && !yours.grad_text ? frame.grads[i] : numberOf(yours.grad, yours.grad_text),
  );
  add(
    problem ? { kind: "problem", problem, grads, lines: problem.line ? [problem.line] : [] } : { kind: "end", grads },
  );

  /** @type {(visit: Data.Visit) => void} */
  function addVisit(visit) {
    const upstream = numberOf(visit.upstream, visit.upstream_text);
    const before = visit.inner ? frame.grads : replaced(frame.grads, visit.node, upstream);
    const touched = visit.changes.map((change) => change.input);
    /** @type {FrameRow[]} */
    const rows = visit.expected.length
      ? visit.expected.map((row) => ({ ...row, amount: row.amount ?? NaN, local: row.local ?? (OPERATIONS[nodes[visit.node].op] ? NaN : null) }))
      : nodes[visit.node].inputs.flatMap(({ node }, slot) =>
          node !== null && touched.includes(node) ? [{ slot, node, local: null, amount: null }] : [],
        );
    const totals = totalsOf(visit, visit.expected.length ? rows : [], before, scale);
    const edges = new Map(frame.edges);
    for (const row of rows)
      edges.set(edgeKey(visit.node, row.slot), {
        // the product of array and upstream gradient is still to be summed
        local: row.axes?.length ? null : row.local,
        axes: row.axes,
        upstream,
        ...carriedBy(visit, row, rows, totals, scale),
      });
    const lines = [...new Set([...visit.changes.map((change) => change.line), visit.line])].filter(Boolean);
    const now = visit.changes.reduce(
      (all, change) => replaced(all, change.input, numberOf(change.after, change.after_text)),
      before,
    );
    add({ kind: "visit", node: visit.node, inner: visit.inner, upstream, lines, rows, totals, edges, grads: now });
  }

  const data = nodes.map(({ yours }) => numberOf(yours.data, yours.data_text));
  const at = replay.first_difference;
  let first = null;
  if (replay.fault === "forward")
    first = frames.findIndex(({ kind, node }) => kind === "forward" && node === replay.fault_node);
  else if (replay.fault === "seed") first = firstVisit - 1;
  else if (replay.fault) first = at === null || at >= replay.backward.length ? frames.length - 1 : firstVisit + at;
  if (first !== null && first < 0) first = frames.length - 1;
  return settled({ recorded: true, nodes, root, asked: replay.asked, data, expected, scale, named, frames, first, replay });
}

/**
 * Return the gradients that were there before a correct pass, as a check may ask for: 0, and 1 for the root, else.
 * Arrays have none.
 * @type {(replay: Run["replay"]) => number[]}
 */
function gradientsBefore({ nodes, root, reference }) {
  /** @type {(held: Held | undefined) => number | null} */
  const number = (held) => (typeof held === "number" ? held : null);
  const rows = reference.flatMap((visit) => visit.contributions);
  return nodes.map((node, i) => {
    if (i === root) return number(reference.find((visit) => visit.node === root)?.upstream) ?? 1;
    const added = rows.filter((row) => row.node === i).map((row) => number(row.amount) ?? 0);
    const rest = (number(node.expected?.grad) ?? NaN) - sum(added);
    return Math.abs(rest) > 1e-9 * Math.max(1, ...added.map(Math.abs)) ? rest : 0;
  });
}

/**
 * Return the run of the reference for other values of the leaves. `before` has the gradients that are there already.
 * @type {(replay: Run["replay"] & { asked: Run["asked"] }, leaves: Leaves, before?: number[]) => Run}
 */
function referenceRun(replay, leaves, before = gradientsBefore(replay)) {
  const { nodes, root } = replay;
  const data = forwardPass(nodes, leaves);
  const { visits, grad } = backwardPass(nodes, root, data, rightOrder(nodes, root), before);
  let frame = startFrame(
    nodes,
    before.map((value, i) => exactly(i === root ? 0 : value)),
  );
  const frames = [frame];
  /** @type {(changed: Partial<Frame>) => void} */
  const add = (changed) => void frames.push((frame = after(frame, changed)));
  nodes.forEach((node, i) => isLeaf(node) || add({ kind: "forward", node: i, made: new Set([...frame.made, i]) }));
  const seed = exactly(before[root]);
  add({ kind: "seed", node: root, value: seed, grads: replaced(frame.grads, root, seed) });
  for (const { node, upstream, contributions } of visits) {
    const edges = new Map(frame.edges);
    let grads = frame.grads;
    for (const { slot, node: input, local, amount } of contributions) {
      edges.set(edgeKey(node, slot), { local, upstream: exactly(upstream), amount: exactly(amount), wrong: false });
      grads = replaced(grads, input, exactly((grads[input].value ?? NaN) + amount));
    }
    const inputs = [...new Set(contributions.map((row) => row.node))];
    const totals = inputs.map((input) => ({
      node: input,
      before: frame.grads[input],
      after: grads[input],
      amount: exactly(sum(contributions.filter((row) => row.node === input).map((row) => row.amount))),
      right: null,
      wrong: false,
      line: 0,
      erased: [],
    }));
    add({ kind: "visit", node, inner: false, upstream: exactly(upstream), rows: contributions, totals, edges, grads });
  }
  add({ kind: "end" });
  const expected = nodes.map((_, i) => ({ data: exactly(data[i]), grad: exactly(grad[i]) }));
  return settled({
    recorded: false,
    nodes,
    root,
    asked: replay.asked,
    data: data.map(exactly),
    expected,
    scale: 1,
    named: 1,
    frames,
    first: null,
    replay,
  });
}

/**
 * Add to each frame which gradients no later frame changes.
 * @type {(run: Run) => Run}
 */
function settled(run) {
  /** @type {(frame: Frame) => (number | null)[]} */
  const changes = (frame) => [...frame.totals.map(({ node }) => node), ...(frame.kind === "seed" ? [frame.node] : [])];
  const last = run.nodes.map((_, i) => run.frames.findLastIndex((frame) => changes(frame).includes(i)));
  run.frames.forEach((frame, at) => {
    const over = frame.kind === "end" || (frame.kind === "problem" && frame.problem?.where === "read");
    frame.settled = last.map((place) => over || (place >= 0 && place <= at));
  });
  return run;
}

/**
 * Return whether a node's gradient is final in a frame, and is not the right one. An operation may be set back to 0
 * after its rule has run. Of code that stopped early nothing is said, unless a step before was wrong.
 * @type {(run: Run, frame: Frame, i: number) => boolean}
 */
function wrongGrad(run, frame, i) {
  if (!run.recorded || !frame.settled[i] || !frame.made.has(i) || !isJudged(run.replay)) return false;
  const back = i !== run.root && !isLeaf(run.nodes[i]) && frame.grads[i].value === 0;
  if (
    back &&
    run.frames.some(
      ({ kind, node, inner, upstream }) => kind === "visit" && node === i && !inner && upstream.value !== 0,
    )
  )
    return false;
  return differ(frame.grads[i], run.expected[i].grad, scaleOf(run, i));
}
/** @type {(replay: Run["replay"]) => boolean} */
const isJudged = ({ fault, problem }) => Boolean(fault) || problem?.where === "read";
/** @type {(run: Run, frame: Frame, i: number) => boolean} */
const wrongData = (run, frame, i) =>
  run.recorded && frame.made.has(i) && differ(run.data[i], run.expected[i].data, scaleOf(run, i));
/** @type {(run: Run, i: number) => number} */
const scaleOf = ({ nodes, scale, named }, i) => (nodes[i].inner ? scale : named);
