"use strict";

/** @typedef {Record<string, any>} Fields What a text is about; each is shown where its name stands. */

/** @type {Record<string, string>} */
let WORDS = {}; // every text that is not in the template: grader/words/instructor.py

/**
 * Return the parts of a text, in which `{name}` stands for a field. The field `n` chooses between two forms.
 * @param {string} key
 * @param {Fields} fields
 * @returns {Child[]}
 */
function parts(key, fields = {}) {
  const [one, many = one] = WORDS[key].split("|");
  return (fields.n === 1 ? one : many)
    .split(/\{(\w+)\}/)
    .map((part, at) => (at % 2 ? fields[part] : part))
    .map((part) => (typeof part === "number" ? count(part) : part));
}

/** @type {(key: string, fields?: Fields) => string} */
const say = (key, fields) => parts(key, fields).join("");

/** @type {Record<string, string>} */
const SIGNS = { passed: "✓", partial: "◐", skipped: "–", missing: "–", not_started: "○", unreadable: "!" };
/** @type {(status: string) => string} */
const sign = (status) => SIGNS[status] ?? "✗";
/**
 * Return whether there was something to grade: a file that is more than the stub.
 * @type {(result: { status: string } | null | undefined) => boolean}
 */
const begun = (result) => Boolean(result && !["not_started", "missing"].includes(result.status));
/** @type {(exercise: { statuses: Statuses }) => boolean} */
const untried = ({ statuses }) => Object.entries(statuses).every(([status, n]) => !n || !begun({ status }));
const NOTHING = ["not_started", "missing", "unreadable"];
const order = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;
/** @type {(status: string) => HTMLElement} */
const badge = (status) =>
  h(`span.status.${status}`, null, h("span.mark", { "aria-hidden": "true" }, sign(status)), ` ${say(`status.${status}`)}`);
/** @type {(exercise: ClassExercise) => string} */
const stem = (exercise) => `${exercise.number} ${exercise.id}`;
/** @type {(learner: ClassLearner) => boolean} */
const hasOtherTotal = ({ total, score, bonus }) => total !== undefined && score !== undefined && total !== score + (bonus ?? 0);
/** @type {(id: string) => string} */
const linkTo = (id) => `#learner=${encodeURIComponent(id)}`;

/**
 * Return a text with its `code` as elements.
 * @type {(text: string) => Child[]}
 */
const prose = (text) => text.split("`").map((words, at) => (at % 2 ? h("code", null, words) : words));

// Letters that Unicode does not decompose into a letter and an accent
/** @type {Record<string, string>} */
const LETTERS = { ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ß: "ss", æ: "ae", œ: "oe", ı: "i", ħ: "h" };

/**
 * Return a text in the form that is searched: without case and accents, with single spaces.
 * @type {(text: string) => string}
 */
function sought(text) {
  const low = plain(text.replace(/[ \t\r\n]+/g, " ").trim()).toLowerCase();
  return low
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\0-\x7f]/g, (c) => LETTERS[c] ?? c);
}

/**
 * Return a time in ISO 8601 as date, time of day and its own time zone; other words as they are.
 * @type {(time: string | undefined) => string}
 */
function when(time) {
  const found = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)[\d:.]*(Z|[+-]\d\d:\d\d)?$/.exec(time ?? "");
  if (!found) return time ?? "";
  const [, date, clock, offset] = found;
  return [date, clock, offset && `UTC${/[1-9]/.test(offset) ? offset : ""}`].filter(Boolean).join(" ");
}

/**
 * Return how late a submission is, in its two largest units.
 * @type {(seconds: number) => string}
 */
function lateness(seconds) {
  const minutes = Math.ceil(seconds / 60);
  /** @type {[string, number][]} */
  const every = [
    ["late.days", Math.floor(minutes / 1440)],
    ["late.hours", Math.floor((minutes % 1440) / 60)],
    ["late.minutes", minutes % 60],
  ];
  const units = every.filter(([, n]) => n);
  return say("late", { duration: units.slice(0, 2).map(([key, n]) => say(key, { n })).join(" ") });
}

