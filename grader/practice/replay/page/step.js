"use strict";

/** @type {(words: string[]) => HTMLElement} */
const head = (words) =>
  h(
    "thead",
    null,
    h(
      "tr",
      null,
      words.map((word) => (word ? h("th", { scope: "col" }, word) : h("td"))),
    ),
  );
/** @type {(words: Child) => HTMLElement} */
const cell = (words) => h("td.number", null, words);

/**
 * Show what happens in a frame: a headline, the contributions, and what differs.
 * @type {(box: HTMLElement, run: Run) => Show}
 */
function stepView(box, run) {
  return function show(frame, at) {
    const problem = difference(run, frame);
    const marked = at === run.first;
    fill(box,
      ...[
        h("p.headline", null, headline(run, frame)),
        problem.length > 0 &&
          h(
            "div.differs",
            { role: "note" },
            h("strong", null, marked ? "≠ Here the first difference arises. " : "≠ "),
            problem.join(" "),
          ),
        frame.kind === "visit" && contributions(run, frame),
      ].filter(Boolean),
    );
  };
}

/** @type {(run: Run, frame: Frame) => HTMLElement} */
function contributions(run, frame) {
  if (!frame.totals.length) return h("p.quiet", null, "No gradient changes.");
  const upstream =
    frame.upstream.value !== null && frame.upstream.value < 0 ? `(${shown(frame.upstream)})` : shown(frame.upstream);
  const rows = frame.totals.map((total) => {
    const own = frame.rows.flatMap(({ node, local }) => (node === total.node && local !== null ? [local] : []));
    const sums = own.map((local) => `${digits(local)} × ${upstream}`).join(" + ");
    const right = run.recorded ? total.right : total.amount;
    return h(
      "tr",
      null,
      h("th", { scope: "row" }, `${nameOf(run, total.node)}.grad`),
      h("td.number", null, shown(total.before), " → ", h("strong", null, shown(total.after))),
      run.recorded &&
        h(`td.number${total.wrong ? ".differs" : ""}`, null, `${total.wrong ? "≠ " : ""}${change(total.amount)}`),
      h("td.number", null, right === null ? "–" : `${sums} = ${shown(right)}`),
    );
  });
  const words = [
    "",
    "gradient",
    ...(run.recorded ? ["your code changes it by"] : []),
    run.recorded ? "a right rule adds: local derivative × upstream gradient" : "local derivative × upstream gradient",
  ];
  return h(
    "div.scroll",
    { tabindex: 0, role: "region", "aria-label": "Contributions of this step" },
    h("table.steps", null, head(words), h("tbody", null, rows)),
  );
}

/**
 * Show what a chosen edge carries.
 * @type {(box: HTMLElement, run: Run) => GraphView}
 */
function edgeView(box, run) {
  /** @type {{ node: number, slot: number } | null} */
  let chosen = null;
  /** @type {(frame: Frame) => void} */
  function show(frame) {
    box.classList.toggle("unchosen", !chosen);
    if (!chosen) {
      box.textContent = "Choose an edge to read its local derivative, upstream gradient and contribution.";
      return;
    }
    const { node, slot } = chosen;
    const { ends, edge, right } = edgeWords(run, frame, node, slot);
    const other = right && right.amount.value !== null ? `${theirs(run)}: ${formula(right)}` : "";
    // a right rule's three numbers are a product
    const [times, makes] = edge && !edge.off && edge.local !== null ? [" × ", " = "] : [" · ", " · "];
    const yours = edge ? carried(edge).replace(", upstream", `${times}upstream`).replace(/, (?=your|contribution)/, makes) : "not propagated yet";
    fill(box,
      h("strong", null, `Edge ${ends}`),
      h("span", null, yours),
      ...(other ? [h("span.quiet", null, other)] : []),
      ...(edge?.off
        ? [h("span.differs", null, edge.wrong ? "≠ not what a right rule adds" : "≠ the upstream gradient differs")]
        : []),
    );
  }
  return {
    show,
    choose(node, slot) {
      chosen = { node, slot };
    },
  };
}
