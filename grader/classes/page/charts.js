"use strict";

const WIDE = 560,
  HIGH = 230;
const EDGE = { left: 34, right: 14, top: 26, bottom: 38 };

/**
 * Draw how many learners have how many points, in up to 20 bands, with the median.
 * @type {(data: PreparedPage) => void}
 */
function distribution(data) {
  const scores = data.learners.flatMap(({ standing, score }) => (standing === "graded" && score !== undefined ? [score] : []));
  const most = data.max_score;
  if (!scores.length || !most) return;
  const step = Math.max(1, Math.round(most / 20));
  const bands = new Array(Math.ceil(most / step)).fill(0);
  for (const score of scores) bands[Math.min(bands.length - 1, Math.floor(score / step))] += 1; // the last holds full marks
  const highest = Math.max(...bands);
  /** @type {(points: number) => number} */
  const x = (points) => EDGE.left + ((WIDE - EDGE.left - EDGE.right) * points) / most;
  /** @type {(n: number) => number} */
  const y = (n) => HIGH - EDGE.bottom - ((HIGH - EDGE.top - EDGE.bottom) * n) / highest;
  const { median } = data.scores;
  const lines = ticks(highest, 4).flatMap((n) => [
    svg("line.grid", { x1: EDGE.left, x2: WIDE - EDGE.right, y1: y(n), y2: y(n) }),
    svg("text", { x: EDGE.left - 6, y: y(n) + 4, "text-anchor": "end" }, count(n)),
  ]);
  const bars = bands.map((n, band) => {
    const [from, to] = [x(band * step), x(Math.min(most, (band + 1) * step))];
    return n > 0 && svg("rect.band", { x: from + 0.75, width: to - from - 1.5, y: y(n), height: y(0) - y(n) });
  });
  const below = ticks(most, 10).map((at) => svg("text", { x: x(at), y: y(0) + 16, "text-anchor": "middle" }, count(at)));
  const place = median < 0.15 * most ? "start" : median > 0.85 * most ? "end" : "middle";
  add(byId("distribution"),
    svg(
      "svg.plot",
      {
        viewBox: `0 0 ${WIDE} ${HIGH}`,
        role: "img",
        "aria-label": say("chart.about", { median: String(median), most, bands: data.scores.bands.join(", ") }),
      },
      lines,
      bars,
      svg("line.axis", { x1: EDGE.left, x2: WIDE - EDGE.right, y1: y(0), y2: y(0) }),
      below,
      svg("text", { x: WIDE - EDGE.right, y: HIGH - 4, "text-anchor": "end" }, say("chart.points")),
      svg("line.median", { x1: x(median), x2: x(median), y1: EDGE.top - 8, y2: y(0) }),
      svg("text", { x: x(median), y: EDGE.top - 13, "text-anchor": place }, say("chart.median", { median: String(median) })),
    ),
  );
}

/**
 * Return round whole numbers from 0 to `most`, about as many as asked for.
 * @type {(most: number, about: number) => number[]}
 */
function ticks(most, about) {
  const rough = most / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? 1);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, n) => n * step);
}
