"use strict";

const LEAST = 1e-12; // a gradient below this is drawn as if it were as large

/**
 * Return how the gradient changes from the last layer back to the first: a sign, and sentences.
 * @type {(thermometer: Data.Thermometer) => string}
 */
function layersVerdict({ layers, yours, expected, asked }) {
  const off = yours.findIndex((size, i) => differ(numberOf(size), numberOf(expected[i]), largestOf(expected)));
  const by = asked === "torch" ? "torch’s is" : "expected";
  const [first, last] = [yours[0], yours[yours.length - 1]];
  const times = first && last ? first / last : null;
  const words = times && `The gradient of ${layers[0]} is ${digits(times)} times as large as that of ${layers[layers.length - 1]}.`;
  if (off < 0) return `✓ ${words ?? ""}`;
  const size = yours[off];
  const seen = size === null ? "is not a number" : `has the size ${digits(size)}`;
  return `≠ The gradient of ${layers[off]} ${seen}; ${by} ${digits(expected[off] ?? NaN)}.`;
}

/**
 * Show the sizes of the gradients of all layers, as bars on a scale of powers of ten.
 * @type {(section: HTMLElement, thermometers: Data.Thermometer[]) => void}
 */
function thermometersView(section, thermometers) {
  const powers = thermometers.flatMap(({ yours, expected }) => [...yours, ...expected].map(power));
  /** @type {Span} */
  const range = [Math.floor(Math.min(...powers)) - 0.2, Math.ceil(Math.max(...powers))];
  add(section,
    h("p.about", null, "Bars: the sizes of your gradients. Dashed: those of correct layers. The scale is one of powers of ten."),
    h("div.columns", null, thermometers.map((one) => thermometerOf(one, range))));
}

/** @type {(sizes: (number | null)[]) => number} */
const largestOf = (sizes) => Math.max(...sizes.map((size) => size ?? 0));

/**
 * Return the exponent of a size as a power of ten.
 * @type {(size: number | null) => number}
 */
const power = (size) => Math.log10(Math.max(size ?? 0, LEAST));

/**
 * Return one thermometer. The range of exponents is that of all, so that they can be compared.
 * @type {(thermometer: Data.Thermometer, range: Span) => HTMLElement}
 */
function thermometerOf(thermometer, range) {
  const { title, function: name, values, layers, yours, expected, losses } = thermometer;
  const words = { across: "layer", up: "power of ten" };
  const { x, y, marks } = axes([-0.5, layers.length - 0.5], range, words);
  const floor = y(range[0]);
  const scale = largestOf(expected);
  const bars = yours.map((size, i) => {
    const wrong = differ(numberOf(size), numberOf(expected[i]), scale);
    const top = Math.min(y(power(size)), floor - 1);
    return svg(wrong ? "rect.bar.off" : "rect.bar", { x: x(i - 0.4), y: top, width: x(0.4) - x(-0.4), height: floor - top });
  });
  const right = svg("path.reference", { d: polyline(expected.map((size, i) => [i, power(size)]), x, y) });
  const label = plain(`Sizes of the gradients of ${layers.length} nodes, from ${layers[0]} to ${layers.at(-1)}`);
  const box = { viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img", "aria-label": label };
  const numbers = series(Object.entries(values).map(([leaf, value]) => `${leaf} = ${digits(value)}`));
  /** @type {(size: number | null) => string} */
  const shown = (size) => (size === null ? "–" : digits(size));
  return h(
    "div.thermometer",
    null,
    h("h3", null, plain(title)),
    h("p.about", null, plain(`${name}, with ${numbers}`)),
    h("p.headline", null, plain(layersVerdict(thermometer))),
    losses.length > 0 && h("p.loss", null, `${several(losses.length, "step")}: the loss is ${shown(losses[losses.length - 1])}.`),
    losses.length > 0 && h("figure", null, lossChart(losses)),
    h("figure", null, svg("svg.chart", box, marks, bars, right)),
    h(
      "details",
      null,
      h("summary", null, "Every layer as a table"),
      h(
        "div.scroll",
        { tabindex: "0", role: "region", "aria-label": plain(`Every layer: ${title}, ${numbers}`) },
        h(
          "table.layers",
          null,
          h("caption.unseen", null, "The size of each gradient"),
          head(["node", "yours", thermometer.asked === "torch" ? "torch" : "expected"]),
          h(
            "tbody",
            null,
            layers.map((layer, i) =>
              h("tr", null, h("th", { scope: "row" }, plain(layer)), cell(shown(yours[i])), cell(shown(expected[i]))),
            ),
          ),
        ),
      ),
    ),
  );
}
