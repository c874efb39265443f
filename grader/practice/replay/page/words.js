"use strict";

// What is said about a frame. Each sentence follows from the numbers of the frame.

/** @type {(run: Run) => string} */
const theirs = (run) => (run.asked === "torch" ? "torch" : "the reference");
/** @type {(run: Run, i: number) => string} */
const nameOf = (run, i) => run.nodes[i].name;
/** @type {(run: Run, i: number) => string} */
const assigned = (run, i) =>
  [run.nodes[i].name, expression(run.nodes[i], run.nodes), shown(run.data[i])]
    .filter(Boolean)
    .join(" = ");

/**
 * Return what happens in a frame, in a few words.
 * @type {(run: Run, frame: Frame) => string}
 */
function headline(run, frame) {
  const name = frame.node === null ? "" : nameOf(run, frame.node);
  switch (frame.kind) {
    case "start":
      return `The leaves: ${series(run.nodes.map((node, i) => (isLeaf(node) ? assigned(run, i) : "")).filter(Boolean))}`;
    case "forward":
      return assigned(run, frame.node ?? run.root);
    case "seed":
      return `The backward pass starts at the root: ${name}.grad = ${shown(frame.value)}`;
    case "visit":
      return frame.inner
        ? `A rule inside ${name} propagates ${shown(frame.upstream)}`
        : `${name} propagates its upstream gradient, ${shown(frame.upstream)}`;
    case "problem":
      return frame.problem?.text ?? "";
    default:
      return verdict(run);
  }
}

/**
 * Return what is special about the graph of a replay, as sentences.
 * @type {(replay: Data.Replay) => string[]}
 */
function aboutGraph({ own_graph: own, aliases }) {
  return [
    own ? "This is the graph that your code builds." : "",
    ...aliases.map(([name, other]) => `In your code, ${other} is the same node as ${name}.`),
  ].filter(Boolean);
}

/**
 * Return how a run ends.
 * @type {(run: Run) => string}
 */
function verdict(run) {
  if (!run.recorded) return run.ending ?? "These are the gradients of the reference at your values.";
  const last = run.frames[run.frames.length - 1];
  const wrong = run.nodes.map((_, i) => i).filter((i) => wrongGrad(run, last, i));
  if (!wrong.length)
    return run.first === null
      ? `Every gradient agrees with ${run.asked === "torch" ? "torch’s" : "the reference’s"}.`
      : "Every gradient agrees in the end, but not every step was right.";
  const rows = wrong.slice(0, 3).map((i) => {
    const [name, yours, right] = off(`${nameOf(run, i)}.grad`, last.grads[i], run.expected[i].grad, scaleOf(run, i));
    return `${name} is ${yours}, ${theirs(run)} has ${right}`;
  });
  return `${rows.join("; ")}${wrong.length > 3 ? `; and ${several(wrong.length - 3, "more differ", "more differ")}` : ""}.`;
}

/**
 * Return the contribution of one row as a formula: local derivative times upstream gradient.
 * @type {(contribution: Omit<Carried, "wrong">) => string}
 */
const formula = ({ local, upstream, amount }) =>
  local === null ? shown(amount) : `${shown(amountOf(local))} × ${shown(upstream)} = ${shown(amount)}`;

/** @type {(run: Run, node: number) => number[]} */
const usersOf = (run, node) =>
  run.nodes.map((_, i) => i).filter((i) => run.nodes[i].inputs.some((input) => input.node === node));

/**
 * Return where the first difference arises, as sentences; nothing for other frames.
 * @type {(run: Run, frame: Frame) => string[]}
 */
function difference(run, frame) {
  const at = run.frames.indexOf(frame);
  if (run.first === null || at < run.first) return [];
  return at === run.first ? arises(run, frame, at) : spreads(run, frame);
}

