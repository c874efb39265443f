"use strict";

/** @type {(a: string | undefined, b: string | undefined) => number} */
const texts = (a, b) => order(a ?? "", b ?? "");
/** @type {(a: number | undefined, b: number | undefined) => number} */
const numbers = (a, b) => (a ?? -Infinity) - (b ?? -Infinity);

/**
 * Describe a column by the key of its title: `show` makes the content of a cell, `number` sorts it as a number.
 * @template {object} R
 * @param {string} key
 * @param {string} field
 * @param {Partial<Column<R>>} more
 * @returns {Column<R>}
 */
const column = (key, field, more = {}) => ({
  title: say(`column.${key}`),
  label: WORDS[`column.${key}.about`],
  field,
  show: (row) => /** @type {any} */ (row)[field],
  ...more,
});

/**
 * Fill an element with a table whose columns can be sorted by their headings. On a phone, each row is a card.
 * @template {object} R
 * @param {string} id
 * @param {string} key
 * @param {R[]} rows
 * @param {Column<NoInfer<R>>[]} columns
 */
function table(id, key, rows, columns) {
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
          "aria-label": one.label && say("column.about", { title: one.title, about: one.label }),
          onclick: () => {
            /** @type {(a: any, b: any) => number} */
            const compare = one.compare ?? ((a, b) => (one.number ? numbers : texts)(a[one.field], b[one.field]));
            const turn = sortedBy(heads, columns.indexOf(one), one.number);
            add(body, ...[...rows].sort((a, b) => turn * compare(a, b)).map((row) => lines.get(row)));
          },
        },
        one.title,
      ),
    ),
  );
  fill(byId(id),
    rows.length
      ? h(
          "table",
          { role: "table", "aria-label": say(`table.${key}`) },
          h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)),
          body,
        )
      : h("p.about", null, say("table.none")),
  );
  return { keep: (/** @type {(row: R) => boolean} */ wanted) => lines.forEach((line, row) => (line.hidden = !wanted(row))) };
}

/**
 * Note in the headings by which column a table is sorted now. Return 1 for ascending, -1 for descending.
 * @type {(heads: HTMLElement[], at: number, downFirst: boolean | undefined) => 1 | -1}
 */
function sortedBy(heads, at, downFirst) {
  const before = heads[at].getAttribute("aria-sort");
  const down = before ? before === "ascending" : Boolean(downFirst);
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[at].setAttribute("aria-sort", down ? "descending" : "ascending");
  return down ? -1 : 1;
}

/** @type {(part: number, shown: Child) => HTMLElement} */
function bar(part, shown) {
  const filled = h("span.fill");
  filled.style.setProperty("--part", String(part));
  return h("span.bar", null, h("span.track", { "aria-hidden": "true" }, filled), h("span.figure", null, shown));
}

/**
 * Return a bar that is divided as learners are: everything passed, a part of it, nothing, and not there.
 * @type {(counts: Record<string, number>) => HTMLElement}
 */
function divided(counts) {
  const parts = Object.entries(counts).map(([name, n]) => {
    const made = h(`span.${name}`);
    made.style.setProperty("flex-grow", String(n));
    return made;
  });
  return h("span.divided", { "aria-hidden": "true" }, parts);
}

/** @type {(data: PreparedPage) => void} */
function exerciseTable(data) {
  const rows = data.exercises.map((exercise) => ({
    ...exercise,
    name: stem(exercise),
    part: exercise.max_score ? exercise.mean / exercise.max_score : 0,
    nothing: NOTHING.reduce((sum, status) => sum + (exercise.statuses[status] ?? 0), 0),
    passed: exercise.statuses.passed ?? 0,
    partial: exercise.statuses.partial ?? 0,
    failed: exercise.statuses.failed ?? 0,
  }));
  /** @type {(row: (typeof rows)[number]) => Child} */
  const name = (row) => [row.name, divided({ passed: row.passed, partial: row.partial, failed: row.failed, nothing: row.nothing })];
  table(
    "exercise-table",
    "exercises",
    rows,
    [
      column("exercise", "name", { show: name, label: undefined }),
      column("mean", "part", { number: true, show: (row) => (untried(row) ? say("exercise.no_mean") : `${row.mean.toFixed(1)}/${row.max_score}`) }),
      column("all", "passed", { number: true }),
      column("part", "partial", { number: true }),
      column("none", "failed", { number: true }),
      column("missing", "nothing", { number: true }),
    ],
  );
}

