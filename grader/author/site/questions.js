"use strict";

// Questions that a function without parameters answers with numbers. They are asked one at a time in the lesson. An
// answer is written into the learner's file, and is judged there, by the same check as if it had been typed there.

const MOST_ANSWER = 200; // characters
const NUMBERS = /^[-\d.,+*/()eE\s]+$/; // numbers, and powers and products of them

/**
 * The learner's file: its text, and a function that replaces it.
 * @typedef {{ text(): string, replace(text: string): void }} AnswerFile
 */

/**
 * Return where the body of a function without parameters is in a file, after its docstring, as lines; null if it is not
 * there.
 * @type {(lines: string[], name: string) => Span | null}
 */
function bodyOf(lines, name) {
  const head = lines.indexOf(`def ${name}():`);
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
 * Return the answer that a file gives: what the function returns, if that is all it does.
 * @type {(text: string, name: string) => string}
 */
function answerIn(text, name) {
  const lines = text.split("\n");
  const body = bodyOf(lines, name);
  const [only, ...more] = body ? lines.slice(...body) : [];
  return (!more.length && /^ +return (.*)$/.exec(only ?? "")?.[1]) || "";
}

/**
 * Return a file with an answer in place of what the function did; null if the function is not there.
 * @type {(text: string, name: string, answer: string) => string | null}
 */
function withAnswer(text, name, answer) {
  const lines = text.split("\n");
  const body = bodyOf(lines, name);
  return body && [...lines.slice(0, body[0]), `    return ${answer}`, ...lines.slice(body[1])].join("\n");
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
  let at = Math.max(0, questions.findIndex(({ id }) => !answerIn(file.text(), id)));
  const title = h("h3", { id: "question-title" });
  const asked = h("p.asked", {});
  const field = h("input", { type: "text", autocomplete: "off", spellcheck: "false", maxlength: MOST_ANSWER, "aria-label": "Your answer", placeholder: "3, 2, 1" });
  const told = h("p.told", { role: "status" });
  const all = h("div.all", { role: "group", "aria-label": "Questions" });
  /** @type {(event: Event) => void} */
  const answer = (event) => {
    event.preventDefault();
    const given = field.value.trim();
    if (!NUMBERS.test(given)) return say("Write numbers, with commas between them.");
    const text = withAnswer(file.text(), questions[at].id, given);
    if (text === null) return say(`The file has no function ${questions[at].id} without parameters.`);
    if (text === file.text()) return show();
    results.delete(questions[at].id);
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
    field.value = answerIn(file.text(), questions[at].id);
    show();
    field.focus();
  }
  function show() {
    const { id, title: words, text } = questions[at];
    title.textContent = plain(`Question ${at + 1} of ${questions.length}: ${words}`);
    asked.textContent = plain(text);
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
  field.value = answerIn(file.text(), questions[at].id);
  show();
  return ({ report }) => {
    results = resultsIn(report);
    show();
  };
}
