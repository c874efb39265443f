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

/**
 * Draw an array: its shape, and its first numbers in rows. Those that differ from `right` are marked.
 * @type {(number: Numeric, right?: Numeric | null, scale?: number) => Child}
 */
function held(number, right = null, scale = 1) {
  if (!number.array) return shown(number);
  const { rows, places, more, first } = cornerOf(number);
  const others = right && haveOneShape(number, right) ? partsOf(right) : null;
  /** @type {(part: Numeric, place: number) => HTMLElement} */
  const one = (part, place) => h(`span${others && differ(part, others[place], scale) ? ".differs" : ""}`, null, shown(part, 4));
  const dots = () => h("span.quiet", null, "…");
  const drawn = rows.map((row, i) => h("span", null, row.map((part, j) => one(part, places[i][j])), more[1] && dots()));
  const shape = `${shapeText(number.array.shape)}${first ? ", the first matrix" : ""}`;
  const words = `shape ${shape}: ${shown(number)}`;
  return h(
    "span.array",
    { role: "img", "aria-label": words },
    h(`span.shape${right && !others ? ".differs" : ""}`, null, shape),
    h("span.rows", null, drawn, more[0] && h("span", null, dots())),
  );
}

/**
 * Draw how an array is summed over axes: an arrow along each column or row, and the sums at its end.
 * @type {(term: Numeric, axes: number[], sum: Numeric) => HTMLElement}
 */
function summed(term, axes, sum) {
  const [ends, last] = [cornerOf(sum).rows, shapeOf(term).length - 1];
  const { rows, more, first } = cornerOf(term);
  const [down, across] = [axes.includes(last - 1), axes.includes(last)];
  const text = summedOver(axes);
  const words = `A contribution of shape ${shapeText(shapeOf(term))}, ${shown(term)}, is ${text}: ${shown(sum)}`;
  /** @type {(words: Child, kind?: string) => HTMLElement} */
  const cell = (words, kind = "") => h(`span${kind}`, null, words);
  const arrows = (/** @type {string} */ arrow) => rows[0].map(() => cell(arrow, ".arrow"));
  const lines = rows.map((row, i) => [
    ...row.map((part) => cell(shown(part, 4), ".term")),
    more[1] && cell("…", ".term"),
    across && !down && [cell("→", ".arrow"), cell(shown(ends[i][0], 4), ".sum")],
  ]);
  if (more[0] || (first && axes.some((axis) => axis < last - 1))) lines.push([...arrows("⋮")]);
  if (down && !across) lines.push(arrows("↓"), ends[0].map((part) => cell(shown(part, 4), ".sum")));
  if (down && across) lines.push([...rows[0].slice(1).map(() => cell("")), cell("↘", ".arrow"), cell(shown(ends[0][0], 4), ".sum")]);
  const drawn = h(`span.rows${down ? ".down" : ""}${across ? ".across" : ""}`, null, lines.map((line) => h("span", null, line)));
  return h(
    "span.array",
    { role: "img", "aria-label": words },
    h("span.shape", null, `${shapeText(shapeOf(term))} → ${shapeText(shapeOf(sum))}`),
    h("span.side", null, drawn, !down && !across && [h("span.arrow", null, "→"), held(sum)]),
    h("span.text", null, text),
  );
}
/** @type {(axes: number[]) => string} */
const axesText = (axes) => `${axes.length > 1 ? "axes" : "axis"} ${series(axes.map(String))}`;
/** @type {(axes: number[]) => string} */
const summedOver = (axes) => `summed over ${axesText(axes)}`;

/**
 * Show what a visit does to each input, if the program has arrays: first what differs from a right rule.
 * @type {(run: Run, frame: Frame) => HTMLElement}
 */
function arrayContributions(run, frame) {
  /** @type {(words: string, drawn: Child) => HTMLElement} */
  const part = (words, drawn) => h("div", null, h("span.quiet", null, words), drawn);
  const blocks = [...frame.totals].sort((one, other) => Number(other.wrong) - Number(one.wrong)).map((total) => {
    const { before, after, amount, right, wrong } = total;
    const own = frame.rows.filter(({ node }) => node === total.node);
    const sums = own.flatMap(({ term, axes, amount: sum }) =>
      term && axes?.length ? [part("a right rule sums", summed(numberOf(term), axes, amountOf(sum)))] : [],
    );
    return h(
      "div.flow",
      { "data-node": total.node },
      h("strong", null, `${nameOf(run, total.node)}.grad`),
      part("before", held(before)),
      part(wrong ? "≠ after" : "after", held(after, wrong && right ? plus(before, right) : null, run.scale)),
      // after the first contribution, the gradient is this contribution
      !isZero(before) && part(`${wrong ? "≠ " : ""}your code changes it by`, held(amount, wrong ? right : null, run.scale)),
      sums,
      right && (sums.length !== 1 || own.length > 1) && part("a right rule adds", held(right)),
    );
  });
  return h("div.flows", null, blocks);
}

/** @type {(run: Run, frame: Frame) => HTMLElement} */
function contributions(run, frame) {
  if (!frame.totals.length) return h("p.quiet", null, "No gradient changes.");
  if (haveArrays(run.nodes)) return arrayContributions(run, frame);
  const upstream =
    frame.upstream.value !== null && frame.upstream.value < 0 ? `(${shown(frame.upstream)})` : shown(frame.upstream);
  const rows = frame.totals.map((total) => {
    const own = frame.rows.flatMap(({ node, local }) => (node === total.node && local !== null ? [local] : []));
    const sums = own.map((local) => `${shown(numberOf(local))} × ${upstream}`).join(" + ");
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
    const other = right && (right.amount.value !== null || right.amount.array) ? `${theirs(run)}: ${formula(right)}` : "";
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
