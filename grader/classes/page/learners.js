"use strict";

const MANY = 200; // of more rows, only those in view are laid out
/** @type {(label: string, those: Test) => void} */
let showOnly = () => {}; // a function that filters the table of learners by a label and a test
/** @type {() => void} */
let showAll = () => {}; // a function that ends such a filter

/**
 * Return how a result is drawn in the heat map: a class, the text in the cell, and words for it.
 * @type {(result: ClassResult | null, exercise: ClassExercise) => [step: string, text: string, words: string]}
 */
function heat(result, exercise) {
  if (!result) return ["missing", "–", say("heat.none")];
  if (result.status === "missing") return ["missing", "–", say("status.missing")];
  if (NOTHING.includes(result.status)) return [result.status, sign(result.status), say(`status.${result.status}`)];
  const part = exercise.max_score ? result.score / exercise.max_score : 1;
  const step = part >= 1 ? "full" : part >= 0.75 ? "most" : part >= 0.5 ? "half" : part > 0 ? "few" : "zero";
  return [step, String(result.score), say("heat.points", { score: result.score, most: exercise.max_score })];
}

// The classes of cells, with an example of the text in one
const HEAT = Object.entries({ zero: "0", few: "3", half: "5", most: "7", full: "8" });

/**
 * Return the columns before those of the exercises, as far as this class has something in them.
 * @type {(data: PreparedPage) => LearnerColumn[]}
 */
function firstColumns(data) {
  /** @type {(test: Test) => boolean} */
  const some = (test) => data.learners.some(test);
  /** @type {(name: "section" | "total" | "grade", width: string) => LearnerColumn} */
  const word = (name, width) => ({
    name,
    title: say(`column.${name}`),
    width,
    sort: (a, b) => texts(a[name]?.toString(), b[name]?.toString()),
    show: (learner) => learner[name] ?? "",
  });
  /** @type {(LearnerColumn | false)[]} */
  const every = [
    {
      name: "who",
      title: say("column.learner"),
      width: "minmax(9em, 17em)",
      sort: (a, b) => order(a.name, b.name),
      role: "rowheader",
      show: who,
    },
    some(({ section }) => Boolean(section)) && word("section", "5em"),
    some(({ submitted_at: at }) => Boolean(at)) && {
      name: "time",
      title: say("column.submitted"),
      width: "9em",
      sort: (a, b) => numbers(Date.parse(a.submitted_at ?? "") || 0, Date.parse(b.submitted_at ?? "") || 0),
      show: ({ submitted_at: at, late_s: late }) => [
        when(at),
        late !== undefined && late > 0 && h("strong.late", null, ` ${lateness(late)}`),
      ],
    },
    {
      name: "score",
      title: say("column.score"),
      width: "5.5em",
      down: true,
      sort: (a, b) => numbers(a.score, b.score) || numbers(a.bonus, b.bonus),
      show: ({ score, bonus, standing }) => [
        score === undefined ? h("small", null, standingOf(standing)) : h("strong", null, score),
        bonus ? h("small", { title: say("learner.bonus") }, ` +${bonus}`) : "",
      ],
    },
    some(hasOtherTotal) && {
      ...word("total", "3.5em"),
      down: true,
      sort: (a, b) => numbers(a.total, b.total),
    },
    some(({ grade }) => Boolean(grade)) && word("grade", "3.5em"),
  ];
  return every.filter((one) => one !== false);
}

/** @type {(standing: string | undefined) => string} */
const standingOf = (standing) => say(`standing.${standing === "absent" || standing === "excused" ? standing : "not_graded"}`);

/** @type {(learner: ClassLearner) => Child} */
function who(learner) {
  const open = { type: "button", "data-i": learner.i, tabindex: -1, onclick: () => (location.hash = linkTo(learner.id)) };
  return [
    h("button.plain", open, h("bdi", null, learner.name)),
    learner.why.length > 0 &&
      h("span.review", { title: learner.why[0] }, " ◆", h("span.unseen", null, say("learner.review"))),
    learner.name !== learner.id && h("small", null, " ", h("bdi", null, learner.id)),
    learner.standing === "excused" && learner.score !== undefined && h("small.late", null, say("learner.excused")),
  ];
}

/**
 * Make the table of learners, which is the heat map of the class too.
 * @type {(data: PreparedPage) => void}
 */
