"use strict";

const texts = (a, b) => order(a ?? "", b ?? "");
const numbers = (a, b) => (a ?? -Infinity) - (b ?? -Infinity);

/** Describe a column: `show` makes the content of a cell from its row, `number` aligns and sorts it as a number. */
const column = (title, field, more = {}) => ({ title, field, show: (row) => row[field], ...more });

/** Fill an element with a table whose columns can be sorted by their headings. On a phone, each row is a card. */
function table(id, label, columns, rows) {
  const lines = new Map(
    rows.map((row) => [
      row,
      h(
        "tr",
        { role: "row" },
        columns.map(({ title, number, show }, at) =>
          h(`${at ? "td" : "th"}${number ? ".number" : ""}`, { role: at ? "cell" : "rowheader", "data-label": title }, show(row)),
        ),
      ),
    ]),
  );
  const body = h("tbody", { role: "rowgroup" }, [...lines.values()]);
  const heads = columns.map((one) =>
    h(
      `th${one.number ? ".number" : ""}`,
      { role: "columnheader", scope: "col" },
      h(
        "button.sort",
        {
          type: "button",
          title: one.label,
          "aria-label": one.label && `${one.title}: ${one.label}`,
          onclick: () => {
            const compare = one.compare ?? ((a, b) => (one.number ? numbers : texts)(a[one.field], b[one.field]));
            const turn = sortedBy(heads, columns.indexOf(one), one.number);
            body.append(...[...rows].sort((a, b) => turn * compare(a, b)).map((row) => lines.get(row)));
          },
        },
        one.title,
      ),
    ),
  );
  byId(id).replaceChildren(
    rows.length
      ? h(
          "table",
          { role: "table", "aria-label": label },
          h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)),
          body,
        )
      : h("p.about", null, "None."),
  );
  return { keep: (wanted) => lines.forEach((line, row) => (line.hidden = !wanted(row))) };
}

/** Note in the headings by which column a table is sorted now. Return 1 for ascending, -1 for descending. */
function sortedBy(heads, at, downFirst) {
  const before = heads[at].getAttribute("aria-sort");
  const down = before ? before === "ascending" : Boolean(downFirst);
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[at].setAttribute("aria-sort", down ? "descending" : "ascending");
  return down ? -1 : 1;
}

function bar(part, shown) {
  const fill = h("span.fill");
  fill.style.setProperty("--part", part);
  return h("span.bar", null, h("span.track", { "aria-hidden": "true" }, fill), h("span.figure", null, shown));
}

/** Return a bar that is divided as learners are: everything passed, a part of it, nothing, and not there. */
function divided(counts) {
  const parts = Object.entries(counts).map(([name, n]) => {
    const made = h(`span.${name}`);
    made.style.setProperty("flex-grow", n);
    return made;
  });
  return h("span.divided", { "aria-hidden": "true" }, parts);
}

function exerciseTable(data) {
  const rows = data.exercises.map((exercise) => ({
    ...exercise,
    name: stem(exercise),
    part: exercise.max_score ? exercise.mean / exercise.max_score : 0,
    nothing: NOTHING.reduce((sum, status) => sum + (exercise.statuses[status] ?? 0), 0),
    ...Object.fromEntries(["passed", "partial", "failed"].map((status) => [status, exercise.statuses[status] ?? 0])),
  }));
  const name = (row) => [row.name, divided({ passed: row.passed, partial: row.partial, failed: row.failed, nothing: row.nothing })];
  table(
    "exercise-table",
    "Exercises",
    [
      column("Exercise", "name", { show: name }),
      column("Mean", "part", { number: true, show: (row) => `${row.mean.toFixed(1)}/${row.max_score}` }),
      column("All", "passed", { number: true, label: "everything passed" }),
      column("Part", "partial", { number: true, label: "a part passed" }),
      column("None", "failed", { number: true, label: "nothing passed" }),
      column("Missing", "nothing", { number: true, label: "not started, missing or unreadable" }),
    ],
    rows,
  );
}

