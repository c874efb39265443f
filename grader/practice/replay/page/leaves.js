"use strict";

const NUDGE = 0.1;

/**
 * Show each leaf's gradient as a signed bar, its value to be edited, and what a nudge of it does to the root.
 * `edited` is called with other values, the leaf that was edited, and the inputs. These may be `kept` for the next
 * view, so that whoever types into one is not interrupted.
 * @type {(box: HTMLElement, run: Run, leaves: Leaves, edited: (other: Leaves, leaf: number, inputs: Map<number, HTMLInputElement>) => void, kept?: Map<number, HTMLInputElement>) => Show}
 */
function leavesView(box, run, leaves, edited, kept = new Map()) {
  const { nodes, root } = run;
  const at = nodes.map((_, i) => i).filter((i) => isLeaf(nodes[i]));
  const base = forwardPass(nodes, leaves)[root];
  const last = run.frames[run.frames.length - 1];
  const gradients = at.flatMap((i) => [run.expected[i].grad.value, last.grads[i].value]);
  const before = gradientsBefore(run.replay);
  const seed = before[root];
  const continues = before.some((grad, i) => i !== root && grad !== 0) || seed !== 1;
  fill(byId("leaves-about"),
    h("span.meter", null, "The line across a bar marks the right gradient. "),
    plain(aboutLeaves(run, before)),
  );
  const reach = Math.max(...gradients.map((value) => Math.abs(value ?? 0)), 1e-12);
  const inputs = new Map(at.map((i) => [i, kept.get(i) ?? input(i)]));

  /** @type {(i: number) => HTMLInputElement} */
  function input(i) {
    const label = plain(`value of ${nodes[i].name}`);
    return h("input", { type: "number", step: "any", value: String(leaves[i]), "aria-label": label, "data-leaf": i });
  }

  const rows = at.map((i) => {
    const field = inputs.get(i) ?? input(i);
    field.oninput = () => {
      if (Number.isFinite(field.valueAsNumber)) edited({ ...leaves, [i]: field.valueAsNumber }, i, inputs);
    };
    field.onchange = () => {
      if (!Number.isFinite(field.valueAsNumber)) field.value = String(leaves[i]);
    };
    const cells = [
      h("td.meter"),
      ...["grad", "predicted", "moved"].map((name) => h("td.number", { "data-field": name })),
    ];
    const name = h("th", { scope: "row" }, nodes[i].name);
    return { i, cells, row: h("tr", { "data-leaf": i }, name, h("td.value", null, field), cells) };
  });
  const words = ["leaf", "value", "−    gradient    +", run.recorded ? "your gradient" : "gradient"];
  fill(box,
    h("caption.unseen", null, "Leaves: value, gradient, and what a nudge does"),
    head([...words, continues ? "predicted change" : `gradient × ${NUDGE}`, `${nodes[root].name} changes by`]),
    h(
      "tbody",
      null,
      rows.map(({ row }) => row),
    ),
  );

  /** @type {(value: Numeric, right: Numeric, wrong: boolean) => SVGElement} */
  function bar(value, right, wrong) {
    /** @type {(number: number | null) => number} */
    const part = (number) => Math.max(-1, Math.min(1, (number ?? 0) / reach)) * 48;
    const [width, tick] = [part(value.value), part(right.value)];
    const kind = wrong ? "differs" : width < 0 ? "negative" : "positive";
    return svg(
      "svg.bar",
      { viewBox: "-50 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("line.zero", { x1: 0, x2: 0, y1: 0, y2: 16 }),
      svg(`rect.${kind}`, { x: Math.min(0, width), width: Math.abs(width), y: 4, height: 8 }),
      run.recorded && svg("line.tick", { x1: tick, x2: tick, y1: 1, y2: 15 }),
    );
  }

  return function show(frame) {
    for (const { i, cells } of rows) {
      const [meter, grad, predicted, moved] = cells;
      const wrong = wrongGrad(run, frame, i);
      const value = frame.grads[i];
      const there = forwardPass(nodes, { ...leaves, [i]: leaves[i] + NUDGE })[root];
      fill(meter, bar(value, run.expected[i].grad, wrong));
      grad.textContent = against(value, run.expected[i].grad, wrong);
      grad.classList.toggle("differs", wrong);
      const added = value.value === null ? null : (value.value - before[i]) / seed;
      predicted.textContent = change(numberOf(added === null ? null : added * NUDGE, "–"), 4);
      moved.textContent = change(exactly(there - base), 4);
    }
  };
}

/**
 * Return what the table of leaves shows. A gradient predicts a change only by what this pass added to it, for a root
 * whose gradient is 1.
 * @type {(run: Run, before: number[]) => string}
 */
function aboutLeaves({ nodes, root }, before) {
  const held = nodes
    .map(({ name }, i) => (i !== root && isLeaf(nodes[i]) && before[i] !== 0 ? `${name}.grad = ${digits(before[i])}` : ""))
    .filter(Boolean);
  const name = nodes[root].name;
  return [
    `The last two columns are about a leaf that grows by ${NUDGE}: the change of ${name} that the gradient predicts, and the change that really follows.`,
    held.length && `Before the pass, ${series(held)}. The prediction leaves that out.`,
    before[root] !== 1 && `The pass begins with ${name}.grad = ${digits(before[root])}. The prediction divides by that.`,
    "Change a value to see the reference at other numbers.",
  ]
    .filter(Boolean)
    .join(" ");
}