/**
 * Return a part of a whole in whole percent. Only nothing is 0 %, and only everything is 100 %.
 * @type {(part: number, whole: number) => string}
 */
function percent(part, whole) {
  const n = whole ? Math.round((100 * part) / whole) : 0;
  if (part > 0 && n === 0) return say("percent.least");
  return part < whole && n === 100 ? say("percent.most") : say("percent", { n });
}

/**
 * Make one learner of each row of the final table, and add the fields that are looked up often.
 * `i` is the learner's index, `submission` the id of the submission, which several learners may share.
 * @type {(data: ClassPage) => PreparedPage}
 */
function prepare(data) {
  const reviews = new Map(Object.entries(data.reviews));
  /** @type {Map<string, number>} */
  const index = new Map();
  const learners = data.learners
    .flatMap(({ rows, ...learner }) => {
      /** @type {Partial<Row>[]} */
      const own = rows ?? [{}];
      return own.map((row) => ({ ...learner, ...row, submission: learner.id }));
    })
    .sort((a, b) => order(a.id, b.id))
    .map((learner, i) => {
      const ids = [learner.submission, learner.id, ...(learner.others ?? [])];
      for (const id of ids) if (!index.has(id)) index.set(id, i);
      return prepared(data, learner, i, [...new Set(ids)].flatMap((id) => reviews.get(id) ?? []));
    });
  return { ...data, learners, index };
}

/**
 * Return a learner with the fields that are looked up often.
 * @type {(data: ClassPage, learner: SubmissionData & { submission: string }, i: number, reviews: ReviewRow[]) => ClassLearner}
 */
function prepared(data, learner, i, reviews) {
  const people = learner.people ?? [];
  const name = learner.name ?? (people.map(([one]) => one).join(", ") || learner.id);
  const results = data.exercises.map((_, at) => data.results[learner.results?.[at] ?? -1] ?? null);
  const known = results.filter((result) => result !== null);
  const absent = learner.standing === "absent";
  const asked = !absent && learner.standing !== "excused";
  const empty = asked && known.length > 0 && known.every(({ status }) => status === "missing");
  const points = learner.total ?? (learner.score ?? 0) + (learner.bonus ?? 0);
  const few = asked && !empty && learner.score !== undefined && 2 * points < data.max_score;
  const why = reviews.map(([reason]) => reason);
  const mistakes = new Set(); // exercise and id of each misconception
  /** @type {string[]} */
  const said = [];
  results.forEach((result, e) => {
    for (const at of new Set(diagnosesOf(data, result))) {
      const [id, title] = data.diagnoses[at];
      mistakes.add(mistakeKey(data.exercises[e].id, id));
      said.push(`${data.exercises[e].id}: ${title === null ? "" : data.texts[title]}`);
    }
  });
  const words = [name, learner.submission, learner.id, ...(learner.others ?? []), learner.origin, learner.section];
  words.push(learner.group, ...people.flat(), ...why, ...said);
  const haystack = sought(words.filter(Boolean).join(" · "));
  return { ...learner, i, name, results, reviews, why, absent, empty, few, mistakes, haystack };
}

/** @type {(exercise: string, id: string) => string} */
const mistakeKey = (exercise, id) => JSON.stringify([exercise, id]);

/** @type {(data: ClassPage, result: ClassResult | null) => number[]} */
function diagnosesOf(data, result) {
  return (result?.checks ?? [])
    .map((at) => (at ? data.details[at - 1].diagnosis : undefined))
    .filter((at) => at !== undefined);
}

/** @type {(data: PreparedPage, id: string, shown?: string) => HTMLElement} */
function learnerLink(data, id, shown) {
  const at = data.index.get(id);
  return at === undefined
    ? h("bdi", null, shown ?? id)
    : h("a", { href: linkTo(id) }, h("bdi", null, data.learners[at].name));
}
