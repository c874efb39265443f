"use strict";

/**
 * Show every node's numbers in a frame as a table: what the picture shows, in words.
 * @type {(table: HTMLElement, run: Run) => Show}
 */
function numbersView(table, run) {
  return function show(frame, at) {
    const rows = run.nodes.map((node, i) => {
      const made = frame.made.has(i);
      const [bad, badData] = [wrongGrad(run, frame, i), wrongData(run, frame, i)];
      const [ours, theirs] = [frame.grads[i], run.expected[i].grad];
      const [grad, right] = bad && !ours.array && !theirs.array
        ? apart(ours, theirs)
        : [held(ours, bad ? theirs : null, run.scale), held(theirs)];
      return h(
        `tr${frame.node === i ? ".active" : ""}`,
        { "data-node": i },
        h("th", { scope: "row" }, node.name, node.shape?.length ? h("span.quiet", null, ` ${shapeText(node.shape)}`) : null),
        h("td", null, operationOf(node, run.nodes)),
        h(`td.number${badData ? ".differs" : ""}`, { "data-field": "data" }, made ? held(run.data[i], badData ? run.expected[i].data : null, run.scale) : "–"),
        run.recorded && h("td.number.quiet", { "data-field": "right-data" }, held(run.expected[i].data)),
        h(`td.number${bad ? ".differs" : ""}`, { "data-field": "grad" }, made ? grad : "–"),
        run.recorded && h("td.number.quiet", { "data-field": "right-grad" }, right),
        run.recorded &&
          h(
            `td.sign${bad || badData ? ".differs" : ""}`,
            null,
            badData ? "≠ value differs" : bad ? "≠ differs" : made && frame.settled[i] ? "agrees" : "",
          ),
      );
    });
    table.classList.toggle("arrays", haveArrays(run.nodes));
    const whose = run.asked === "torch" ? "torch" : "expected";
    const words = run.recorded
      ? ["node", "operation", "data", whose, "gradient", `${whose}, at the end`, ""]
      : ["node", "operation", "data", "gradient"];
    fill(table,
      h("caption", null, `Step ${at} of ${run.frames.length - 1}: ${headline(run, frame)}`),
      head(words),
      h("tbody", null, rows),
    );
  };
}

/**
 * Show forward and backward steps side by side: forward downwards, backward upwards.
 * @type {(table: HTMLElement, run: Run, go: (at: number) => void) => Show}
 */
function waterfallView(table, run, go) {
  const visits = run.frames.map((frame, at) => ({ frame, at })).filter(({ frame }) => frame.kind === "visit");
  /** @type {(words: string, at: number, classes?: string) => HTMLElement} */
  const step = (words, at, classes = "") =>
    h(`button.plain${classes}`, { type: "button", "data-at": at, onclick: () => go(at) }, words);
  const forward = run.frames.map((frame, at) => ({ frame, at })).filter(({ frame }) => frame.kind === "forward");
  const rows = forward.map(({ frame, at }) => {
    const own = visits.filter((visit) => visit.frame.node === frame.node);
    const back = own.map(({ frame: visit, at: when }) => {
      const changed = visit.totals.map((total) => `${nameOf(run, total.node)} ${change(total.amount)}`);
      const wrong = visit.totals.some((total) => total.wrong) || when === run.first;
      return h(
        `div.visit${wrong ? ".wrong" : ""}`,
        { "data-at": when },
        h("span.order", null, `${when}`),
        step(`${wrong ? "≠ " : ""}${shown(visit.upstream)} → ${changed.join(", ") || "nothing"}`, when),
      );
    });
    return h(
      "tr",
      { "data-at": at },
      h("td", { "data-at": at }, h("span.order", null, `${at}`), step(assigned(run, frame.node ?? run.root), at)),
      h(
        "td",
        null,
        back.length ? back : h("span.quiet", null, visits.length ? "does not propagate" : "–"),
      ),
    );
  });
  fill(table,
    h("caption.unseen", null, "Forward and backward steps of each operation, with the number of each step"),
    head(["Forward ↓", "Backward ↑  upstream gradient → contributions"]),
    h("tbody", null, rows),
  );
  /** @type {NodeListOf<HTMLElement>} */
  const found = table.querySelectorAll("td[data-at], div[data-at]");
  const places = [...found];
  return function show(_, at) {
    for (const place of places) {
      const now = Number(place.dataset.at) === at;
      place.classList.toggle("now", now);
      place.classList.toggle("past", Number(place.dataset.at) < at);
    }
  };
}

/**
 * Return whether the tables of a run are narrow enough to stand beside each other.
 * @type {(run: Run) => boolean}
 */
const areNarrow = ({ nodes }) => !haveArrays(nodes) && nodes.every((node) => node.name.length + operationOf(node, nodes).length <= 16);
