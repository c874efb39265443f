"use strict";

/** Return the elements that show one learner's report. */
function describe(data, learner) {
  const people = (learner.people ?? []).map((person) => person.filter(Boolean).join(", "));
  const facts = [
    ["Submitted by", people.join("; ")],
    ["Id", learner.name === learner.id ? "" : learner.id],
    ["Source", learner.origin === learner.id ? "" : learner.origin],
    ["Submitted at", learner.submitted_at],
    ["Commit", learner.commit],
  ].filter(([, value]) => value);
  const notes = (learner.notes ?? []).filter((note) => !learner.why.includes(note));
  return [
    facts.length > 0 &&
      h(
        "dl",
        null,
        facts.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, h("bdi", null, value)))),
      ),
    learner.why.length > 0 &&
      h(
        "div.why",
        null,
        h("h3", null, "◆ Needs review"),
        h(
          "ul",
          null,
          learner.why.map((why) => h("li", null, why)),
        ),
      ),
    notes.length > 0 &&
      h(
        "ul",
        null,
        notes.map((note) => h("li", null, note)),
      ),
    learner.score !== undefined &&
      data.exercises.map((exercise, at) => exerciseOf(data, exercise, learner.results[at])),
  ]
    .flat()
    .filter(Boolean);
}

function exerciseOf(data, exercise, result) {
  const points = result ? `${result.score}/${exercise.max_score}${result.bonus ? ` +${result.bonus}` : ""}` : "";
  const title = h(
    "h3",
    null,
    h("span.number", null, exercise.number),
    ` ${exercise.title} `,
    h("small", null, exercise.id),
  );
  const line = h("summary", null, title, result ? badge(result.status) : "no result", h("span.points", null, points));
  const checks = (result?.checks ?? []).map((at, c) =>
    checkOf(data, exercise.checks[c], at ? data.details[at - 1] : null),
  );
  const open = result && result.status !== "passed" && !["missing", "not_started"].includes(result.status);
  return h(
    "details.exercise",
    { open: open || undefined },
    line,
    result?.file !== undefined && h("p.file", null, h("bdi", null, result.file)),
    result?.message !== undefined && block(data.texts[result.message]),
    result?.facts && h("ul.facts", null, result.facts.map((at) => h("li", null, data.texts[at]))),
    h("ul.checks", null, checks),
  );
}

function checkOf(data, check, detail) {
  const status = detail?.status ?? "passed";
  const most = check?.max_score ?? 0;
  const points = check?.bonus ? `+${detail?.score ?? most}` : `${detail?.score ?? most}/${most}`;
  const text = (at) => (at === undefined ? undefined : data.texts[at]);
  const said = (label, content) => content && [h("dt", null, label), h("dd", null, content)];
  const { program, message, diagnosis, hint, output } = detail ?? {};
  return h(
    `li.check.${status}`,
    null,
    h(
      "p",
      null,
      badge(status),
      h("span.title", null, check?.title ?? "a check that the summary does not know"),
      h("span.points", null, points),
    ),
    detail &&
      h(
        "div.detail",
        null,
        program !== undefined && block(text(program)),
        detail.compared && compared(detail.compared),
        message !== undefined && block(text(message)),
        h(
          "dl",
          null,
          said("why", text(diagnosis)),
          said("hint", hint !== undefined && h("code", null, text(hint))),
          said("printed", output !== undefined && block(text(output))),
        ),
      ),
  );
}

function compared(rows) {
  const head = ["", "yours", "expected"].map((word) => (word ? h("th", { scope: "col" }, word) : h("td")));
  return h(
    "table",
    null,
    h("thead", null, h("tr", null, head)),
    h(
      "tbody",
      null,
      rows.map(([label, yours, right, word]) =>
        h(
          "tr",
          null,
          h("th", { scope: "row" }, label),
          h("td", null, yours),
          h("td", null, word && h("small", null, "for example "), right),
        ),
      ),
    ),
  );
}

/** Open the dialog when the address ends in `#learner=ID`, so that links to a learner work. */
function followAddress(data) {
  const dialog = byId("learner");
  const close = () => dialog.close();
  const go = (id) => history.replaceState(null, "", linkTo(id)) ?? show();
  function step(by) {
    const rows = learners.getRows("active").map((row) => row.getData().learner);
    const at = rows.indexOf(dialog.learner);
    return at < 0 ? undefined : rows[at + by];
  }
  function walk(words, by) {
    const next = step(by);
    return h(
      "button",
      {
        type: "button",
        disabled: !next || undefined,
        onclick: () => {
          go(next.id);
          focusAfter(words);
        },
      },
      words,
    );
  }
  function focusAfter(words) {
    const buttons = [...dialog.querySelectorAll(".bar button:not([disabled])")];
    (buttons.find((button) => button.textContent === words) ?? buttons.at(-1)).focus();
  }
  function show() {
    const asked = location.hash.match(/^#learner=(.*)$/s);
    const at = asked && data.index.get(decoded(asked[1]));
    if (at === null || at === undefined) return dialog.open && dialog.close();
    const learner = data.learners[at];
    dialog.learner = learner;
    const score =
      learner.score === undefined
        ? "not graded"
        : `${learner.score} of ${data.max_score}${learner.bonus ? ` and ${learner.bonus} bonus` : ""}`;
    dialog.replaceChildren(
      h(
        "div.bar",
        null,
        walk("Previous", -1),
        walk("Next", 1),
        h("button.close", { type: "button", onclick: close }, "Close"),
      ),
      h("h2", { id: "learner-name" }, h("bdi", null, learner.name)),
      h("p.score", null, score),
      ...describe(data, learner),
    );
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    return undefined;
  }
  dialog.addEventListener("close", () => {
    if (location.hash.startsWith("#learner=")) history.replaceState(null, "", "#learners");
    dialog.replaceChildren();
  });
  dialog.addEventListener("click", (event) => event.target === dialog && close()); // a click outside the dialog
  window.addEventListener("hashchange", show);
  show();
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
