"use strict";

/**
 * Show the lesson of an exercise. A figure has a place of its own in the text, which `figurePlace` makes and fills.
 * @param {Data.SiteExercise} exercise
 * @returns {OwnCode} What runs the learner's code for the figures.
 */
function showLesson(exercise) {
  const code = new OwnCode();
  byId("title").textContent = exercise.title;
  fill(byId("text"), ...exercise.lesson.map((block) => lessonBlock(block, exercise, code)));
  return code;
}

/**
 * Return a block of the lesson of an exercise.
 * @type {(block: Data.SiteExercise["lesson"][number], exercise: Data.SiteExercise, code: OwnCode) => HTMLElement}
 */
function lessonBlock([kind, lines], exercise, code) {
  if (kind === "figure") return figurePlace(exercise, lines[0], code);
  if (kind === "pre") return fitting(lines);
  if (kind === "ul") return h("ul", {}, ...lines.map((text) => h("li", {}, ...inline(text))));
  return h("p", { class: kind }, ...inline(lines[0]));
}

/**
 * Return lines of code. They are as large as their width allows. Where they would be too small, each line is broken,
 * and goes on a little further to the right than it began.
 * @type {(lines: readonly string[]) => HTMLElement}
 */
function fitting(lines) {
  const pre = h("pre", { tabindex: 0 });
  pre.style.setProperty("--columns", String(Math.max(...lines.map((line) => line.length))));
  for (const line of lines) {
    const node = h("span", {}, line);
    node.style.setProperty("--indent", String(Math.min(12, line.length - line.trimStart().length + 2)));
    node.append("\n");
    pre.append(node);
  }
  return h("div.code", {}, pre);
}

/**
 * Return a text with what is in backquotes as code.
 * @type {(text: string) => Child[]}
 */
const coded = (text) => text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? h("code", {}, part) : part));

/**
 * Return a text of the course with what is in backquotes as code, and with links.
 * @type {(text: string) => Child[]}
 */
function inline(text) {
  return text.split(/(`[^`]+`|https:\/\/[^\s`]+[^\s`.,)])/).map((part, at) => {
    return at % 2 && !part.startsWith("`") ? h("a", { href: part, rel: "noreferrer" }, part) : coded(part);
  });
}
