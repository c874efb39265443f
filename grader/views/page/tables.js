"use strict";

const LONG_TABLE = 60; // with more rows than this, only those in view are drawn

const heading = (cell, { label } = {}) =>
  h("button.sort", { type: "button", title: label, "aria-label": label }, cell.getValue());
const words = (cell) => h("span", null, cell.getValue() ?? "");
const texts = (a, b) => order(a ?? "", b ?? "");
const numbers = (a, b) => (a ?? -Infinity) - (b ?? -Infinity);

function column(title, field, more = {}) {
  const { number, label, ...rest } = more;
  return {
    title,
    field,
    formatter: words,
    titleFormatter: heading,
    titleFormatterParams: label ? { label } : {},
    sorter: number ? numbers : texts,
    cssClass: number ? "number" : "",
    headerSortStartingDir: number ? "desc" : "asc",
    resizable: false,
    variableHeight: true,
    minWidth: 40,
    ...rest,
  };
}

function table(id, label, columns, rows, options = {}) {
  const made = new Tabulator(`#${id}`, {
    data: rows,
    columns,
    layout: "fitColumns",
    placeholder: h("span", null, "None."),
    ...(rows.length > LONG_TABLE ? { height: "min(75vh, 44rem)" } : { renderVertical: "basic" }),
    printAsHtml: true,
    printStyled: false,
    printRowRange: "active",
    columnHeaderSortMulti: false,
    ...options,
  });
  made.on("tableBuilt", () => {
    made.element.setAttribute("aria-label", label);
    made.element.setAttribute("aria-rowcount", rows.length + 1);
    made.element.querySelector(".tabulator-tableholder").removeAttribute("tabindex");
  });
  return new Promise((built) => made.on("tableBuilt", () => built(made)));
}

function bar(part, shown) {
  const fill = h("span.fill");
  fill.style.setProperty("--part", part);
  return h("span.bar", null, h("span.track", { "aria-hidden": "true" }, fill), h("span.figure", null, shown));
}

function exerciseTable(data) {
  const rows = data.exercises.map((exercise) => ({
    ...exercise,
    name: stem(exercise),
    part: exercise.max_score ? exercise.mean / exercise.max_score : 0,
    nothing: NOTHING.reduce((sum, status) => sum + (exercise.statuses[status] ?? 0), 0),
    ...Object.fromEntries(["passed", "partial", "failed"].map((status) => [status, exercise.statuses[status] ?? 0])),
  }));
  const mean = (cell) => bar(cell.getValue(), `${cell.getData().mean.toFixed(1)}/${cell.getData().max_score}`);
  return table(
    "exercise-table",
    "Exercises",
    [
      column("Exercise", "name", { widthGrow: 3, minWidth: 130 }),
      column("Mean", "part", { number: true, formatter: mean, widthGrow: 3, minWidth: 120 }),
      column("All", "passed", { number: true, label: "everything passed" }),
      column("Part", "partial", { number: true, label: "partial" }),
      column("None", "failed", { number: true, label: "nothing passed" }),
      column("Missing", "nothing", { number: true, label: "not started, missing or unreadable", minWidth: 62 }),
    ],
    rows,
  );
}