function learnerTable(data) {
  const columns = firstColumns(data);
  /** @type {SortedColumn[]} */
  const scored = data.exercises.map((exercise, at) => ({
    name: `e${at}`,
    title: exercise.number,
    label: say("column.exercise.about", {
      exercise: stem(exercise),
      title: exercise.title,
      points: say("count.points", { n: exercise.max_score }),
    }),
    sort: (a, b) => numbers(a.results[at]?.score, b.results[at]?.score),
  }));
  /** @type {(learner: ClassLearner, exercise: ClassExercise, at: number) => HTMLElement} */
  const cell = (learner, exercise, at) => {
    const [step, text] = heat(learner.results[at], exercise);
    return h(`span.heat.${step}`, { role: "gridcell", "data-e": at }, text);
  };
  /** @type {(learner: ClassLearner) => HTMLElement} */
  const row = (learner) =>
    h(
      "div.row",
      { role: "row" },
      columns.map(({ name, title, role = "gridcell", show }) =>
        h(`span.${name}`, { role, "data-label": title }, show(learner)),
      ),
      h("span.strip", { role: "none" }, data.exercises.map((exercise, at) => cell(learner, exercise, at))),
    );
  const rows = data.learners.map((learner) => Object.assign(row(learner), { learner }));
  /** @type {(one: SortedColumn) => HTMLElement} */
  const head = (one) =>
    h(
      `span.${one.name}`,
      { role: "columnheader" },
      h("button.sort", { type: "button", title: one.label, "aria-label": one.label, onclick: () => sort(one) }, one.title),
    );
  const heads = [...columns, ...scored].map(head);
  const body = h("div.rows", { role: "rowgroup" }, rows);
  const strip = heads.slice(columns.length);
  strip.forEach((one, at) => add(one, h("span.stem", { "aria-hidden": "true" }, data.exercises[at].id)));
  const box = byId("learner-table");
  fill(box,
    h(
      "div.grid",
      { role: "grid", "aria-label": say("table.learners"), "aria-rowcount": rows.length + 1 },
      h(
        "div.head",
        { role: "rowgroup" },
        h("div.row", { role: "row" }, heads.slice(0, columns.length), h("span.strip", { role: "none" }, strip)),
      ),
      body,
    ),
  );
  const grid = find(".grid", box);
  grid.style.setProperty("--exercises", String(data.exercises.length));
  grid.style.setProperty("--first", columns.map(({ width }) => width).join(" "));
  grid.classList.toggle("many", rows.length > MANY);
  fill(byId("heat-key"),
    ...[
      ...HEAT.map(([step, text]) => [step, text, say(`heat.${step}`)]),
      ...["missing", "not_started", "unreadable"].map((status) => [status, sign(status), say(`status.${status}`)]),
    ].map(([step, text, words]) => h("span.key", null, h(`span.heat.${step}`, { "aria-hidden": "true" }, text), words)),
  );

  let shown = rows;
  /** @type {(one: SortedColumn) => void} */
  function sort(one) {
    const all = [...columns, ...scored];
    const turn = sortedBy(heads, all.indexOf(one), one.down || one.name.startsWith("e"));
    rows.sort((a, b) => turn * one.sort(a.learner, b.learner));
    add(body, ...rows);
    filter();
    choose(shown[0]);
  }

  // what is shown
  const search = byId("search"),
    only = byId("only"),
    section = byId("section");
  /** @type {Test} */
  let test = () => true;
  function filter() {
    const text = sought(search.value);
    const asked = /^".*"$/.test(text) ? [text.slice(1, -1)] : text.split(" ").filter(Boolean);
    /** @type {Test} */
    const wanted = (learner) =>
      asked.every((word) => learner.haystack.includes(word)) &&
      (section.value === "" || learner.section === section.value) &&
      test(learner);
    for (const line of rows) line.hidden = !wanted(line.learner);
    shown = rows.filter((line) => !line.hidden);
    byId("found").textContent = say("count.shown", { shown: shown.length, n: rows.length });
    if (!current || !shown.includes(current)) choose(shown[0]);
  }
  const sections = [...new Set(data.learners.map((learner) => learner.section ?? "").filter(Boolean))].sort(order);
  fill(section,
    h("option", { value: "" }, say("section.all")),
    ...sections.map((name) => h("option", { value: name }, name)),
  );
  byId("section-choice").hidden = !sections.length;
  section.addEventListener("change", filter);
  search.addEventListener("input", filter);
  showAll = () => {
    test = () => true;
    only.hidden = true;
    filter();
  };
  only.addEventListener("click", () => {
    showAll();
    search.focus();
  });
  showOnly = (label, those) => {
    search.value = section.value = "";
    test = those;
    fill(only, h("span", null, plain(label)), h("span", null, "✕"), h("span.unseen", null, say("filter.clear")));
    only.hidden = false;
    filter();
    byId("learners").scrollIntoView();
    only.focus({ preventScroll: true });
  };

  // one row of the table is in the tab order; the arrow keys choose which
  /** @type {LearnerRow | undefined} */
  let current;
  /** @type {(line: LearnerRow | undefined) => HTMLElement | null | undefined} */
  const button = (line) => line?.querySelector("button[data-i]");
  /** @type {(line: LearnerRow | undefined) => void} */
  function choose(line) {
    const [before, after] = [button(current), button(line)];
    if (before) before.tabIndex = -1;
    current = line;
    if (after) after.tabIndex = 0;
  }
  /** @type {(event: Event) => LearnerRow} */
  const rowOf = (event) => /** @type {LearnerRow} */ (targetOf(event).closest(".row"));
  body.addEventListener("focusin", (event) => choose(rowOf(event)));
  body.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || !current || !targetOf(event).dataset.i) return;
    event.preventDefault();
    choose(shown[Math.max(0, Math.min(shown.length - 1, shown.indexOf(current) + step))]);
    button(current)?.focus({ preventScroll: true });
    current.scrollIntoView({ block: "nearest" });
  });
  // what a cell says, when it is asked: a title for each would slow a large class down
  body.addEventListener("pointerover", (event) => {
    const target = targetOf(event);
    if (target.dataset.e === undefined || target.title) return;
    const { learner } = rowOf(event);
    const at = Number(target.dataset.e);
    const exercise = data.exercises[at];
    const [, , points] = heat(learner.results[at], exercise);
    target.title = plain(say("heat.cell", { learner: learner.name, exercise: stem(exercise), points }));
  });
  body.addEventListener("click", (event) => {
    if (targetOf(event).dataset.e !== undefined) location.hash = linkTo(rowOf(event).learner.id);
  });
  dialogOrder = () => shown.map((line) => line.learner);
  filter();
}

/** @type {() => ClassLearner[]} */
let dialogOrder = () => []; // the learners that are shown in the table, in its order
