"use strict";

/**
 * Return how the training of a language model went, in a sentence.
 * @type {(model: Data.Model) => string}
 */
function modelVerdict({ trained, guessing }) {
  const { losses, problem } = trained;
  if (problem || !losses.length) return `! ${problem}`;
  const [first, last] = [losses[0], losses[losses.length - 1]].map((loss) => (loss === null ? "a number that is not finite" : digits(loss)));
  const end = losses[losses.length - 1];
  const better = end !== null && end < guessing;
  return `${better ? "✓" : "!"} ${losses.length} steps take the loss from ${first} to ${last}. The loss of guessing is ${digits(guessing)}.`;
}

/**
 * Return what a language model learns from, in sentences.
 * @type {(model: Data.Model) => string}
 */
function modelAbout({ names, rate, pairs, together }) {
  const at = `at the learning rate ${digits(rate)}`;
  if (pairs === null) return `It learns from ${series(names)}, ${at}. Dashed: the loss of guessing.`;
  const some = names.length > 3 ? `${names.length} words, such as ${series(names.slice(0, 3))}` : series(names);
  const step = together < names.length ? ` Each step has the loss on the next ${together} of them.` : "";
  return `It learns from ${some}, ${at}.${step} Dashed: the loss of guessing, and ${digits(pairs)}, the loss of the best bigram model of these words.`;
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
 * Return a curve of the loss before each step. The levels are dashed.
 * @type {(losses: readonly (number | null)[], levels?: number[]) => SVGElement}
 */
function lossChart(losses, levels = []) {
  /** @type {Pair[]} */
  const points = losses.map((loss, i) => [i, loss ?? NaN]);
  const across = extent(points.map(([i]) => i));
  const { x, y, marks } = axes(across, extent([0, ...levels, ...points.map(([, loss]) => loss)]), { across: "step", up: "loss" });
  const label = `The loss before each of ${several(points.length, "step")}`;
  return svg("svg.chart", { viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img", "aria-label": label },
    marks,
    svg("path.own", { d: polyline(points, x, y) }),
    levels.map((level) => svg("path.reference", { d: polyline(across.map((i) => [i, level]), x, y) })));
}

/**
 * Prepare a place for a language model: the loss of each step, names that it makes, and its probabilities. Return a
 * function that shows a model there.
 * @type {(section: HTMLElement) => (model: Data.Model) => void}
 */
function modelView(section) {
  /** @type {<Tag extends string>(tag: Tag, name: string) => ElementOf<Tag>} */
  const part = (tag, name) => h(tag, { id: `model-${name}` });
  const [told, about, own] = [part("p.headline", "told"), part("p.about", "about"), part("p", "own")];
  const [losses, drawn, table] = [part("figure", "losses"), part("ul", "drawn"), part("table", "table")];
  const attention = part("div", "attention");
  const guess = guessView();
  const results = part("div", "results");
  add(results,
    h("h3", null, "Names that the model makes"),
    h("p.about", null, "New names are bold: the model has not learnt from them."),
    drawn,
    attention,
    guess.place,
    h("h3", { id: "model-table-heading" }, "Probabilities of the next letter"),
    h("div.scroll", { tabindex: 0, role: "region", "aria-labelledby": "model-table-heading" }, table));
  add(section, told, about, losses, own, results);

  return function show(model) {
    const { names, letters, guessing, pairs, trained, rows } = model;
    told.textContent = plain(modelVerdict(model));
    about.textContent = plain(modelAbout(model));
    own.textContent = plain(ownVerdict(model));
    own.hidden = !model.own;
    losses.hidden = !trained.losses.length;
    results.hidden = !rows.length;
    fill(losses, lossChart(trained.losses, pairs === null ? [guessing] : [guessing, pairs]));
    fill(attention, model.attention && attentionView(model.attention));
    fill(drawn, model.drawn.map((name) => h(names.includes(name) ? "li" : "li.new", null, name || "(an empty name)")));
    guess.show(model);
    fill(table,
      h("caption.unseen", null, "The probability of each next letter, by context"),
      head(["context", ...letters]),
      h("tbody", null, rows.map(({ context, probabilities }) =>
        h("tr", null,
          h("th", { scope: "row" }, context),
          probabilities.map(probability)))));
  };
}

/**
 * Return a cell with a probability. The larger it is, the darker is the cell.
 * @type {(p: number) => HTMLElement}
 */
function probability(p) {
  const shown = h(`td.number${p >= 0.5 ? ".likely" : ""}`, null, p.toFixed(2));
  shown.style.setProperty("--share", `${Math.round(45 * p)}%`);
  return shown;
}

/**
 * Return a table for each head: how much each letter of a name sees of the letters up to itself.
 * @type {(attention: Data.Attention) => Node[]}
 */
function attentionView({ letters, heads }) {
  return [
    h("h3", null, "What the attention looks at"),
    h("p.about", null, `A row has the weights with which a letter of ${letters} sees the letters up to itself. They are those of a correct attention layer with the trained parameters.`),
    h("div.heads", null, heads.map((rows, number) => {
      const title = `Head ${number + 1}`;
      return h("div.scroll", { tabindex: 0, role: "region", "aria-label": title },
        h("table", null,
          h("caption", null, title),
          head(["letter", ...letters]),
          h("tbody", null, rows.map((weights, at) =>
            h("tr", null,
              h("th", { scope: "row" }, letters[at]),
              weights.map((weight, other) => other <= at ? probability(weight) : h("td")))))));
    })),
  ];
}

/**
 * Return a question to try: which letter follows a context? The answer has the model's probability of the guess.
 * @type {() => { place: HTMLElement, show: (model: Data.Model) => void }}
 */
function guessView() {
  const context = h("select", { id: "model-context", onchange: () => fill(answer) });
  const answer = h("p.answer", { role: "status" });
  const buttons = h("p.buttons", { role: "group", "aria-label": "Your guess" });
  const place = h("div.guess", null,
    h("h3", null, "Guess the next letter"),
    h("p", null, h("label", null, "After ", context), " comes …"), buttons, answer);

  /** @type {(model: Data.Model, letter: string) => void} */
  function guessed({ rows, letters }, letter) {
    const { probabilities } = rows.find((row) => row.context === context.value) ?? rows[0];
    const likely = probabilities.indexOf(Math.max(...probabilities));
    const own = letters.indexOf(letter);
    const words = own === likely ? "It finds no letter more probable." : `The most probable letter is ${letters[likely]}, with ${probabilities[likely].toFixed(2)}.`;
    fill(answer, `After ${context.value}, the model gives ${letter} the probability ${probabilities[own].toFixed(2)}. ${words}`);
  }

  return {
    place,
    show(model) {
      if (!model.rows.length) return;
      if (!context.options.length) fill(context, model.rows.map((row) => h("option", null, row.context)));
      if (!buttons.firstChild) add(buttons, [...model.letters].map((letter) => h("button", { type: "button" }, letter)));
      // while the model is trained, the same buttons ask its latest state
      for (const button of buttons.querySelectorAll("button")) button.onclick = () => guessed(model, button.textContent ?? "");
    },
  };
}