/** @type {(run: Run, frame: Frame, at: number) => string[]} */
function arises(run, frame, at) {
  const { fault, fault_node: about } = run.replay;
  const name = about === null ? "" : nameOf(run, about);
  const said = frame.totals
    .filter((total) => total.wrong)
    .map((total) => {
      const right = total.right ?? numberOf(null);
      const [name, before, after] = [nameOf(run, total.node), shown(total.before), shown(total.after)];
      const was =
        before === after ? `${name}.grad stays ${before}.` : `${name}.grad was ${before} and is now ${after}.`;
      const makes = plus(total.before, right);
      const adds = fault === "moved" ? "For the value from the forward pass, it adds" : "A right rule adds";
      if (right.array && isZero(right)) return `${was} A right rule does not change it.`;
      const end = makes.value === null && !makes.array ? "" : `, which makes ${shown(makes)}`;
      return `${was} ${adds} ${shown(right)}${end}.`;
    });
  for (const { axes, node } of frame.rows)
    if (axes?.length && frame.totals.some((total) => total.wrong && total.node === node))
      said.push(`${nameOf(run, node)} is repeated along ${axesText(axes)}, so its contribution is ${summedOver(axes)}.`);
  if (fault === "forward" && about !== null) {
    const [part, yours, right] = off(name, run.data[about], run.expected[about].data, scaleOf(run, about));
    said.push(`${part} has the value ${yours}; ${theirs(run)} has ${right}.`);
  }
  if (fault === "seed" && frame.kind === "seed")
    said.push(
      `The pass begins with ${name}.grad = ${shown(frame.value)}; ${theirs(run)} begins with ${digits(gradientsBefore(run.replay)[about ?? run.root])}.`,
    );
  if (fault === "moved" && about !== null)
    said.unshift(`The value of ${name} was changed after the forward pass. The rule of ${nameOf(run, frame.node ?? run.root)} reads the new value.`);
  if (fault === "held" && about !== null) {
    const total = frame.totals.find(({ node }) => node === about);
    const { shape } = run.nodes[about];
    const held = shape?.length ? zeros(shape) : exactly(gradientsBefore(run.replay)[about]);
    const [yours, right] = apart(total?.before ?? numberOf(null), held);
    said.push(`${name}.grad was ${yours} before any rule wrote it. A correct pass finds ${right} there.`);
  }
  if (fault === "graph" && about !== null) {
    const [yours, right] = apart(frame.grads[about], run.expected[about].grad);
    said.push(
      `Every rule is right for the graph that your code builds. But ${name}.grad is ${yours} there, and ${theirs(run)} has ${right}: the graph itself is not the right one.`,
    );
  }
  if (fault === "lost") {
    const lines = frame.totals.filter(({ wrong }) => wrong).flatMap((total) => replacements(run, total));
    said.push(...(lines.length ? lines : ["A gradient that was not 0 is replaced, so what it held is lost."]));
  }
  if (fault === "twice" && about !== null)
    said.push(`${name} has propagated before, so its contributions are added again.`);
  if (fault === "never" && about !== null)
    said.push(`The rule of ${name} never runs, so its inputs receive nothing from it.`);
  if (fault === "order" && about !== null) {
    const done = run.frames
      .slice(0, at)
      .filter(({ kind }) => kind === "visit")
      .map(({ node }) => node);
    const waiting = usersOf(run, about).filter((user) => !done.includes(user) && user !== frame.node);
    const late = waiting.length
      ? ` before ${series(waiting.map((i) => nameOf(run, i)))}, which ${waiting.length === 1 ? "uses" : "use"} it`
      : " too early";
    const again = run.frames.slice(at + 1).some(({ kind, node }) => kind === "visit" && node === about);
    said.push(
      `${name} propagates${late}. Its gradient is not complete yet${again ? "" : ", and it does not propagate again"}.`,
    );
  }
  return said;
}

/**
 * Return which lines lose what a gradient already holds, as sentences.
 * @type {(run: Run, total: Total) => string[]}
 */
function replacements(run, { node, erased }) {
  const grad = `${nameOf(run, node)}.grad`;
  return erased.map(({ change, before }) => {
    const [was, is] = [shown(numberOf(change.before)), shown(numberOf(change.after))];
    const sets = `sets ${grad} to ${is}, so the ${was} that was there is lost.`;
    if (!change.line) return `A write ${sets}`;
    if (!before?.line) return `Line ${change.line} ${sets}`;
    if (before.line === change.line) return `Line ${change.line} runs again and ${sets}`;
    return `Line ${before.line} makes ${grad} ${was}. Then line ${change.line} ${sets}`;
  });
}

/**
 * Return how a difference that arose earlier shows in this frame.
 * @type {(run: Run, frame: Frame) => string[]}
 */
function spreads(run, frame) {
  if (frame.kind !== "visit") return [];
  const said = frame.totals
    .filter((total) => total.wrong)
    .map(
      (total) =>
        `${nameOf(run, total.node)}.grad changes by ${shown(total.amount)}; a right rule adds ${shown(total.right ?? numberOf(null))}.`,
    );
  const right = run.replay.reference.find((visit) => visit.node === frame.node);
  if (!frame.inner && right && differ(frame.upstream, numberOf(right.upstream), run.scale)) {
    const [part, yours, other] = off(nameOf(run, right.node), frame.upstream, numberOf(right.upstream), run.scale);
    said.unshift(
      `The difference spreads: the upstream gradient of ${part} is ${yours} here; ${theirs(run)} has ${other}.`,
    );
  }
  return said;
}

/**
 * Return everything about one frame as a sentence or two, for a screen reader.
 * @type {(run: Run, frame: Frame, at: number) => string}
 */
function spoken(run, frame, at) {
  const rows = frame.totals.map(
    (total) => `${nameOf(run, total.node)}.grad was ${shown(total.before)}, is ${shown(total.after)}`,
  );
  const problem = difference(run, frame);
  return [`Step ${at} of ${run.frames.length - 1}. ${headline(run, frame)}`, rows.join("; "), ...problem]
    .filter(Boolean)
    .join(". ")
    .replaceAll("..", ".");
}

/**
 * Return what an edge carries in a frame. `off` says that it is not what a correct pass has there.
 * @type {(run: Run, frame: Frame, node: number, slot: number) => { ends: string, edge: (Carried & { off: boolean }) | undefined, right: Omit<Carried, "wrong"> | null }}
 */
function edgeWords(run, frame, node, slot) {
  const found = frame.edges.get(edgeKey(node, slot));
  const right = rightContribution(run, node, slot);
  const spread = Boolean(found && right && run.first !== null && differ(found.upstream, right.upstream, run.scale));
  const edge = found && { ...found, off: found.wrong || spread };
  const input = nameOf(run, run.nodes[node].inputs[slot].node ?? node);
  const ends = `${input} to ${nameOf(run, node)}${run.nodes[node].inputs.filter(({ node: other }) => other !== null).length > 1 ? `, operand ${slot + 1}` : ""}`;
  return { ends, edge, right };
}

/** @type {(run: Run, node: number, slot: number) => Omit<Carried, "wrong"> | null} */
function rightContribution(run, node, slot) {
  if (!run.recorded) return null;
  const visit = run.replay.reference.find((candidate) => candidate.node === node);
  const found = visit?.contributions.find((contribution) => contribution.slot === slot);
  if (!visit || !found) return null;
  const local = found.axes.length ? null : found.local;
  return { local, axes: found.axes, upstream: numberOf(visit.upstream), amount: numberOf(found.amount) };
}
