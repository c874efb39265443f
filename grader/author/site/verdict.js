"use strict";

const SOON_MS = 150; // a verdict that comes sooner is waited for without a list of the checks that have ended

/** Show a verdict, or what is left of it after the text has changed. */
class VerdictView {
  /**
   * @param {EditorView} editor
   */
  constructor(editor) {
    this.editor = editor;
    /** @type {(check: Data.CheckProgress) => void} */
    this.checked = () => {};
  }

  clear() {
    byId("verdict").hidden = true;
    delete byId("verdict").dataset.status;
    fill(byId("terminal"));
    this.fresh();
    this.editor.mark([]);
    this.printed([]);
  }

  /** Note that the verdict is about the text that is shown. */
  fresh() {
    byId("verdict").classList.remove("old");
    byId("stale").hidden = true;
    byId("checked").hidden = true;
  }

  /** Say that the verdict is about an earlier text. */
  outdate() {
    if (!byId("verdict").dataset.status) return;
    byId("verdict").classList.add("old");
    byId("stale").hidden = false;
  }

  /** Begin with a new list of checks that end. It is seen if they take longer than a moment. */
  begin() {
    fill(byId("checked"));
    byId("checked").hidden = true;
    const begun = performance.now();
    this.checked = ({ title, passed }) => {
      add(byId("checked"), h("li", { class: passed ? "pass" : "fail" }, title));
      if (performance.now() - begun > SOON_MS) byId("checked").hidden = byId("verdict").hidden = false;
    };
  }

  /**
   * `text` is the text that the verdict is about.
   * @param {Data.Verdict} verdict
   * @param {string} text
   */
  show(verdict, text) {
    this.fresh();
    byId("verdict").hidden = false;
    Object.assign(byId("verdict").dataset, { status: verdict.status, text: String(text.length) });
    byId("outcome").textContent = verdict.outcome;
    Object.assign(byId("earned"), { max: verdict.max_score, value: verdict.score });
    byId("earned-text").textContent = `${verdict.score} of ${verdict.max_score} points`;
    redraw(byId("verdict"), () => this.checks(verdict));
    fill(byId("terminal"), ...verdict.lines.map(line));
    const first = verdict.checks.find(failed);
    const why = verdict.line || (first?.title ?? verdict.message[0]?.map((part) => part.text).join(""));
    byId("spoken").textContent = plain([`${verdict.outcome}: ${byId("earned-text").textContent}`, why].filter(Boolean).join(". "));
    if (this.editor.text() === text) this.editor.mark(verdict.marked);
    this.printed(verdict.printed);
  }

  /**
   * Show the first failure in full, and the other checks in a line each, which can be opened.
   * @param {Data.Verdict} verdict
   */
  checks({ status, checks, message, observed, learnt }) {
    const [first] = checks;
    const explained = first && failed(first) && !(first.bonus && status === "passed") ? first : undefined;
    const others = checks.filter((one) => one !== explained && failed(one));
    const passed = checks.filter((one) => !failed(one));
    const facts = explained || message.length ? [] : observed;
    fill(byId("failure"),
      learnt && h("p.learnt", {}, ...inline(learnt)),
      message.length > 0 && this.message(message),
      explained && [h("h3.fail", {}, explained.title), ...this.explanation(explained)],
      facts.length > 0 && h("ul", {}, ...facts.map((fact) => h("li", {}, ...this.linked(fact)))),
    );
    fill(byId("others"),
      passed.length > 0 &&
        h("details.pass", {}, h("summary", {}, several(passed.length, "check passes", "checks pass")),
          h("ul", {}, ...passed.map((one) => h("li", {}, one.title, " ", points(one))))),
      ...others.map((one) => {
        const body = this.explanation(one);
        const summary = [h("span", {}, one.title), " ", points(one)];
        return body.length ? h("details.fail", {}, h("summary", {}, ...summary), ...body) : h("p.fail", {}, ...summary);
      }),
    );
  }

  /**
   * Return what explains a failure: the numbers, what happened, and why.
   * @param {Data.ShownCheck} check
   * @returns {HTMLElement[]}
   */
  explanation({ program, results, message, facts, line, why }) {
    /** @type {[string, Child][]} */
    const reasons = [
      ...facts.map((fact) => /** @type {[string, Child]} */ (["fact", this.linked(fact)])),
      ["line", line.length > 0 && this.linked(line)],
      ["why", why && inline(why)],
    ];
    const shown = reasons.filter(([, text]) => text);
    return [
      program && h("p.program", {}, ...program.split("\n").map((text) => h("span", {}, text))),
      results.length > 0 && h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Your results and the right ones" }, resultTable(results)),
      message.length > 0 && this.message(message),
      shown.length > 0 && h("dl", {}, ...shown.map(([label, text]) => [h("dt", {}, label), h("dd", {}, text)])),
    ].filter((node) => node instanceof HTMLElement);
  }

