"use strict";

/** @type {(data: PreparedPage) => HTMLElement} */
function lead(data) {
  const { graded, submissions: n, scores, max_score: most } = data;
  /** @type {(words: string) => HTMLElement} */
  const strong = (words) => h("strong", null, words);
  /** @type {(points: number) => HTMLElement} */
  const number = (points) => strong(points.toFixed(1).replace(/\.0$/, ""));
  const [median, mean, deviation] = [scores.median, scores.mean, scores.deviation].map(number);
  return h(
    "p",
    { id: "lead" },
    parts(graded === n ? "lead.graded" : "lead.some", { graded: strong(count(graded)), n }),
    " ",
    graded > 0 && parts("lead.scores", { median, mean, most, deviation, n: scores.learners }),
    graded > 0 && data.parts?.map(({ title, mean, max_score: most }) => [h("br"), ...parts("lead.part", { title, mean: number(mean), most })]),
  );
}

/**
 * Return what a teacher asks of a class, each with an answer that leads to the learners it is about.
 * @type {(data: PreparedPage) => HTMLElement[]}
 */
function questions(data) {
  const nobody = say("answer.nobody");
  /** @type {(n: number) => string} */
  const learners = (n) => say("count.learners", { n });
  /** @type {(label: string, test: Test, words?: (n: number) => string, none?: Child) => Child} */
  const filter = (label, test, words = learners, none = nobody) => {
    const n = data.learners.filter(test).length;
    return n ? h("button.plain", { type: "button", onclick: () => showOnly(say(label), test) }, words(n)) : none;
  };
  /** @type {(n: number, to: string, none?: Child, words?: (n: number) => string) => Child} */
  const jump = (n, to, none = nobody, words = learners) => (n ? h("a", { href: to }, words(n)) : none);
  /** @type {(key: string) => (n: number) => string} */
  const named = (key) => (n) => say(key, { n });
  const reviews = data.learners.filter((learner) => learner.why.length).length;
  const near = new Set(data.borders.map((border) => border.id)).size;
  /** @type {([string, Child] | false | undefined)[]} */
  const every = [
    [
      "question.absent",
      data.learners.some(({ absent, empty }) => absent || empty)
        ? [
            h("div", null, filter("filter.absent", ({ absent }) => absent, learners, null)),
            h("div", null, filter("filter.empty", ({ empty }) => empty, named("answer.empty"), null)),
          ]
        : nobody,
    ],
    data.learners.some((learner) => Number(learner.late_s) > 0) && ["question.late", filter("filter.late", (learner) => Number(learner.late_s) > 0)],
    [
      "question.review",
      reviews || data.learners.some(({ few }) => few)
        ? [
            h("div", null, jump(reviews, "#review-heading", null, named("answer.review"))),
            h("div", null, filter("filter.few", ({ few }) => few, named("answer.few"), null)),
          ]
        : nobody,
    ],
    ["question.wrong", [wrong(data), untouched(data)]],
    ["question.border", jump(near, "#borders-heading")],
    data.changes && ["question.changed", jump(data.changes.learners.length, "#change-table", say("answer.nothing"))],
    ["question.code", h("a", { href: "#search", onclick: () => showAll() }, say("answer.code"))],
  ];
  return every
    .filter((one) => one !== undefined && one !== false)
    .map(([question, answer]) => h("div", null, h("dt", null, say(question)), h("dd", null, answer)));
}

/**
 * Return the exercise in which most of those who began it lost points, and how many these are.
 * @type {(data: PreparedPage) => Child}
 */
function wrong(data) {
  const found = data.exercises.map((exercise, at) => {
    /** @type {Test} */
    const lost = (learner) => begun(learner.results[at]) && Number(learner.results[at]?.score) < exercise.max_score;
    const of = data.learners.filter((learner) => begun(learner.results[at])).length;
    return { exercise: stem(exercise), lost, of, n: data.learners.filter(lost).length };
  });
  const [worst] = found.sort((a, b) => b.n - a.n || a.of - b.of);
  if (!worst?.n) return say("answer.nothing");
  const onclick = () => showOnly(say("filter.wrong", worst), worst.lost);
  return h("button.plain", { type: "button", onclick }, say("answer.wrong", worst));
}

/**
 * Return which exercises nobody submitted, and which nobody began: of these, unchanged stubs were submitted.
 * @type {(data: PreparedPage) => Child}
 */
function untouched(data) {
  if (!data.graded) return null;
  const left = data.exercises.filter((exercise) => untried(exercise));
  const [missing, started] = [true, false].map((wanted) => left.filter(({ statuses }) => !statuses.not_started === wanted).map(stem));
  /** @type {(key: string, names: string[]) => Child} */
  const said = (key, names) => names.length > 0 && say(key, { names: names.join(", ") });
  return h("small", null, [said("answer.missing", missing), " ", said("answer.not_started", started)]);
}

/**
 * Return the notes that an instructor should read before the numbers.
 * @type {(data: PreparedPage) => HTMLElement[]}
 */
function warnings(data) {
  const { left_out: n, shown, graded, beside, for_all: decisions } = data;
  const covered = say("count.reports", { n: graded });
  const unsure = say("warning.unsure");
  /** @type {(string | false)[]} */
  const every = [
    n > 0 && say("warning.left_out", { n }),
    shown !== graded && say("warning.other_number", { covered, n: shown, unsure }),
    ...decisions.map((decision) => say("warning.for_all", { decision })),
    beside.length > 0 && say("warning.beside", { names: beside.join(", ") }),
  ];
  return every
    .filter(Boolean)
    .map((text) => h("p.doubt", { role: "note" }, `◆ ${text}`));
}

function start() {
  const data = prepare(unpack());
  WORDS = data.words;
  byId("lead").replaceWith(lead(data), ...warnings(data));
  find("main").hidden = false;
  fill(byId("questions"), ...questions(data));
  distribution(data);
  exerciseTable(data);
  learnerTable(data);
  misconceptionList(data);
  checkTable(data);
  reviewTable(data);
  borderTable(data);
  changeTable(data);
  byId("made").textContent = plain(
    say("made", { title: data.title, version: data.course.version, grader: data.grader_version }),
  );
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !byId("learner").open && !/^(input|textarea|select)$/i.test(targetOf(event).tagName)) {
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
  byId("lead").textContent = WORDS.error ? say("error", { message: String(error) }) : String(error);
  throw error;
}
