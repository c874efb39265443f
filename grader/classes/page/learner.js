"use strict";

/**
 * Return the elements that show one learner's report.
 * @type {(data: PreparedPage, learner: ClassLearner) => Child[]}
 */
function describe(data, learner) {
  const people = (learner.people ?? []).map((person) => person.filter(Boolean).join(", "));
  const time = when(learner.submitted_at);
  const late = learner.late_s ?? 0;
  /** @type {[string, string | false | undefined][]} */
  const every = [
    ["people", people.join("; ")],
    ["section", learner.section],
    ["group", learner.group],
    ["id", [...new Set([learner.id, learner.submission])].filter((id) => id !== learner.name).join(", ")],
    ["others", (learner.others ?? []).join(", ")],
    ["source", [learner.id, learner.submission].some((id) => id === learner.origin) ? "" : learner.origin],
    ["submitted", time && late > 0 ? say("fact.submitted.late", { time, late: lateness(late) }) : time],
    ["due", when(learner.due)],
    ["penalty", learner.penalty ? say("count.points", { n: learner.penalty }) : ""],
    ["total", hasOtherTotal(learner) && String(learner.total)],
    ["grade", learner.grade],
    ["comment", learner.comment],
    ["commit", learner.commit],
  ];
  const facts = every.filter(([, value]) => value);
  const decisions = learner.decisions ?? [];
  const notes = (learner.notes ?? []).filter((note) => !learner.why.includes(note));
  /** @type {(lines: string[]) => HTMLElement} */
  const list = (lines) => h("ul", null, lines.map((line) => h("li", null, line)));
  return [
    facts.length > 0 &&
      h("dl", null, facts.map(([key, value]) => h("div", null, h("dt", null, say(`fact.${key}`)), h("dd", null, linesOf(value || ""))))),
    learner.why.length > 0 && h("div.why", null, h("h3", null, say("learner.needs_review")), list(learner.why)),
    decisions.length > 0 && h("div.why", null, h("h3", null, say("learner.decisions")), list(decisions)),
    notes.length > 0 && list(notes),
    learner.score !== undefined &&
      data.exercises.map((exercise, at) => exerciseOf(data, exercise, learner.results[at], codeOf(data, learner, at))),
  ];
}

/** @type {(text: string) => HTMLElement[]} */
const linesOf = (text) => text.split(/\r?\n/).map((line) => h("div", null, h("bdi", null, line)));

/** @type {Map<number, string[][]>} */
const unpacked = new Map();

/**
 * Return the code that a learner submitted for an exercise; empty if it is not known.
 * @type {(data: PreparedPage, learner: ClassLearner, at: number) => string}
 */
function codeOf(data, { code }, at) {
  if (!code) return "";
  const [number, place] = code;
  const known = unpacked.get(number) ?? unpack(`more-${number}`);
  unpacked.set(number, known);
  return known[at][place];
}

/** @type {(data: PreparedPage, exercise: ClassExercise, result: ClassResult | null, code: string) => HTMLElement} */
function exerciseOf(data, exercise, result, code) {
  const points = result ? `${result.score}/${exercise.max_score}${result.bonus ? ` +${result.bonus}` : ""}` : "";
  const title = h("h3", null, h("span.number", null, exercise.number), ` ${exercise.title} `, h("small", null, exercise.id));
  const line = h("summary", null, title, result ? badge(result.status) : say("exercise.none"), h("span.points", null, points));
  const details = (result?.checks ?? []).map((at) => (at ? data.details[at - 1] : null));
  const checks = details.map((detail, c) => checkOf(data, exercise.checks[c], detail));
  const open = result && result.status !== "passed" && !["missing", "not_started"].includes(result.status);
  return h(
    "details.exercise",
    { open: open || undefined },
    line,
    h(
      code ? "div.beside" : "div",
      null,
      h(
        "div.results",
        null,
        result?.message !== undefined && block(data.texts[result.message]),
        result?.facts && h("ul.facts", null, result.facts.map(([at]) => h("li", null, prose(data.texts[at])))),
        reasonsOf(data, exercise, details),
        h("ul.checks", null, checks),
      ),
      code
        ? listing(result?.file, code, marksOf(exercise, result, details))
        : result?.file !== undefined && h("p.file", null, h("bdi", null, result.file)),
    ),
  );
}

/**
 * Return each misconception and each hint of an exercise once, with the checks that it is about.
 * @type {(data: PreparedPage, exercise: ClassExercise, details: (Detail | null)[]) => Child[]}
 */
