"use strict";

// In browsers with trusted types, everything that a library assigns to innerHTML is escaped, except for a few
// constants of the library.
const LIBRARY_MARKUP = new Set(["&nbsp;", "<div class='tabulator-arrow'></div>"]);
window.trustedTypes?.createPolicy("default", {
  createHTML: (text) => (LIBRARY_MARKUP.has(text) ? text : text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")),
});

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
  h(
    `span.status.${status}`,
    null,
    h("span.mark", { "aria-hidden": "true" }, STATUS[status][0]),
    ` ${STATUS[status][1]}`,
  );

/** Return a text in the form that is searched: lower case, with single spaces. */
const sought = (text) => plain(text.replace(/[ \t\r\n]+/g, " ").trim()).toLowerCase();

/** Add to each learner the fields that are looked up often. `i` is the learner's index. */
function prepare(data) {
  const reviews = new Map(Object.entries(data.reviews));
  data.index = new Map();
  data.learners.forEach((learner, i) => {
    data.index.set(learner.id, i);
    learner.i = i;
    learner.why = reviews.get(learner.id) ?? [];
    learner.name = (learner.people ?? []).map(([name]) => name).join(", ") || learner.id;
    learner.results = (learner.results ?? data.exercises.map(() => null)).map((at) => data.results[at] ?? null);
    const said = new Set();
    learner.results.forEach((result, e) => {
      for (const at of result?.checks ?? []) {
        const { mistake } = at ? data.details[at - 1] : {};
        if (mistake !== undefined) said.add(`${data.exercises[e].id}: ${data.texts[mistake]}`);
      }
    });
    const words = [learner.id, learner.origin, ...(learner.people ?? []).flat(), ...learner.why, ...said];
    learner.haystack = sought(words.filter(Boolean).join(" · "));
  });
}

const stem = (exercise) => `${exercise.number} ${exercise.id}`;
const linkTo = (id) => `#learner=${encodeURIComponent(id)}`;

function learnerLink(data, id, shown = id) {
  return data.index.has(id) ? h("a", { href: linkTo(id) }, h("bdi", null, shown)) : h("bdi", null, shown);
}
