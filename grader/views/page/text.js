"use strict";

let WORDS = {}; // every text that is not in the template: grader/words/instructor.py

/** Return the parts of a text, in which `{name}` stands for a field. The field `n` chooses between two forms. */
function parts(key, fields = {}) {
  const [one, many = one] = WORDS[key].split("|");
  return (fields.n === 1 ? one : many)
    .split(/\{(\w+)\}/)
    .map((part, at) => (at % 2 ? fields[part] : part))
    .map((part) => (typeof part === "number" ? count(part) : part));
}

const say = (key, fields) => parts(key, fields).join("");

const SIGNS = { passed: "✓", partial: "◐", skipped: "–", missing: "–", not_started: "○", unreadable: "!" };
const sign = (status) => SIGNS[status] ?? "✗";
/** Return whether there was something to grade: a file that is more than the stub. */
const begun = (result) => Boolean(result) && !["not_started", "missing"].includes(result.status);
const untried = ({ statuses }) => Object.entries(statuses).every(([status, n]) => !n || !begun({ status }));
const NOTHING = ["not_started", "missing", "unreadable"];
const order = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;
const badge = (status) =>
  h(`span.status.${status}`, null, h("span.mark", { "aria-hidden": "true" }, sign(status)), ` ${say(`status.${status}`)}`);
const stem = (exercise) => `${exercise.number} ${exercise.id}`;
const hasOtherTotal = ({ total, score, bonus }) => total !== undefined && score !== undefined && total !== score + bonus;
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

/** Return a time in ISO 8601 as date, time of day and its own time zone; other words as they are. */
function when(time) {
  const found = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)[\d:.]*(Z|[+-]\d\d:\d\d)?$/.exec(time ?? "");
  if (!found) return time ?? "";
  const [, date, clock, offset] = found;
  return [date, clock, offset && `UTC${/[1-9]/.test(offset) ? offset : ""}`].filter(Boolean).join(" ");
}

/** Return how late a submission is, in its two largest units. */
function lateness(seconds) {
  const minutes = Math.ceil(seconds / 60);
  const units = [
    ["late.days", Math.floor(minutes / 1440)],
    ["late.hours", Math.floor((minutes % 1440) / 60)],
    ["late.minutes", minutes % 60],
  ].filter(([, n]) => n);
  return say("late", { duration: units.slice(0, 2).map(([key, n]) => say(key, { n })).join(" ") });
}

/** Return a part of a whole in whole percent. Only nothing is 0 %, and only everything is 100 %. */
function percent(part, whole) {
  const n = whole ? Math.round((100 * part) / whole) : 0;
  if (part > 0 && n === 0) return say("percent.least");
  return part < whole && n === 100 ? say("percent.most") : say("percent", { n });
}

/**
 * Make one learner of each row of the final table, and add the fields that are looked up often.
 * `i` is the learner's index, `submission` the id of the submission, which several learners may share.
 */
function prepare(data) {
  const reviews = new Map(Object.entries(data.reviews));
  data.learners = data.learners
    .flatMap(({ rows, ...learner }) => (rows ?? [{}]).map((row) => ({ ...learner, ...row, submission: learner.id })))
    .sort((a, b) => order(a.id, b.id));
  data.index = new Map();
  data.learners.forEach((learner, i) => {
    const ids = [learner.submission, learner.id, ...(learner.others ?? [])];
    for (const id of ids) if (!data.index.has(id)) data.index.set(id, i);
    learner.i = i;
    learner.reviews = [...new Set(ids)].flatMap((id) => reviews.get(id) ?? []);
    learner.why = learner.reviews.map(([why]) => why);
    learner.name ??= (learner.people ?? []).map(([name]) => name).join(", ") || learner.id;
    learner.results = (learner.results ?? data.exercises.map(() => null)).map((at) => data.results[at] ?? null);
    const results = learner.results.filter(Boolean);
    learner.absent = learner.standing === "absent";
    const asked = !["absent", "excused"].includes(learner.standing);
    learner.empty = asked && results.length > 0 && results.every(({ status }) => status === "missing");
    learner.few =
      asked &&
      !learner.empty &&
      learner.score !== undefined &&
      2 * (learner.total ?? learner.score + learner.bonus) < data.max_score;
    learner.mistakes = new Set(); // exercise and id of each misconception
    const said = [];
    learner.results.forEach((result, e) => {
      for (const at of new Set(diagnosesOf(data, result))) {
        const [id, title] = data.diagnoses[at];
        learner.mistakes.add(mistakeKey(data.exercises[e].id, id));
        said.push(`${data.exercises[e].id}: ${data.texts[title] ?? ""}`);
      }
    });
    const words = [learner.name, ...ids, learner.origin, learner.section, learner.group];
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
