"use strict";

function lead(data) {
  const { graded, submissions, scores, max_score: of } = data;
  const number = (n, digits = 1) => h("strong", null, n.toFixed(digits).replace(/\.0$/, ""));
  const sentences = [
    h("strong", null, graded === submissions ? count(graded) : `${count(graded)} of ${count(submissions)}`),
    ` submissions graded. `,
    ...(graded
      ? [
          "Median ",
          number(scores.median),
          ", mean ",
          number(scores.mean),
          ` of ${of} points, standard deviation `,
          number(scores.deviation),
          ". ",
        ]
      : []),
  ];
  const reviews = data.learners.filter((learner) => learner.why.length).length;
  if (reviews)
    sentences.push(
      h("a", { href: "#look" }, `${several(reviews, "submission")} ${reviews === 1 ? "needs" : "need"} review`),
      ". ",
    );
  if (data.borders.length)
    sentences.push(
      h(
        "a",
        { href: "#borders-heading" },
        `${several(data.borders.length, "score")} ${data.borders.length === 1 ? "is" : "are"} one check from a grade’s border`,
      ),
      ".",
    );
  return h("p", { id: "lead" }, ...sentences);
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

async function start() {
  if (!window.DecompressionStream) throw new Error("this browser is too old to unpack the results");
  const data = await unpack();
  prepare(data);
  byId("lead").replaceWith(lead(data), ...warnings(data));
  document.querySelector("main").hidden = false;
  distribution(data);
  heatMap(data, (id) => (location.hash = linkTo(id)));
  await Promise.all([
    exerciseTable(data),
    checkTable(data),
    misconceptionTable(data),
    reviewTable(data),
    borderTable(data),
    learnerTable(data),
  ]);
  byId("made").textContent = plain(
    `${data.title}, version ${data.course.version}; graded by grade ${data.grader_version}. For instructors: hidden checks are shown in full.`,
  );
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !byId("learner").open && !/^(input|textarea)$/i.test(event.target.tagName)) {
      event.preventDefault();
      byId("search").focus();
    }
  });
  followAddress(data);
  document.body.dataset.ready = "yes";
}

start().catch((error) => {
  byId("lead").textContent = `The results cannot be shown: ${error.message}`;
  throw error;
});