function checkTable(data) {
  const rows = data.exercises.flatMap((exercise, e) =>
    exercise.checks.map((check, c) => ({ ...check, at: e * 1000 + c, exercise: stem(exercise) })),
  );
  const title = ({ title: words, bonus, hidden }) => [words, bonus && h("small", null, " bonus"), hidden && h("small", null, " hidden")];
  const made = table(
    "check-table",
    "Checks",
    [
      column("Exercise", "exercise", { compare: (a, b) => a.at - b.at }),
      column("Check", "title", { show: title }),
      column("Points", "max_score", {
        number: true,
        show: ({ bonus, max_score: most }) => most !== undefined && `${bonus ? "+" : ""}${most}`,
      }),
      column("Pass rate", "rate", { number: true, show: ({ rate }) => bar(rate, `${(100 * rate).toFixed(0)} %`) }),
      column("Discrimination", "discrimination", {
        number: true,
        show: ({ discrimination: found }) => (found === null ? "–" : found.toFixed(2).replace("-", "−")),
      }),
      column("Note", "note", {
        show: ({ note }) => note && h("span.noted", null, h("span", { "aria-hidden": "true" }, "◆ "), note),
      }),
    ],
    rows,
  );
  byId("noted").addEventListener("change", ({ target }) => made.keep((row) => !target.checked || row.note !== ""));
}

function misconceptionList(data) {
  const groups = new Map();
  for (const found of data.misconceptions) groups.set(found.exercise, [...(groups.get(found.exercise) ?? []), found]);
  const about = (found) => {
    const key = mistakeKey(found.exercise, found.id);
    const those = () => showOnly(`${found.exercise}: ${found.title}`, (learner) => learner.mistakes.has(key));
    const words = `${several(found.count, "learner")}, ${percent(found.count, data.graded)}`;
    return h(
      "li",
      null,
      h(
        "details",
        null,
        h("summary", null, prose(found.title)),
        h("p", null, prose(found.explanation)),
        h("p", null, "For example: ", learnerLink(data, found.example)),
      ),
      bar(
        found.count / data.graded,
        h("button.plain", { type: "button", title: "Show these learners", onclick: those }, words, h("span.unseen", null, ": show them")),
      ),
    );
  };
  byId("misconception-list").replaceChildren(
    ...(groups.size ? [] : [h("p.about", null, "None.")]),
    ...data.exercises
      .filter(({ id }) => groups.has(id))
      .map((exercise) =>
        h("div.group", null, h("h3", null, stem(exercise)), h("ul", null, groups.get(exercise.id).map(about))),
      ),
  );
}

function reviewTable(data) {
  const list = (lines) => (lines.length > 1 ? h("ul", null, lines.map((line) => h("li", null, line))) : lines[0]);
  const decide = ({ reviews }) =>
    list(reviews.map(([, question, command]) => [question, command && [" ", h("code", null, command)]]));
  table(
    "review-table",
    "Needs review",
    [
      column("Learner", "name", { show: ({ id }) => learnerLink(data, id) }),
      column("Why", "why", { show: ({ why }) => list(why), compare: (a, b) => texts(a.why[0], b.why[0]) }),
      column("To decide", "reviews", { show: decide, compare: (a, b) => texts(a.reviews[0][1], b.reviews[0][1]) }),
    ],
    data.learners.filter((learner) => learner.why.length),
  );
}

function borderTable(data) {
  const gap = ({ distance }) => (distance === 0 ? "on it" : distance > 0 ? `${distance} short` : `${-distance} above`);
  table(
    "border-table",
    "One check from a grade’s border",
    [
      column("Learner", "name", { show: ({ id, name }) => learnerLink(data, id, name) }),
      column("Total", "total", { number: true }),
      column("Grade", "grade"),
      column("From", "border", { number: true, label: "the points where the grade begins" }),
      column("Distance", "distance", { number: true, show: gap }),
      column("Check", "check"),
    ],
    data.borders,
  );
}

/** Show what differs from an earlier run; without one, take the section away. */
function changeTable(data) {
  if (!data.changes) {
    byId("changes").remove();
    document.querySelector('nav a[href="#changes"]').remove();
    return;
  }
  const { since, learners } = data.changes;
  const by = ({ before, after }) => (before === undefined || after === undefined ? undefined : after - before);
  byId("changes").querySelector(".about").textContent = plain(`Compared with ${since}.`);
  table(
    "change-table",
    "Changes since the earlier run",
    [
      column("Learner", "name", { show: ({ id, name }) => learnerLink(data, id, name) }),
      column("Before", "before", { number: true, show: ({ before }) => before ?? "–" }),
      column("Now", "after", { number: true, show: ({ after }) => after ?? "–" }),
      column("Change", "by", { number: true, show: ({ by }) => signed(by) }),
      column("Because", "why", {
        show: ({ why = [] }) => h("ul", null, why.map((line) => h("li", null, line))),
        compare: () => 0,
      }),
    ],
    learners.map((learner) => ({ ...learner, name: learner.name ?? learner.id, by: by(learner) })),
  );
}

const signed = (n) => (n === undefined ? "–" : n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "0");