  /**
   * Return a message: a sentence, and lines that give details.
   * @param {Data.ShownCheck["message"]} lines
   */
  message([head, ...rest]) {
    const details = rest.map((one) => h("span", {}, ...this.linked(one)));
    for (const node of details) node.append("\n");
    return h("div.message", {}, h("p", {}, ...this.linked(head)), details.length > 0 && h("pre", { tabindex: 0 }, ...details));
  }

  /**
   * Return a sentence in which the lines that it names select these lines in the editor.
   * @param {Data.ShownCheck["line"]} parts
   * @returns {Child[]}
   */
  linked(parts) {
    return parts.map(({ text, first, last }) =>
      first ? h("button.line", { type: "button", onclick: () => this.editor.select(first, last) }, text) : coded(text),
    );
  }

  /**
   * Note whether more may be added to the verdict.
   * @param {boolean} searching
   */
  searching(searching) {
    byId("verdict").toggleAttribute("data-searching", Boolean(searching));
  }

  /**
   * Show what the learner's code has printed.
   * @param {readonly Data.Printed[]} parts
   */
  printed(parts) {
    byId("printed").hidden = parts.length === 0;
    fill(byId("output"),
      parts.map(({ titles, text }) => [h("h3", {}, titles.join("; ")), block(text.replace(/\n$/, ""))]),
    );
  }
}

/**
 * Draw a part of the page again. What has the focus keeps it, and what is open stays open, if it is drawn again.
 * @type {(place: HTMLElement, draw: () => void) => void}
 */
function redraw(place, draw) {
  /** @type {(node: Element) => string} */
  const name = (node) => `${node.tagName} ${node.textContent}`;
  /** @type {(selector: string) => HTMLElement[]} */
  const all = (selector) => [...place.querySelectorAll(selector)].filter((node) => node instanceof HTMLElement);
  const focused = place.contains(document.activeElement) && document.activeElement && name(document.activeElement);
  const opened = new Set(all("details[open] > summary").map(name));
  draw();
  for (const summary of all("summary")) {
    if (opened.has(name(summary))) summary.parentElement?.setAttribute("open", "");
  }
  if (focused && !place.contains(document.activeElement)) {
    all("button, summary, [tabindex]").find((node) => name(node) === focused)?.focus({ preventScroll: true });
  }
}

/** @type {(check: Data.ShownCheck) => boolean} */
const failed = ({ status }) => status !== "passed";

/** @type {(check: Data.ShownCheck) => HTMLElement} */
const points = ({ bonus, score, max_score: most }) => h("span.points", {}, bonus ? `+${score} bonus` : `${score}/${most}`);

/**
 * Return a table of the learner's results beside the right ones.
 * @param {readonly Data.ShownResult[]} results
 */
function resultTable(results) {
  const sources = [...new Set(results.map(({ source }) => source))];
  return h("table.results", {},
    h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, "yours"), h("th", { scope: "col" }, sources.join(" or ")))),
    h("tbody", {},
      ...results.map(({ label, actual, expected, one_of_several: several }) =>
        h("tr", {}, h("th", { scope: "row" }, label),
          h("td", {}, ...(several ? [actual] : marked(actual, expected))), h("td", {}, expected)),
      ),
    ),
  );
}

/**
 * Return a result, marked from where it differs from the right one. Numbers that begin alike differ in a later digit.
 * @type {(actual: string, expected: string) => Child[]}
 */
function marked(actual, expected) {
  if (actual === expected) return [actual];
  let same = 0;
  while (actual[same] === expected[same]) same += 1;
  if (same < 4) same = 0;
  return [actual.slice(0, same), h("mark", {}, actual.slice(same)), h("span.differs", {}, h("span.unseen", {}, ", which differs from"), h("span", { "aria-hidden": "true" }, "≠"))];
}

/**
 * Return a line of a verdict, whose first word has a colour.
 * @type {(text: string) => HTMLElement}
 */
function line(text) {
  const [, space, word, rest] = /^( *)(PASS|PARTIAL|FAIL|TODO|ERROR|TIMEOUT|CRASHED)?(.*)$/s.exec(text) ?? [];
  const kind = word === "PASS" ? "passed" : word === "TODO" ? "todo" : "failed";
  const painted = word && h("span", { class: kind }, word);
  const node = h("span", {}, space, painted, rest);
  node.append("\n");
  return node;
}
