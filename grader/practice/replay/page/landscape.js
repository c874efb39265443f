"use strict";

const CHART = { width: 640, height: 360, left: 54, right: 14, top: 30, bottom: 42 };

/** @type {(numbers: number[]) => Span} */
function extent(numbers) {
  const finite = numbers.filter(Number.isFinite);
  const [low, high] = finite.length ? [Math.min(...finite), Math.max(...finite)] : [0, 1];
  return low === high ? [low - 1, high + 1] : [low, high];
}

/**
 * Return a function from a range of values to a range of pixels.
 * @type {(values: Span, pixels: Span) => Scale}
 */
const scaled =
  ([low, high], [from, to]) =>
  (value) =>
    from + ((value - low) / (high - low)) * (to - from);

/**
 * Return about `most` round numbers in a range.
 * @type {(range: Span, most?: number) => number[]}
 */
function ticks([low, high], most = 5) {
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const size = ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
  const first = Math.ceil(low / size);
  return Array.from({ length: Math.floor(high / size + 1e-9) - first + 1 }, (_, k) =>
    Number(((first + k) * size).toPrecision(12)),
  );
}

/**
 * Return axes, and the scales of a chart over `across` and `up`.
 * @type {(across: Span, up: Span, words: { across: string, up: string }) => { x: Scale, y: Scale, marks: SVGElement[] }}
 */
function axes(across, up, words) {
  const { width, height, left, right, top, bottom } = CHART;
  const [x, y] = [scaled(across, [left, width - right]), scaled(up, [height - bottom, top])];
  const marks = [
    ...ticks(across).map((value) =>
      svg("text.axis", { x: x(value), y: height - bottom + 18, "text-anchor": "middle" }, digits(value)),
    ),
    ...ticks(up).map((value) =>
      svg("text.axis", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, digits(value)),
    ),
    ...ticks(up).map((value) => svg("line.grid", { x1: left, x2: width - right, y1: y(value), y2: y(value) })),
    svg("text.axis", { x: width - right, y: height - 6, "text-anchor": "end" }, words.across),
    svg("text.axis", { x: 4, y: 12, "text-anchor": "start" }, words.up),
  ];
  return { x, y, marks };
}