async function checkTable(data) {
  const rows = data.exercises.flatMap((exercise, e) =>
    exercise.checks.map((check, c) => ({
      ...check,
      at: e * 1000 + c,
      exercise: stem(exercise),
      points: check.max_score === undefined ? "" : `${check.bonus ? "+" : ""}${check.max_score}`,
    })),
  );
  const title = (cell) => {
    const { bonus, hidden } = cell.getData();
    return h("span", null, cell.getValue(), bonus && h("small", null, " bonus"), hidden && h("small", null, " hidden"));
  };
  const rate = (cell) => bar(cell.getValue(), `${(100 * cell.getValue()).toFixed(0)} %`);
  const discrimination = (cell) =>
    h("span", null, cell.getValue() === null ? "–" : cell.getValue().toFixed(2).replace("-", "−"));
  const note = (cell) =>
    cell.getValue() && h("span.noted", null, h("span", { "aria-hidden": "true" }, "◆ "), cell.getValue());
  const made = await table(
    "check-table",
    "Checks",
    [
      column("Exercise", "exercise", {
        widthGrow: 2,
        minWidth: 130,
        sorter: (a, b, one, other) => one.getData().at - other.getData().at,
      }),
      column("Check", "title", { formatter: title, widthGrow: 5, minWidth: 180 }),
      column("Points", "points", { number: true, sorter: (a, b) => a - b, minWidth: 68 }),
      column("Pass rate", "rate", { number: true, formatter: rate, widthGrow: 2, minWidth: 130 }),
      column("Discrimination", "discrimination", {
        number: true,
        formatter: discrimination,
        widthGrow: 1.6,
        minWidth: 140,
      }),
      column("Note", "note", { formatter: (cell) => note(cell) || h("span"), widthGrow: 4, minWidth: 180 }),
    ],
    rows,
    { height: false, renderVertical: "basic" },
  );
  byId("noted").addEventListener("change", ({ target }) => {
    if (target.checked) made.setFilter((row) => row.note !== "");
    else made.clearFilter();
  });
}

function misconceptionTable(data) {
  const name = new Map(data.exercises.map((exercise) => [exercise.id, stem(exercise)]));
  const those = (cell) => {
    const { exercise, title } = cell.getData();
    const look = () => showOnly(`"${exercise}: ${title}"`);
    return h("button.plain", { type: "button", onclick: look, title: "show these learners" }, count(cell.getValue()));
  };
  return table(
    "misconception-table",
    "Misconceptions",
    [
      column("Learners", "count", { number: true, formatter: those, minWidth: 84 }),
      column("Exercise", "name", { widthGrow: 2, minWidth: 130 }),
      column("What the code does", "title", { widthGrow: 8, minWidth: 220 }),
      column("For example", "example", {
        formatter: (cell) => learnerLink(data, cell.getValue()),
        widthGrow: 3,
        minWidth: 140,
      }),
    ],
    data.misconceptions.map((found) => ({ ...found, name: name.get(found.exercise) ?? found.exercise })),
  );
}

function reviewTable(data) {
  const rows = data.learners.filter((learner) => learner.why.length).map(({ id, why }) => ({ id, why }));
  const reasons = (cell) =>
    h(
      "ul",
      null,
      cell.getValue().map((why) => h("li", null, why)),
    );
  return table(
    "review-table",
    "Needs review",
    [
      column("Learner", "id", { formatter: (cell) => learnerLink(data, cell.getValue()), widthGrow: 1, minWidth: 150 }),
      column("Why", "why", { formatter: reasons, widthGrow: 4, minWidth: 240, sorter: (a, b) => texts(a[0], b[0]) }),
    ],
    rows,
  );
}

function borderTable(data) {
  const rows = data.borders.map((border) => ({ ...border, missing: border.distance }));
  const gap = (cell) =>
    h(
      "span",
      null,
      cell.getValue() === 0 ? "on it" : cell.getValue() > 0 ? `${cell.getValue()} short` : `${-cell.getValue()} above`,
    );
  return table(
    "border-table",
    "One check from a grade's border",
    [
      column("Learner", "id", {
        formatter: (cell) => learnerLink(data, cell.getValue(), cell.getData().name || cell.getValue()),
        widthGrow: 3,
        minWidth: 150,
      }),
      column("Total", "total", { number: true, minWidth: 70 }),
      column("Grade", "grade", { minWidth: 70 }),
      column("from", "border", { number: true, minWidth: 64 }),
      column("Distance", "missing", { number: true, formatter: gap, widthGrow: 2, minWidth: 100 }),
    ],
    rows,
  );
}

let learners, showOnly; // the table of learners; a function that fills in the search

function part(cell, { exercise, at }) {
  const result = cell.getData().learner.results[at];
  if (!result) return h("span", { title: "no result" }, "–");
  if (NOTHING.includes(result.status))
    return h(
      "span.mark",
      { title: STATUS[result.status][1], "aria-label": STATUS[result.status][1] },
      STATUS[result.status][0],
    );
  cell.getElement().style.setProperty("--part", exercise.max_score ? result.score / exercise.max_score : 1);
  cell.getElement().classList.add("tint");
  return h("span", { title: `${stem(exercise)}: ${result.score} of ${exercise.max_score}` }, result.score);
}

