"use strict";

/** Show a verdict, or what is left of it after the text has changed. */
class VerdictView {
  constructor(editor) {
    this.editor = editor;
    byId("goto").addEventListener("click", () => editor.to(this.marked[0]));
  }

  clear() {
    byId("verdict").replaceChildren();
    byId("verdict").classList.remove("old");
    delete byId("verdict").dataset.status;
    this.mark([]);
    this.printed({});
  }

  /** `text` is the text that the verdict is about. */
  show(verdict, text) {
    byId("verdict").classList.remove("old");
    byId("verdict").replaceChildren(...verdict.lines.map(line));
    Object.assign(byId("verdict").dataset, { status: verdict.status, text: text.length });
    byId("spoken").textContent = plain(verdict.line || verdict.lines[0].replace(/ +/g, " "));
    if (this.editor.text() === text) this.mark(verdict.marked);
    this.printed(verdict.report ? JSON.parse(verdict.report).exercises[0] : {});
  }

  /** Note whether more may be added to the verdict. */
  searching(searching) {
    byId("verdict").toggleAttribute("data-searching", Boolean(searching));
  }

  mark(lines) {
    this.marked = lines;
    this.editor.mark(lines);
    byId("goto").hidden = lines.length === 0;
    const first = lines.filter((number) => !lines.includes(number - 1));
    const ends = lines.filter((number) => !lines.includes(number + 1));
    const ranges = first.map((number, at) => (number === ends[at] ? `${number}` : `${number} to ${ends[at]}`));
    byId("goto").textContent = `Go to ${lines.length > 1 ? "lines" : "line"} ${ranges.join(", ")}`;
  }

  /** Show what the learner's code has printed. What several checks print alike is shown once. */
  printed({ output: loaded, checks = [] }) {
    const titles = new Map(loaded ? [[loaded, ["when the file was loaded"]]] : []);
    for (const { title, output } of checks) if (output) titles.set(output, [...(titles.get(output) ?? []), title]);
    byId("printed").hidden = titles.size === 0;
    byId("output").replaceChildren(
      ...[...titles].flatMap(([output, of]) => [h("h3", {}, of.join("; ")), block(output.replace(/\n$/, ""))]),
    );
  }
}

/** Return a line of a verdict, whose first word has a colour. */
function line(text) {
  const [, space, word, rest] = /^( *)(PASS|PARTIAL|FAIL|TODO|ERROR|TIMEOUT|CRASHED)?(.*)$/s.exec(text) ?? [];
  const painted = word && h("span", { class: { PASS: "passed", TODO: "todo" }[word] ?? "failed" }, word);
  const node = h("span", {}, space, painted, rest);
  node.append("\n");
  return node;
}