/** @type {(points: Pair[], x: Scale, y: Scale) => string} */
const polyline = (points, x, y) =>
  points
    .filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b))
    .map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(2)} ${y(b).toFixed(2)}`)
    .join("");

/**
 * Return the first number in which a training run differs from correct gradient descent, with its step, or null.
 * @type {(landscape: Data.Landscape) => { at: number, name: string, yours: number | null, right: number | null } | null}
 */
function firstOff({ steps, reference, parameters }) {
  for (const [at, { values, loss }] of steps.entries()) {
    const right = reference[at];
    const scale = Math.max(...right.values.map((value) => Math.abs(value ?? 0)));
    const k = values.findIndex((value, i) => differ(numberOf(value), numberOf(right.values[i]), scale));
    if (k >= 0) return { at, name: parameters[k], yours: values[k], right: right.values[k] };
    if (loss !== null && differ(numberOf(loss), numberOf(right.loss), Math.abs(right.loss ?? 0)))
      return { at, name: "the loss", yours: loss, right: right.loss };
  }
  return null;
}

/**
 * Return how a training run went: a sign, and sentences.
 * @type {(landscape: Data.Landscape) => [sign: string, text: string]}
 */
function descentVerdict(landscape) {
  const { steps, reference, problem } = landscape;
  if (!steps.length) return ["! ", problem?.text ?? ""];
  /** @type {(value: number | null) => string} */
  const number = (value) => (value === null ? "a number that is not finite" : digits(value));
  const [start, end, right] = [reference[0], steps[steps.length - 1], reference[reference.length - 1]].map(({ loss }) => loss);
  const off = firstOff(landscape);
  const way = `takes the loss from ${number(start)} to`;
  const words = off
    ? `At step ${off.at} of your training, ${off.name} is ${number(off.yours)}; correct gradient descent has ${number(off.right)}. ` +
      `Your training ${way} ${number(end)}, and correct gradient descent to ${number(right)}.`
    : `Every step of your training agrees with correct gradient descent. At this learning rate, it ${way} ${number(end)}.`;
  const fell = end !== null && end <= (start ?? NaN);
  return [problem ? "! " : off ? "≠ " : fell ? "✓ " : "! ", [problem?.text, words].filter(Boolean).join(" ")];
}

/**
 * Show a training run over the loss: a curve for one parameter, a map for two, and the loss of each step. Return a
 * function that shows a step.
 * @type {(section: HTMLElement, landscape: Data.Landscape) => (at: number) => void}
 */
function landscapeView(section, landscape) {
  const { steps, reference, parameters, curve: line, grid } = landscape;
  const place = h("figure", { id: "descent-map" });
  const [told, table] = [h("p", { id: "descent-told", role: "status" }), h("table", { id: "descent-table" })];
  /** @type {(name: string, label: string, by: number) => HTMLElement} */
  const button = (name, label, by) => h("button", { type: "button", id: `descent-${name}`, onclick: () => show(slider.valueAsNumber + by) }, label);
  /** @type {HTMLInputElement} */
  const slider = h("input", { type: "range", id: "descent-at", min: 0, max: Math.max(0, steps.length - 1), value: 0, "aria-label": "Step of the training", oninput: () => void show(slider.valueAsNumber) });
  const whose = landscape.asked === "torch" ? "torch’s" : "right";
  const walk = [
    place,
    h("div.transport", { role: "group", "aria-label": "Steps of the training" }, button("back", "Back", -1), button("step", "Step", 1), slider),
    told,
    h("details", null, h("summary", null, "Every step as a table"), h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Every step of the training" }, table)),
  ];
  fill(section,
    h("h2", { id: "descent-heading" }, landscape.title),
    h("p.about", { id: "descent-about" }, `${landscape.program}, learning rate ${digits(landscape.rate)}. Filled: your steps. Dashed: gradient descent with ${whose} gradients.`),
    h("p.headline", { id: "descent-verdict" }, descentVerdict(landscape).join("")),
    steps.length > 0 && walk);
  /** @type {(value: number | null | undefined) => string} */
  const number = (value) => (value === null || value === undefined ? "–" : digits(value));
  /** @type {(step: Data.Step) => Pair} */
  const pairOf = ({ values: [one, two] }) => [one ?? NaN, two ?? NaN];
  /** @type {(list: Data.Step[]) => Pair[]} */
  const losses = (list) => list.map(({ loss }, i) => [i, loss ?? NaN]);
  /** @type {Chart[]} */
  const charts = [];
  if (line.length && parameters.length === 1)
    charts.push(
      chart(
        [line.map(([a, b]) => [a, b ?? NaN])],
        steps.map(({ values, loss }) => [values[0] ?? NaN, loss ?? NaN]),
        { across: parameters[0], up: "loss" },
      ),
    );
  if (grid && parameters.length >= 2)
    charts.push(
      map(
        grid,
        steps.map(pairOf),
        reference.map(pairOf),
      ),
    );
  charts.push(chart([losses(steps), losses(reference)], losses(steps), { across: "step", up: "loss" }, true));
  fill(place, ...charts.map(({ picture }) => h("div", null, picture)));

  /** @type {(lines: Pair[][], dots: Pair[], words: { across: string, up: string }, compared?: boolean) => Chart} */
  function chart(lines, dots, words, compared = false) {
    const all = [...lines.flat(), ...dots];
    const { x, y, marks } = axes(extent(all.map(([a]) => a)), extent(all.map(([, b]) => b)), words);
    const paths = lines.map((points, i) =>
      svg(`path.${compared && i ? "reference" : compared ? "own" : "curve"}`, { d: polyline(points, x, y) }),
    );
    return withDots(marks, paths, dots, x, y, `${words.up} over ${words.across}`, compared ? paths[0] : undefined);
  }
  /** @type {(grid: Data.Grid, own: Pair[], right: Pair[]) => Chart} */
  function map({ x: across, y: up, loss }, own, right) {
    const { x, y, marks } = axes(extent(across), extent(up), { across: parameters[0], up: parameters[1] });
    const sorted = loss
      .flat()
      .filter((value) => value !== null)
      .sort((a, b) => a - b);
    /** @type {(value: number | null) => number} */
    const rank = (value) =>
      value === null ? 1 : sorted.findIndex((other) => other >= value) / Math.max(1, sorted.length - 1);
    const [wide, high] = [Math.abs(x(across[1]) - x(across[0])), Math.abs(y(up[1]) - y(up[0]))];
    const cells = loss.flatMap((row, r) =>
      row.map((value, c) =>
        svg("rect.cell", {
          x: x(across[c]) - wide / 2,
          y: y(up[r]) - high / 2,
          width: wide + 0.5,
          height: high + 0.5,
          "fill-opacity": (Math.round((1 - rank(value)) * 8) / 8).toFixed(3),
        }),
      ),
    );
    const paths = [svg("path.reference", { d: polyline(right, x, y) }), svg("path.own", { d: polyline(own, x, y) })];
    return withDots(
      marks,
      [...cells, ...paths],
      own,
      x,
      y,
      `loss over ${parameters[0]} and ${parameters[1]}; darker is lower`,
      paths[1],
    );
  }
  /** @type {(marks: SVGElement[], shapes: SVGElement[], dots: Pair[], x: Scale, y: Scale, label: string, walked?: SVGElement) => Chart} */
  function withDots(marks, shapes, dots, x, y, label, walked) {
    const circles = dots.map(([a, b]) =>
      Number.isFinite(a) && Number.isFinite(b) ? svg("circle.dot", { cx: x(a), cy: y(b), r: 3.5 }) : null,
    );
    const picture = svg(
      "svg.chart",
      { viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img", "aria-label": plain(label) },
      shapes,
      marks,
      circles.filter(Boolean),
    );
    return { picture, circles, walk: (at) => walked?.setAttribute("d", polyline(dots.slice(0, at + 1), x, y)) };
  }

  /** @type {(to: number) => void} */
  function show(to) {
    if (!steps.length) return;
    const at = Math.max(0, Math.min(steps.length - 1, to));
    for (const { circles, walk } of charts) {
      walk(at);
      circles.forEach((circle, i) => {
        circle?.classList.toggle("past", i < at);
        circle?.classList.toggle("now", i === at);
        circle?.setAttribute("r", i === at ? "6.5" : "3.5");
      });
    }
    const { values, loss } = steps[at];
    const words = parameters.map((name, k) => `${name} = ${number(values[k])}`).join(", ");
    const other =
      reference[at] && differ(numberOf(loss), numberOf(reference[at].loss))
        ? ` ≠ ${number(reference[at].loss)} (${landscape.asked === "torch" ? "torch" : "expected"})`
        : "";
    told.textContent = plain(`Step ${at} of ${steps.length - 1}: loss ${number(loss)}${other}. ${words}`);
    slider.setAttribute("aria-valuetext", told.textContent);
    slider.value = String(at);
  }

  fill(table,
    h("caption.unseen", null, "Every step of the training"),
    head(["step", ...(parameters.length > 3 ? ["parameters"] : parameters), "loss", landscape.asked === "torch" ? "torch" : "expected"]),
    h(
      "tbody",
      null,
      steps.map(({ values, loss }, i) =>
        h(
          "tr",
          null,
          h("th", { scope: "row" }, String(i)),
          parameters.length > 3
            ? h("td", null, parameters.map((name, k) => `${name} = ${number(values[k])}`).join(", "))
            : values.map((value) => cell(number(value))),
          cell(number(loss)),
          cell(number(reference[i]?.loss)),
        ),
      ),
    ),
  );
  if (steps.length) show(firstOff(landscape)?.at ?? 0);
  return show;
}
