"use strict";

// Questions that a function answers: with numbers that it returns, or with the order in which it runs the rules of nodes.
// They are asked one at a time in the lesson. An answer is written into the learner's file, and is judged there, by the
// same check as if it had been typed there.

const MOST_ANSWER = 200; // characters
const NUMBERS = /^[-\d.,+*/()eE\s]+$/; // numbers, and powers and products of them

/**
 * The learner's file: its text, and a function that replaces it.
 * @typedef {{ text(): string, replace(text: string): void }} AnswerFile
 */

/**
 * Return where the body of the function of a question is in a file, after its docstring, as lines; null if it is not
 * there.
 * @type {(lines: string[], question: Data.SiteQuestion) => Span | null}
 */
function bodyOf(lines, { id, nodes }) {
  const head = lines.indexOf(`def ${id}(${nodes.join(", ")}):`);
  if (head < 0) return null;
  const length = lines.slice(head + 1).findIndex((line) => /^\S/.test(line));
  let end = length < 0 ? lines.length : head + 1 + length;
  while (end > head + 1 && !lines[end - 1].trim()) end -= 1;
  const quotes = '"""';
  if (!lines[head + 1]?.trimStart().startsWith(quotes)) return [head + 1, end];
  const alone = lines[head + 1].trim().length > quotes.length && lines[head + 1].trimEnd().endsWith(quotes);
  const closing = alone ? 0 : lines.slice(head + 2, end).findIndex((line) => line.includes(quotes)) + 1;
  return [Math.min(head + 2 + closing, end), end];
}

/**
 * Return the lines of a function that gives an answer: it returns the numbers, or it sets the root's gradient and calls
 * the rules of the nodes in their order.
 * @type {(answer: string, nodes: readonly string[]) => string[]}
 */
function linesOf(answer, nodes) {
  if (!nodes.length) return [`    return ${answer}`];
  return [`    ${nodes[nodes.length - 1]}.grad = 1.0`, ...names(answer).map((name) => `    ${name}._backward()`)];
}

/**
 * Return what is asked for in place of code, for a function that gets nodes.
 * @type {(nodes: readonly string[]) => string}
 */
function orderAsked(nodes) {
  const root = nodes[nodes.length - 1];
  return `In which order do you call the rules? Write the names of the nodes. ${root}.grad = 1.0 is written before the calls.`;
}

/** @type {(answer: string) => string[]} */
const names = (answer) => answer.split(/[\s,]+/).filter(Boolean);

/**
 * Return the answer that a file gives, if the function does nothing else.
 * @type {(text: string, question: Data.SiteQuestion) => string}
 */
function answerIn(text, question) {
  const lines = text.split("\n");
  const span = bodyOf(lines, question);
  const body = span ? lines.slice(...span) : [];
  const found = body.map((line) => /^ +return (.*)$|^ +(\w+)\._backward\(\)$/.exec(line)?.slice(1).join("") ?? "");
  const answer = found.filter(Boolean).join(", ");
  return body.join() === linesOf(answer, question.nodes).join() ? answer : "";
}

/**
 * Return a file with an answer in place of what the function did; null if the function is not there.
 * @type {(text: string, question: Data.SiteQuestion, answer: string) => string | null}
 */
function withAnswer(text, question, answer) {
  const lines = text.split("\n");
  const body = bodyOf(lines, question);
  return body && [...lines.slice(0, body[0]), ...linesOf(answer, question.nodes), ...lines.slice(body[1])].join("\n");
}

/**
 * Return what is wrong with the form of an answer; empty if it can be written into the file.
 * @type {(answer: string, nodes: readonly string[]) => string}
 */
function refused(answer, nodes) {
  if (!nodes.length) return NUMBERS.test(answer) ? "" : "Write numbers, with commas between them.";
  const given = names(answer);
  const known = given.length && given.every((name) => nodes.includes(name));
  return known ? "" : `Write names of nodes, with commas between them: ${nodes.join(", ")}.`;
}

/**
 * Return the result of each check in a report, by id. The report came from an interpreter, so nothing about it is sure.
 * @type {(report: string) => Map<string, { passed: boolean, begun: boolean, message: string }>}
 */
function resultsIn(report) {
  try {
    const [{ checks }] = JSON.parse(report).exercises;
    return new Map(checks.map((/** @type {any} */ { id, status, message }) => {
      return [String(id), { passed: status === "passed", begun: status !== "not_started", message: String(message ?? "") }];
    }));
  } catch {
    return new Map(); // there is no report, or it is too long
  }
}

/**
 * Put the questions of an exercise into a place. Return a function that shows the verdict on a text.
 * @type {(place: HTMLElement, questions: readonly Data.SiteQuestion[], file: AnswerFile) => (verdict: Data.Verdict) => void}
 */
function questionsView(place, questions, file) {
  if (!questions.length) return () => {};
  let results = resultsIn("");
  let at = Math.max(0, questions.findIndex((question) => !answerIn(file.text(), question)));
  const title = h("h3", { id: "question-title" });
  const asked = h("p.asked", {});
  const field = h("input", { type: "text", autocomplete: "off", spellcheck: "false", maxlength: MOST_ANSWER, "aria-label": "Your answer" });
  const told = h("p.told", { role: "status" });
  const all = h("div.all", { role: "group", "aria-label": "Questions" });
  /** @type {(event: Event) => void} */
  const answer = (event) => {
    event.preventDefault();
    const given = field.value.trim();
    const { id, nodes } = questions[at];
    const problem = refused(given, nodes);
    if (problem) return say(problem);
    const text = withAnswer(file.text(), questions[at], given);
    if (text === null) return say(`The file has no line \`def ${id}(${nodes.join(", ")}):\`.`);
    if (text === file.text()) return show();
    results.delete(id);
    file.replace(text);
    say("Your answer is in the file. It is being graded.");
  };
  const next = h("button", { type: "button", onclick: () => turn(at + 1) }, "Next question");
  const form = h("form", { onsubmit: answer }, field, h("button.play", { type: "submit" }, "Answer"), next);
  add(place, h("section.questions", { "aria-labelledby": "question-title" }, title, asked, form, told, all));

  /** @type {(text: string) => void} */
  const say = (text) => void (told.textContent = plain(text));
  /** @type {(to: number) => void} */
  function turn(to) {
    at = to % questions.length;
    begin();
    field.focus();
  }
  function begin() {
    field.value = answerIn(file.text(), questions[at]);
    field.placeholder = questions[at].nodes.length ? "names, with commas" : "3, 2, 1";
    show();
  }
  function show() {
    const { id, title: words, text, nodes } = questions[at];
    title.textContent = plain(`Question ${at + 1} of ${questions.length}: ${words}`);
    asked.textContent = plain(nodes.length ? `${text}\n\n${orderAsked(nodes)}` : text);
    const result = results.get(id);
    place.querySelector(".questions")?.classList.toggle("right", Boolean(result?.passed));
    say(result?.passed ? "✓ This is right." : result?.begun ? result.message : "");
    fill(all, questions.map((question, i) => {
      const mark = results.get(question.id)?.passed ? "✓" : results.get(question.id)?.begun ? "✗" : "·";
      const words = { "✓": "right", "✗": "not right yet", "·": "no answer yet" }[mark];
      const current = i === at ? "true" : undefined;
      return h("button", { type: "button", "aria-current": current, "aria-label": plain(`Question ${i + 1}, ${words}`), onclick: () => turn(i) }, `${i + 1} ${mark}`);
    }));
  }
  begin();
  return ({ report }) => {
    results = resultsIn(report);
    show();
  };
}