/** @type {(data: PreparedPage) => void} */
function checkTable(data) {
  const rows = data.exercises.flatMap((exercise, e) =>
    exercise.checks.map((check, c) => ({ ...check, at: e * 1000 + c, exercise: stem(exercise) })),
  );
  /** @type {(key: string) => HTMLElement} */
  const about = (key) => h("small", null, say(key));
  /** @type {(check: ClassCheck) => Child} */
  const title = ({ title: words, bonus, hidden }) => [words, bonus && about("check.bonus"), hidden && about("check.hidden")];
  const made = table(
    "check-table",
    "checks",
    rows,
    [
      column("exercise", "exercise", { compare: (a, b) => a.at - b.at, label: undefined }),
      column("check", "title", { show: title }),
      column("points", "max_score", {
        number: true,
        show: ({ bonus, max_score: most }) => most !== undefined && `${bonus ? "+" : ""}${most}`,
      }),
      column("rate", "rate", { number: true, show: ({ rate }) => bar(rate, percent(rate, 1)) }),
      column("discrimination", "discrimination", {
        number: true,
        show: ({ discrimination: found }) => (found === null ? "–" : found.toFixed(2).replace("-", "−")),
      }),
      column("note", "note", {
        show: ({ note }) => note && h("span.noted", null, h("span", { "aria-hidden": "true" }, "◆ "), note),
      }),
    ],
  );
  byId("noted").addEventListener("change", ({ target }) => {
    const { checked } = /** @type {HTMLInputElement} */ (target);
    made.keep((row) => !checked || row.note !== "");
  });
}

/**
 * List the misconceptions of the learners that are shown, by exercise, the most frequent first.
 * @type {(data: PreparedPage) => void}
 */
function misconceptionList(data) {
  const whole = data.learners.filter((learner) => learner.score !== undefined).length;
  /** @type {Map<string, Found[]>} */
  const groups = new Map();
  for (const found of data.misconceptions) {
    const key = mistakeKey(found.exercise, found.id);
    /** @type {Test} */
    const has = (learner) => learner.mistakes.has(key);
    const n = data.learners.filter(has).length; // none where only an attempt has it that does not count
    if (n) groups.set(found.exercise, [...(groups.get(found.exercise) ?? []), { ...found, has, n }]);
  }
  /** @type {(found: Found) => HTMLElement} */
  const about = ({ has, n, ...found }) => {
    const those = () => showOnly(say("filter.misconception", found), has);
    const words = say("misconception.count", { learners: say("count.learners", { n }), percent: percent(n, whole) });
    return h(
      "li",
      null,
      h(
        "details",
        null,
        h("summary", null, prose(found.title)),
        h("p", null, prose(found.explanation)),
        h("p", null, say("misconception.example"), learnerLink(data, data.learners.find(has)?.id ?? "")),
      ),
      bar(
        n / whole,
        h(
          "button.plain",
          { type: "button", title: say("misconception.show"), onclick: those },
          words,
          h("span.unseen", null, say("misconception.show.unseen")),
        ),
      ),
    );
  };
  fill(byId("misconception-list"),
    ...(groups.size ? [] : [h("p.about", null, say("table.none"))]),
    ...data.exercises
      .filter(({ id }) => groups.has(id))
      .map((exercise) => {
        const found = (groups.get(exercise.id) ?? []).sort((a, b) => b.n - a.n);
        return h("div.group", null, h("h3", null, stem(exercise)), h("ul", null, found.map(about)));
      }),
  );
}