function reasonsOf(data, exercise, details) {
  /** @type {Map<number, string[]>} */
  const why = new Map();
  /** @type {Map<number, string[]>} */
  const hints = new Map();
  details.forEach((detail, c) => {
    const title = exercise.checks[c]?.title ?? "";
    if (detail?.diagnosis !== undefined) why.set(detail.diagnosis, [...(why.get(detail.diagnosis) ?? []), title]);
    if (detail?.hint !== undefined) hints.set(detail.hint, [...(hints.get(detail.hint) ?? []), title]);
  });
  /** @type {(titles: string[]) => HTMLElement} */
  const about = (titles) => h("small", null, `(${titles.join("; ")})`);
  return [
    [...why].map(([at, titles]) => {
      const [, title, explanation] = data.diagnoses[at];
      const [head, text] = [title, explanation].map((place) => prose(place === null ? "" : data.texts[place]));
      return h("div.mistake", null, h("p.title", null, head), h("p", null, text, " ", about(titles)));
    }),
    hints.size > 0 &&
      h(
        "details.hints",
        null,
        h("summary", null, say("count.hints", { n: hints.size })),
        [...hints].map(([at, titles]) => h("div", null, h("p", null, prose(data.texts[at]), " ", about(titles)))),
      ),
  ];
}

const ENDS = 20; // lines that are marked at each end of a rule that is longer than twice as many
const MOST = 2000; // lines that are shown of a longer file, besides those around marked lines
const AROUND = 8;

/**
 * Return the notes on lines of code: what failed there.
 * @type {(exercise: ClassExercise, result: ClassResult | null, details: (Detail | null)[]) => Marks}
 */
function marksOf(exercise, result, details) {
  /** @type {Marks} */
  const marks = new Map();
  for (const [, first = 1, last = 0] of result?.facts ?? [])
    for (let line = first; line <= last; line += 1) {
      if (line === first + ENDS) line = Math.max(line, last - ENDS + 1);
      marks.set(line, []);
    }
  details.forEach((detail, c) => {
    if (detail?.line) marks.set(detail.line, [...(marks.get(detail.line) ?? []), exercise.checks[c]?.title ?? ""]);
  });
  return marks;
}

/**
 * Show code with numbered lines. `marks` holds, for each marked line, the titles of the checks that failed there.
 * @type {(file: string | undefined, code: string, marks: Marks) => HTMLElement}
 */
function listing(file, code, marks) {
  const lines = code.replace(/\n$/, "").split("\n");
  /** @type {Span[]} */
  const parts = partsOf(lines.length, marks);
  /** @type {HTMLElement[]} */
  const shown = [];
  for (const [first, last] of parts) {
    if (first > 1) shown.push(h("span.line", { "data-n": "" }, "⋯"));
    for (let n = first; n <= last; n += 1) {
      const failed = marks.get(n);
      const note = failed !== undefined && failed.length > 0 && h("span.failed-here", null, `✗ ${failed.join("; ")}`);
      shown.push(h(failed ? "span.line.hit" : "span.line", { "data-n": n }, lines[n - 1] || " ", note));
    }
  }
  if (parts[parts.length - 1][1] < lines.length) shown.push(h("span.line", { "data-n": "" }, "⋯"));
  const name = file === undefined ? say("code.unnamed") : say("code.name", { file });
  return h(
    "figure.code",
    null,
    h("figcaption", null, h("bdi", null, file ?? say("code.file")), marks.size ? h("small", null, spans([...marks.keys()])) : ""),
    h("pre.listing", { tabindex: 0, role: "region", "aria-label": name }, h("code", null, shown)),
  );
}

/**
 * Return the first and last lines of the parts of a file to show: its beginning, and what is around marked lines.
 * @type {(count: number, marks: Marks) => Span[]}
 */
function partsOf(count, marks) {
  /** @type {Span[]} */
  /** @type {Span[]} */
  const around = [...marks.keys()].map((n) => [Math.max(1, n - AROUND), Math.min(count, n + AROUND)]);
  return joined([[1, Math.min(count, MOST)], ...around.filter(([first]) => first <= count)]);
}

/**
 * Return ranges of lines in order, with one in place of those that touch.
 * @type {(ranges: Span[]) => Span[]}
 */
function joined(ranges) {
  /** @type {Span[]} */
  const parts = [];
  for (const [first, last] of ranges.sort((a, b) => a[0] - b[0])) {
    const part = parts.at(-1);
    if (part && first <= part[1] + 1) part[1] = Math.max(part[1], last);
    else parts.push([first, last]);
  }
  return parts;
}

/** @type {(lines: number[]) => string} */
function spans(lines) {
  const words = joined(lines.map((line) => [line, line])).map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  return say("code.marked", { n: lines.length, lines: words.join(", ") });
}

