"use strict";

/**
 * Return how the training of a language model went, in a sentence.
 * @type {(model: Data.Model) => string}
 */
function modelVerdict({ trained, guessing }) {
  const { losses, problem } = trained;
  if (!losses.length) return `! ${problem}`;
  const [first, last] = [losses[0], losses[losses.length - 1]].map((loss) => (loss === null ? "a number that is not finite" : digits(loss)));
  const end = losses[losses.length - 1];
  const better = end !== null && end < guessing;
  return `${better ? "✓" : "!"} ${losses.length} steps take the loss from ${first} to ${last}. The loss of guessing is ${digits(guessing)}.`;
}

/**
 * Return what the training with the learner's own engine gave, in a sentence.
 * @type {(model: Data.Model) => string}
 */
function ownVerdict({ own, trained }) {
  if (!own) return "";
  const engine = "Your own engine from exercise 12";
  if (!own.losses.length) return `${engine} did not train the model: ${own.problem}`;
  const off = own.losses.findIndex((loss, i) => differ(numberOf(loss), numberOf(trained.losses[i]), 1));
  const same = off < 0 ? "The losses are those of the given engine." : `Its loss differs first before step ${off + 1}.`;
  return `${engine} trained the model in ${own.seconds.toFixed(1)} s, to the loss ${digits(own.losses[own.losses.length - 1] ?? NaN)}. ${same}`;
}

/**
 * Show a language model: the loss of each step, names that it makes, and its probabilities.
 * @type {(section: HTMLElement, model: Data.Model) => void}
 */
function modelView(section, model) {
  const { names, letters, rate, guessing, trained, rows, drawn } = model;
  /** @type {(name: string) => HTMLElement} */
  const part = (name) => find(`#model-${name}`, section);
  part("told").textContent = plain(modelVerdict(model));
  part("about").textContent = plain(
    `It learns from ${series(names)}, at the learning rate ${digits(rate)}. Dashed: the loss of guessing.`,
  );
  part("own").textContent = plain(ownVerdict(model));
  part("own").hidden = !model.own;
  part("losses").hidden = !trained.losses.length;
  part("results").hidden = !rows.length;
  /** @type {Pair[]} */
  const points = trained.losses.map((loss, i) => [i, loss ?? NaN]);
  /** @type {Pair[]} */
  const level = [0, points.length - 1].map((i) => [i, guessing]);
  const { x, y, marks } = axes(extent(points.map(([i]) => i)), extent([0, guessing, ...points.map(([, loss]) => loss)]), {
    across: "step",
    up: "loss",
  });
  const label = `The loss before each of ${points.length} steps`;
  fill(part("losses"),
    svg(
      "svg.chart",
      { viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img", "aria-label": label },
      marks,
      svg("path.own", { d: polyline(points, x, y) }),
      svg("path.reference", { d: polyline(level, x, y) }),
    ),
  );
  part("drawn").textContent = plain(drawn.map((name) => name || "(an empty name)").join(", "));
  fill(part("table"),
    h("caption.unseen", null, "The probability of each next letter, by context"),
    head(["context", ...letters]),
    h(
      "tbody",
      null,
      rows.map(({ context, probabilities }) =>
        h(
          "tr",
          null,
          h("th", { scope: "row" }, plain(context)),
          probabilities.map((p) => h(`td.number${p >= 0.5 ? ".likely" : ""}`, null, p.toFixed(2))),
        ),
      ),
    ),
  );
}
