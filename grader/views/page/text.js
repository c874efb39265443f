"use strict";

const STATUS = {
  passed: ["✓", "passed"],
  partial: ["◐", "partial"],
  failed: ["✗", "failed"],
  error: ["✗", "error"],
  timeout: ["✗", "timeout"],
  crashed: ["✗", "crashed"],
  skipped: ["–", "skipped"],
  missing: ["–", "missing"],
  not_started: ["○", "not started"],
  unreadable: ["!", "unreadable"],
};
const NOTHING = ["not_started", "missing", "unreadable"];
const order = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;
const badge = (status) =>
  h(`span.status.${status}`, null, h("span.mark", { "aria-hidden": "true" }, STATUS[status][0]), ` ${STATUS[status][1]}`);
const percent = (part, whole) => `${whole ? Math.round((100 * part) / whole) : 0} %`;
const stem = (exercise) => `${exercise.number} ${exercise.id}`;
const linkTo = (id) => `#learner=${encodeURIComponent(id)}`;

/** Return a text with its `code` as elements. */
const prose = (text) => text.split("`").map((words, at) => (at % 2 ? h("code", null, words) : words));

// Letters that Unicode does not decompose into a letter and an accent
const LETTERS = { ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ß: "ss", æ: "ae", œ: "oe", ı: "i", ħ: "h" };

/** Return a text in the form that is searched: without case and accents, with single spaces. */
function sought(text) {
  const low = plain(text.replace(/[ \t\r\n]+/g, " ").trim()).toLowerCase();
  return low
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\0-\x7f]/g, (c) => LETTERS[c] ?? c);
}

/** Return a time in ISO 8601 as date and time of day, in its own time zone; other words as they are. */
function when(time) {
  const found = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)/.exec(time ?? "");
  return found ? `${found[1]} ${found[2]}` : (time ?? "");
}

/** Return how late a submission is, in its two largest units. */
function lateness(seconds) {
  const parts = [
    [Math.floor(seconds / 86400), "d"],
    [Math.floor((seconds % 86400) / 3600), "h"],
    [Math.ceil((seconds % 3600) / 60), "min"],
  ].filter(([n]) => n);
  return parts.slice(0, 2).map(([n, unit]) => `${n} ${unit}`).join(" ");
}

/**
 * Make one learner of each row of the final table, and add the fields that are looked up often.
 * `i` is the learner's index, `submission` the id of the submission, which several learners may share.
 */
function prepare(data) {
  const reviews = new Map(Object.entries(data.reviews));
  data.learners = data.learners.flatMap(({ rows, ...learner }) =>
    (rows ?? [{}]).map((row) => ({ ...learner, ...row, submission: learner.id })),
  );
  data.index = new Map();
  data.learners.forEach((learner, i) => {
    for (const id of [learner.submission, learner.id]) if (!data.index.has(id)) data.index.set(id, i);
    learner.i = i;
    learner.reviews = [...new Set([learner.submission, learner.id])].flatMap((id) => reviews.get(id) ?? []);
    learner.why = learner.reviews.map(([why]) => why);
    learner.name ??= (learner.people ?? []).map(([name]) => name).join(", ") || learner.id;
    learner.results = (learner.results ?? data.exercises.map(() => null)).map((at) => data.results[at] ?? null);
    learner.absent =
      learner.standing !== "excused" && learner.results.every((result) => !result || result.status === "missing");
    learner.mistakes = new Set(); // exercise and id of each misconception
    const said = [];
    learner.results.forEach((result, e) => {
      for (const at of new Set(diagnosesOf(data, result))) {
        const [id, title] = data.diagnoses[at];
        learner.mistakes.add(mistakeKey(data.exercises[e].id, id));
        said.push(`${data.exercises[e].id}: ${data.texts[title] ?? ""}`);
      }
    });
    const words = [learner.name, learner.id, learner.submission, learner.origin, learner.section, learner.group];
    words.push(...(learner.people ?? []).flat(), ...learner.why, ...said);
    learner.haystack = sought(words.filter(Boolean).join(" · "));
  });
}

const mistakeKey = (exercise, id) => JSON.stringify([exercise, id]);

function diagnosesOf(data, result) {
  return (result?.checks ?? [])
    .map((at) => (at ? data.details[at - 1].diagnosis : undefined))
    .filter((at) => at !== undefined);
}

function learnerLink(data, id, shown) {
  const at = data.index.get(id);
  return at === undefined
    ? h("bdi", null, shown ?? id)
    : h("a", { href: linkTo(id) }, h("bdi", null, data.learners[at].name));
}
