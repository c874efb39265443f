"use strict";

const ACCENT = "#12807c",
  NOT_THERE = "#8a8f98"; // in the heat map; visible on white and on black
const FEW = 40; // the heat map names each learner up to this number
const WIDTH = 720,
  TALLEST = 440;

/** Return a plot without its own style sheet, which the policy would block. The page's style replaces it. */
function plot(options) {
  const made = Plot.plot({ className: "plot", style: { fontSize: "12px" }, ...options });
  for (const style of made.querySelectorAll("style")) style.remove();
  made.setAttribute("role", "img");
  return made;
}

function distribution(data) {
  const scores = data.learners.filter((learner) => learner.score !== undefined).map((learner) => learner.score);
  if (!scores.length) return;
  const step = Math.max(1, Math.round(data.max_score / 20));
  const borders = [...d3.range(0, data.max_score, step), data.max_score];
  const below = data.max_score - step / 1000; // a band includes its lower border; the last one also includes full marks
  const { median } = data.scores;
  byId("distribution").append(
    plot({
      width: 560,
      height: 250,
      marginTop: 28,
      marginBottom: 40,
      ariaLabel: `Distribution of scores: median ${median} of ${data.max_score}, by tenths of the points ${data.scores.bands.join(", ")} learners`,
      x: { domain: [0, data.max_score], label: "points", ticks: 10, labelArrow: "none", labelOffset: 34 },
      y: {
        label: "learners",
        ticks: 4,
        tickFormat: (n) => (Number.isInteger(n) ? count(n) : ""),
        labelArrow: "none",
        grid: true,
      },
      marks: [
        Plot.rectY(
          scores,
          Plot.binX(
            { y: "count" },
            {
              x: (score) => Math.min(score, below),
              thresholds: borders,
              fill: "var(--accent)",
              insetLeft: 0.5,
              insetRight: 0.5,
            },
          ),
        ),
        Plot.ruleY([0], { stroke: "currentColor" }),
        Plot.ruleX([median], { stroke: "currentColor", strokeDasharray: "3 3" }),
        Plot.text([median], {
          x: (at) => at,
          text: () => `median ${median}`,
          frameAnchor: "top",
          dy: -14,
          dx: median < 0.15 * data.max_score ? 60 : 0, // beside the axis' label
          fill: "currentColor",
          textAnchor: median > 0.85 * data.max_score ? "end" : "middle",
        }),
      ],
    }),
  );
}

function heatMap(data, open) {
  const ranked = data.learners
    .filter((learner) => learner.score !== undefined)
    .sort((a, b) => b.score - a.score || order(a.name, b.name));
  const across = data.exercises.length,
    down = ranked.length;
  if (!down) {
    byId("heat").remove();
    return;
  }
  // several learners share a line if there are more learners than pixels
  const per = Math.ceil(down / TALLEST),
    lines = Math.ceil(down / per);
  const cells = d3.range(lines).flatMap((line) =>
    data.exercises.map((exercise, at) => {
      const results = ranked.slice(line * per, (line + 1) * per).map((learner) => learner.results[at]);
      const there = results.filter((result) => result && !NOTHING.includes(result.status));
      if (there.length <= results.length / 2) return [NOT_THERE, 0.3];
      return [
        ACCENT,
        0.04 + 0.96 * d3.mean(there, (result) => (exercise.max_score ? result.score / exercise.max_score : 1)),
      ];
    }),
  );
  const named = down <= FEW;
  const height = lines * (named ? 17 : Math.max(1, Math.floor(TALLEST / lines))) + 110;
  const marginLeft = named ? 150 : 76;
  const quarters = [0, 0.25, 0.5, 0.75, 1].map((at) => Math.min(lines - 1, Math.floor(at * lines)));
  const rows = named ? d3.range(lines) : [...new Set(quarters)];
  const short = (text) => (text.length > 20 ? `${text.slice(0, 19)}…` : text);
  const made = plot({
    width: WIDTH,
    height,
    marginLeft,
    marginTop: 100,
    marginBottom: 10,
    marginRight: 40,
    ariaLabel: `Heat map of ${several(down, "learner")} and ${several(across, "exercise")}; the table of learners gives the same numbers`,
    x: { domain: [0, across], axis: null },
    y: { domain: [lines, 0], axis: null },
    marks: [
      Plot.raster(d3.range(cells.length), {
        width: across,
        height: lines,
        x1: 0,
        x2: across,
        y1: 0,
        y2: lines,
        imageRendering: "pixelated",
        fill: { value: cells.map(([color]) => color), scale: null },
        fillOpacity: { value: cells.map(([, alpha]) => alpha), scale: null },
      }),
      Plot.ruleX(d3.range(1, across), { stroke: "var(--paper)", strokeWidth: 2 }),
      named ? Plot.ruleY(d3.range(1, down), { stroke: "var(--paper)" }) : null,
      Plot.text(data.exercises, {
        x: (_, e) => e + 0.5,
        y: 0,
        text: stem,
        rotate: -48,
        textAnchor: "start",
        dy: -8,
        dx: 4,
        fill: "currentColor",
      }),
      Plot.text(rows, {
        x: 0,
        y: (row) => row + 0.5,
        textAnchor: "end",
        dx: -8,
        fill: "currentColor",
        text: (row) => (named ? short(plain(ranked[row].name)) : several(ranked[row * per].score, "point")),
      }),
    ],
  });
  byId("heat").append(made);
  const key = (label, color, alpha) => {
    const swatch = h("span.swatch", { "aria-hidden": "true" }, h("span"));
    Object.assign(swatch.firstChild.style, { backgroundColor: color, opacity: alpha });
    return h("span.key", null, swatch, label);
  };
  byId("heat-key").append(
    key("no points", ACCENT, 0.04),
    key("half of them", ACCENT, 0.52),
    key("all", ACCENT, 1),
    key("missing or unreadable", NOT_THERE, 0.3),
  );
  const caption = byId("heat").querySelector("figcaption");
  caption.textContent =
    per === 1
      ? "Each row is a learner, the highest score first. Each column is an exercise. Click a row to open the learner."
      : `Each row is ${per} learners with neighbouring scores, the highest first. Each column is an exercise.`;
  if (per > 1) return;
  const under = ({ clientX, clientY }) => {
    const box = made.getBoundingClientRect();
    const x = made.scale("x").invert((clientX - box.left) * (WIDTH / box.width));
    const y = made.scale("y").invert((clientY - box.top) * (height / box.height));
    return x >= 0 && x < across && y >= 0 && y < down ? [ranked[Math.floor(y)], Math.floor(x)] : [];
  };
  made.addEventListener("pointermove", (event) => {
    const [learner, at] = under(event);
    made.classList.toggle("over", learner !== undefined);
    const result = learner?.results[at];
    const done = result
      ? `${result.score} of ${data.exercises[at].max_score}, ${STATUS[result.status][1]}`
      : "no result";
    byId("heat-at").textContent = learner ? plain(`${learner.name}, ${stem(data.exercises[at])}: ${done}`) : "";
  });
  made.addEventListener("click", (event) => under(event)[0] && open(under(event)[0].id));
}