async function learnerTable(data) {
  const rows = data.learners.map((learner) => ({
    i: learner.i,
    learner,
    name: learner.name,
    score: learner.score ?? null,
    bonus: learner.bonus ?? null,
    ...Object.fromEntries(learner.results.map((result, e) => [`e${e}`, result?.score ?? null])),
  }));
  let current = null;
  const name = (cell) => {
    const { learner, i } = cell.getData();
    cell.getElement().setAttribute("role", "rowheader");
    return h(
      "span.learner",
      null,
      h(
        "button.plain",
        {
          type: "button",
          "data-i": i,
          tabindex: i === current ? 0 : -1,
          onclick: () => (location.hash = linkTo(learner.id)),
        },
        h("bdi", null, learner.name),
      ),
      learner.why.length > 0 &&
        h("span.review", { title: learner.why[0] }, " ◆", h("span.unseen", null, " needs review")),
      learner.name !== learner.id && h("small", null, h("bdi", null, learner.id)),
    );
  };
  const score = (cell) => h("strong", null, cell.getValue() ?? "not graded");
  const box = byId("learner-table");
  learners = await table(
    "learner-table",
    "Learners",
    [
      column("Learner", "name", { formatter: name, minWidth: 190, widthGrow: 6, frozen: true }),
      column("Score", "score", { number: true, formatter: score, minWidth: 66, widthGrow: 1.5 }),
      column("+", "bonus", { number: true, label: "bonus", minWidth: 34, widthGrow: 0.5 }),
      ...data.exercises.map((exercise, at) =>
        column(exercise.number, `e${at}`, {
          number: true,
          label: `${stem(exercise)}: ${exercise.title}, ${several(exercise.max_score, "point")}`,
          formatter: part,
          formatterParams: { exercise, at },
        }),
      ),
    ],
    rows,
    { variableHeight: false },
  );
  // one line of the table is in the tab order; the arrow keys choose which
  const button = (i) => box.querySelector(`button[data-i="${i}"]`);
  const choose = (i) => {
    for (const other of box.querySelectorAll('button[data-i][tabindex="0"]')) other.tabIndex = -1;
    current = i;
    if (button(i)) button(i).tabIndex = 0;
  };
  const ensure = () => button(current) || choose(Number(box.querySelector("button[data-i]")?.dataset.i));
  box.addEventListener("focusin", ({ target }) => target.dataset.i && choose(Number(target.dataset.i)));
  box.addEventListener("keydown", async (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || !event.target.dataset.i) return;
    event.preventDefault();
    const active = learners.getRows("active");
    const at = active.findIndex((row) => row.getData().i === Number(event.target.dataset.i));
    const row = active[Math.max(0, Math.min(active.length - 1, at + step))];
    await learners.scrollToRow(row, "nearest", false);
    choose(row.getData().i);
    button(current)?.focus({ preventScroll: rows.length > LONG_TABLE });
  });
  for (const happened of ["renderComplete", "scrollVertical", "dataSorted"]) learners.on(happened, ensure);
  ensure();
  const search = byId("search");
  const seek = () => {
    const text = sought(search.value);
    const asked = /^".*"$/.test(text) ? [text.slice(1, -1)] : text.split(" ").filter(Boolean);
    if (asked.length) learners.setFilter(({ learner }) => asked.every((word) => learner.haystack.includes(word)));
    else learners.clearFilter();
    byId("found").textContent = `${count(learners.getDataCount("active"))} of ${several(rows.length, "learner")}`;
    ensure();
  };
  search.addEventListener("input", seek);
  showOnly = (text) => {
    search.value = text.replace(/[\r\n]+/g, " ");
    seek();
    byId("learners").scrollIntoView();
    search.focus({ preventScroll: true });
  };
  seek();
}