/** @type {(data: PreparedPage, check: ClassCheck | undefined, detail: Detail | null) => HTMLElement} */
function checkOf(data, check, detail) {
  const status = detail?.status ?? "passed";
  const most = check?.max_score ?? 0;
  const points = check?.bonus ? `+${detail?.score ?? most}` : `${detail?.score ?? most}/${most}`;
  const { program, message, output, line, decided } = detail ?? {};
  return h(
    `li.check.${status}`,
    null,
    h(
      "p",
      null,
      badge(status),
      h("span.title", null, check?.title ?? say("check.unknown"), line && h("small", null, say("check.line", { line: String(line) }))),
      h("span.points", null, points),
    ),
    detail &&
      h(
        "div.detail",
        null,
        decided !== undefined && h("p", null, data.texts[decided]),
        program !== undefined && block(data.texts[program]),
        detail.compared && compared(detail.compared),
        message !== undefined && block(data.texts[message]),
        output !== undefined && h("dl", null, h("dt", null, say("check.printed")), h("dd", null, block(data.texts[output]))),
      ),
  );
}

/** @type {(rows: NonNullable<Detail["compared"]>) => HTMLElement} */
function compared(rows) {
  const head = [h("td"), ...["check.yours", "check.expected"].map((key) => h("th", { scope: "col" }, say(key)))];
  /** @type {(row: NonNullable<Detail["compared"]>[number]) => HTMLElement} */
  const line = ([label, yours, right, word]) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, label),
      h("td", null, yours),
      h("td", null, word && h("small", null, say("check.example")), right),
    );
  return h("table", null, h("thead", null, h("tr", null, head)), h("tbody", null, rows.map(line)));
}

/**
 * Open the dialog when the address ends in `#learner=ID`, so that links to a learner work.
 * @type {(data: PreparedPage) => void}
 */
function followAddress(data) {
  const dialog = byId("learner");
  const close = () => dialog.close();
  /** @type {(id: string) => void} */
  const go = (id) => {
    history.replaceState(null, "", linkTo(id));
    show();
  };
  /** @type {ClassLearner | undefined} */
  let opened;
  /** @type {(words: string, by: number) => HTMLElement} */
  function walk(words, by) {
    const all = dialogOrder();
    const at = all.findIndex((learner) => learner === opened);
    const next = at < 0 ? undefined : all[at + by];
    const onclick = () => {
      if (next) go(next.id);
      focusAfter(words);
    };
    return h("button", { type: "button", disabled: !next || undefined, onclick }, words);
  }
  /** @type {(words: string) => void} */
  function focusAfter(words) {
    /** @type {NodeListOf<HTMLElement>} */
    const all = dialog.querySelectorAll(".bar button:not([disabled])");
    const buttons = [...all];
    (buttons.find((button) => button.textContent === words) ?? buttons[buttons.length - 1]).focus();
  }
  /** @type {(data: PreparedPage, learner: ClassLearner, part: Part) => string} */
  const pointsOf = (data, learner, { title, exercises, max_score: most }) => {
    const own = learner.results.filter((_, at) => exercises.includes(data.exercises[at].id));
    return say("learner.part", { title, most, score: own.reduce((sum, result) => sum + (result?.score ?? 0), 0) });
  };
  function show() {
    const asked = location.hash.match(/^#learner=(.*)$/s);
    const at = asked && data.index.get(decoded(asked[1]));
    if (at === null || at === undefined) return dialog.open && dialog.close();
    const learner = data.learners[at];
    opened = learner;
    const score =
      learner.score === undefined
        ? standingOf(learner.standing)
        : say(learner.bonus ? "learner.score.bonus" : "learner.score", { ...learner, most: data.max_score }) +
          (learner.standing === "excused" ? `,${say("learner.excused")}` : "");
    fill(dialog,
      h(
        "div.bar",
        null,
        walk(say("dialog.previous"), -1),
        walk(say("dialog.next"), 1),
        h("button.close", { type: "button", onclick: close }, say("dialog.close")),
      ),
      h("h2", { id: "learner-name" }, h("bdi", null, learner.name)),
      h("p.score", null, score),
      learner.score !== undefined && data.parts?.map((part) => h("p", null, pointsOf(data, learner, part))),
      describe(data, learner),
    );
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    for (const code of dialog.querySelectorAll(".listing")) {
      /** @type {HTMLElement | null} */
      const first = code.querySelector(".hit");
      if (first) code.scrollTop = first.offsetTop - code.clientHeight / 3;
    }
    return undefined;
  }
  dialog.addEventListener("close", () => {
    if (location.hash.startsWith("#learner=")) history.replaceState(null, "", "#learners");
    fill(dialog);
  });
  dialog.addEventListener("click", (event) => event.target === dialog && close()); // a click outside the dialog
  window.addEventListener("hashchange", show);
  show();
}
