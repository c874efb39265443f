"use strict";

const NUDGE = 0.1;

/** Show each leaf's gradient as a signed bar, its value to be edited, and what a nudge of it does to the root. */
function leavesView(box, run, leaves, edited) {
  const { nodes, root } = run;
  const at = nodes.map((_, i) => i).filter((i) => isLeaf(nodes[i]));
  const values = () => Object.fromEntries(at.map((i) => [i, leaves[i]]));
  const base = forwardPass(nodes, values())[root];
  const last = run.frames.at(-1);
  const reach = Math.max(
    ...at.flatMap((i) => [run.expected[i].grad.value, last.grads[i].value]).map((value) => Math.abs(value ?? 0)),
    1e-12,
  );

  const input = (i) =>
    h("input", {
      type: "number",
      step: "any",
      value: String(leaves[i]),
      "aria-label": `value of ${nodes[i].name}`,
      "data-leaf": i,
      onchange: (event) => {
        const value = event.target.value.trim() === "" ? NaN : Number(event.target.value);
        if (Number.isFinite(value)) edited({ ...leaves, [i]: value }, i);
        else event.target.value = String(leaves[i]);
      },
    });

  function bar(value, right, wrong) {
    const part = (number) => Math.max(-1, Math.min(1, (number ?? 0) / reach)) * 48;
    const [width, tick] = [part(value.value), part(right.value)];
    return svg(
      "svg.bar",
      { viewBox: "-50 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("line.zero", { x1: 0, x2: 0, y1: 0, y2: 16 }),
      svg(`rect.${wrong ? "differs" : width < 0 ? "negative" : "positive"}`, {
        x: Math.min(0, width),
        width: Math.abs(width),
        y: 4,
        height: 8,
      }),
      run.recorded && svg("line.tick", { x1: tick, x2: tick, y1: 1, y2: 15 }),
    );
  }

  function nudge(i) {
    const there = forwardPass(nodes, { ...values(), [i]: leaves[i] + NUDGE })[root];
    return there - base;
  }

  return function show(frame) {
    const rows = at.map((i) => {
      const wrong = wrongGrad(run, frame, i);
      const grad = frame.grads[i];
      const moved = nudge(i);
      const foretold = grad.value === null ? "–" : signed(grad.value * NUDGE);
      return h(
        "tr",
        { "data-leaf": i },
        h("th", { scope: "row" }, nodes[i].name),
        h("td.value", null, input(i)),
        h("td.meter", null, bar(grad, run.expected[i].grad, wrong)),
        h(`td.number${wrong ? ".differs" : ""}`, { "data-field": "grad" }, against(grad, run.expected[i].grad, wrong)),
        h("td.number", { "data-field": "foretold" }, foretold),
        h("td.number", { "data-field": "moved" }, Number.isFinite(moved) ? signed(moved) : "–"),
      );
    });
    const focused =
      document.activeElement?.dataset?.leaf !== undefined &&
      box.contains(document.activeElement) &&
      document.activeElement.tagName === "INPUT";
    const body = h("tbody", null, rows);
    const old = box.querySelector("tbody");
    if (!old) {
      const name = called(nodes[root]);
      const whose = run.recorded ? "your gradient" : "gradient";
      box.replaceChildren(
        h("caption.unseen", null, "Leaves: value, gradient, and what a nudge does"),
        head(["leaf", "value", "−    gradient    +", whose, `gradient × ${NUDGE}`, `${name} changes by`]),
        body,
      );
      return;
    }
    if (focused) {
      // keep the input that is being typed into: only the rest of its row is new
      rows.forEach((row, k) => {
        const place = old.rows[k];
        for (const [c, td] of [...row.cells].entries()) if (c !== 1) place.cells[c].replaceWith(td.cloneNode(true));
      });
    } else old.replaceWith(body);
  };
}