/** @type {(data: PreparedPage) => void} */
function reviewTable(data) {
  /** @type {(lines: Child[]) => Child} */
  const list = (lines) => (lines.length > 1 ? h("ul", null, lines.map((line) => h("li", null, line))) : lines[0]);
  /** @type {(learner: ClassLearner) => Child} */
  const decide = ({ reviews }) =>
    list(
      reviews.map(([, question, command, keep, again]) => [
        question,
        command && [" ", h("code", null, command)],
        keep && [" ", say("review.keep"), " ", h("code", null, keep)],
        again && [" ", say("review.again"), " ", h("code", null, again)],
      ]),
    );
  table(
    "review-table",
    "review",
    data.learners.filter((learner) => learner.why.length),
    [
      column("learner", "name", { show: ({ id }) => learnerLink(data, id) }),
      column("why", "why", { show: ({ why }) => list(why), compare: (a, b) => texts(a.why[0], b.why[0]) }),
      column("to_decide", "reviews", { show: decide, compare: (a, b) => texts(a.reviews[0][1], b.reviews[0][1]) }),
    ],
  );
  const commands = data.close_all.map((command) => h("li", null, h("code", null, command)));
  if (commands.length) add(byId("review-table"), h("p.about", null, say("review.all")), h("ul", null, commands));
}

/**
 * Keep the nearest boundary of each learner, so that the table lists each learner once.
 * @type {(borders: Border[]) => Border[]}
 */
function nearest(borders) {
  const found = new Map();
  for (const one of borders) {
    const before = found.get(one.id);
    if (!before || Math.abs(one.distance) < Math.abs(before.distance)) found.set(one.id, one);
  }
  return [...found.values()];
}

/** @type {(data: PreparedPage) => void} */
function borderTable(data) {
  /** @type {(border: Border) => string} */
  const gap = ({ distance: points }) =>
    points === 0 ? say("border.on") : points > 0 ? say("border.short", { points }) : say("border.above", { points: -points });
  table(
    "border-table",
    "borders",
    nearest(data.borders),
    [
      column("learner", "name", { show: ({ id, name }) => learnerLink(data, id, name) }),
      column("graded", "total", { number: true }),
      column("grade", "own"),
      column("border", "border", { number: true, show: (row) => say("border.from", row) }),
      column("distance", "distance", { number: true, show: gap }),
      column("check", "check"),
    ],
  );
}

/**
 * Show what differs from an earlier run; without one, take the section away.
 * @type {(data: PreparedPage) => void}
 */
function changeTable(data) {
  if (!data.changes) {
    byId("changes").remove();
    find('nav a[href="#changes"]').remove();
    return;
  }
  const { since, learners } = data.changes;
  /** @type {(change: LearnerChange) => number | undefined} */
  const by = ({ before, after }) => (before === undefined || after === undefined ? undefined : after - before);
  find(".about", byId("changes")).textContent = plain(say("changes.since", { run: since }));
  table(
    "change-table",
    "changes",
    learners.map((learner) => ({ ...learner, name: learner.name ?? learner.id, by: by(learner) })),
    [
      column("learner", "name", { show: ({ id, name }) => learnerLink(data, id, name) }),
      column("before", "before", { number: true, show: ({ before }) => before ?? "–" }),
      column("now", "after", { number: true, show: ({ after }) => after ?? "–" }),
      column("change", "by", { number: true, show: ({ by }) => signed(by) }),
      column("because", "why", {
        show: ({ why = [] }) => h("ul", null, why.map((line) => h("li", null, line))),
        compare: () => 0,
      }),
    ],
  );
}

/** @type {(n: number | undefined) => string} */
const signed = (n) => (n === undefined ? "–" : n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "0");
