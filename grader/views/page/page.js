"use strict";

function lead(data) {
  const { graded, submissions, scores, max_score: of } = data;
  const number = (n) => h("strong", null, n.toFixed(1).replace(/\.0$/, ""));
  return h(
    "p",
    { id: "lead" },
    h("strong", null, graded === submissions ? count(graded) : `${count(graded)} of ${count(submissions)}`),
    " submissions graded. ",
    graded
      ? ["Median ", number(scores.median), ", mean ", number(scores.mean), ` of ${of} points, standard deviation `, number(scores.deviation), "."]
      : "",
  );
}

/** Return what a teacher asks of a class, each with an answer that leads to the learners it is about. */
function questions(data) {
  const filter = (label, test) => {
    const n = data.learners.filter(test).length;
    return n ? h("button.plain", { type: "button", onclick: () => showOnly(label, test) }, several(n, "learner")) : "nobody";
  };
  const jump = (n, words, to) => (n ? h("a", { href: to }, words) : "nobody");
  const reviews = data.learners.filter((learner) => learner.why.length).length;
  const near = new Set(data.borders.map((border) => border.id)).size;
  const changed = data.changes?.learners.length;
  return [
    ["Who submitted nothing?", filter("submitted nothing", (learner) => learner.absent)],
    data.learners.some((learner) => learner.late_s) && ["Who was late?", filter("late", (learner) => learner.late_s > 0)],
    ["Who needs me?", jump(reviews, several(reviews, "learner"), "#review-heading")],
    ["What did most get wrong?", hardest(data)],
    ["Whose grade depends on one check?", jump(near, several(near, "learner"), "#borders-heading")],
    data.changes && ["What changed since the earlier run?", jump(changed, several(changed, "learner"), "#change-table")],
    ["What does one learner’s code look like?", h("a", { href: "#search" }, "search a learner")],
  ]
    .filter(Boolean)
    .map(([question, answer]) => h("div", null, h("dt", null, question), h("dd", null, answer)));
}

/** Return the exercise in which the class lost the largest part of the points, and how many lost some. */
function hardest(data) {
  if (!data.graded) return "nothing";
  const lost = (exercise) => (exercise.max_score ? 1 - exercise.mean / exercise.max_score : 0);
  const worst = [...data.exercises].sort((a, b) => lost(b) - lost(a))[0];
  if (!worst || !lost(worst)) return "nothing";
  const at = data.exercises.indexOf(worst);
  const short = (learner) => learner.results[at] !== null && learner.results[at].score < worst.max_score;
  const n = data.learners.filter(short).length;
  return h(
    "button.plain",
    { type: "button", onclick: () => showOnly(`lost points in ${stem(worst)}`, short) },
    `${stem(worst)} (${percent(n, data.graded)} lost points)`,
  );
}

/** Return the notes that an instructor should read before the numbers. */
function warnings(data) {
  const shown = data.learners.filter((learner) => learner.score !== undefined).length;
  return [
    data.left_out &&
      `${several(data.left_out, "report")} of another course, or another version of it, ${data.left_out === 1 ? "is" : "are"} left out.`,
    shown !== data.graded &&
      `The summary covers ${several(data.graded, "report")}, but ${count(shown)} ${shown === 1 ? "was" : "were"} found. The learners below may not match the numbers above.`,
    data.beside.length && `Not part of any submission: ${data.beside.join(", ")}.`,
  ]
    .filter(Boolean)
    .map((text) => h("p.doubt", { role: "note" }, `◆ ${text}`));
}

function start() {
  const data = unpack();
  prepare(data);
  byId("lead").replaceWith(lead(data), ...warnings(data));
  document.querySelector("main").hidden = false;
  byId("questions").replaceChildren(...questions(data));
  distribution(data);
  exerciseTable(data);
  learnerTable(data);
  misconceptionList(data);
  checkTable(data);
  reviewTable(data);
  borderTable(data);
  changeTable(data);
  byId("made").textContent = plain(
    `${data.title}, version ${data.course.version}; graded by grade ${data.grader_version}. For instructors: hidden checks are shown in full.`,
  );
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !byId("learner").open && !/^(input|textarea|select)$/i.test(event.target.tagName)) {
      event.preventDefault();
      byId("search").focus();
    }
  });
  followAddress(data);
  document.body.dataset.ready = "yes";
}

try {
  start();
} catch (error) {
  byId("lead").textContent = `The results cannot be shown: ${error.message}`;
  throw error;
}
