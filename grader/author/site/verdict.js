"use strict";

/** Show a verdict, or what is left of it after the text has changed. */
class VerdictView {
  /**
   * @param {EditorView} editor
   */
  constructor(editor) {
    this.editor = editor;
    /** @type {readonly number[]} */
    this.marked = [];
    byId("goto").addEventListener("click", () => editor.to(this.marked[0]));
  }

  clear() {
    fill(byId("verdict"));
    byId("verdict").classList.remove("old");
    delete byId("verdict").dataset.status;
    this.mark([]);
    this.printed([]);
  }

  /**
   * `text` is the text that the verdict is about.
   * @param {Data.Verdict} verdict
   * @param {string} text
   */
  show(verdict, text) {
    byId("verdict").classList.remove("old");
    fill(byId("verdict"), ...verdict.lines.map(line));
    Object.assign(byId("verdict").dataset, { status: verdict.status, text: String(text.length) });
    byId("spoken").textContent = plain(verdict.line || verdict.lines[0].replace(/ +/g, " "));
    if (this.editor.text() === text) this.mark(verdict.marked);
    this.printed(verdict.printed);
  }

  /**
   * Note whether more may be added to the verdict.
   * @param {boolean} searching
   */
  searching(searching) {
    byId("verdict").toggleAttribute("data-searching", Boolean(searching));
  }

  /**
   * @param {readonly number[]} lines
   */
  mark(lines) {
    this.marked = lines;
    this.editor.mark(lines);
    byId("goto").hidden = lines.length === 0;
    const first = lines.filter((number) => !lines.includes(number - 1));
    const ends = lines.filter((number) => !lines.includes(number + 1));
    const ranges = first.map((number, at) => (number === ends[at] ? `${number}` : `${number} to ${ends[at]}`));
    byId("goto").textContent = `Go to ${lines.length > 1 ? "lines" : "line"} ${ranges.join(", ")}`;
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
