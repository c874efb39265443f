"use strict";

/**
 * Return the line to show before any line has run: that of the first rule, or else the first one that computes.
 * @type {(run: Run, source: Data.SourceText) => number}
 */
function firstLine(run, { lines }) {
  const ran = ["visit", "forward"].flatMap((kind) => run.frames.filter((frame) => frame.kind === kind));
  const known = ran.map((frame) => frame.lines[frame.lines.length - 1]).find(Boolean);
  return known ?? lines.findIndex((line) => /^\s*def \w*backward/.test(line)) + 1;
}

/**
 * Show the learner's file; return a function that marks the lines of a frame.
 * @type {(box: HTMLElement, source: Data.SourceText, run: Run) => Show}
 */
function sourceView(box, source, run) {
  const lines = source.lines.map((text, i) => {
    const code = h("code");
    code.textContent = plain(text.replaceAll("\t", "    ")) || " ";
    const kind = source.repair.includes(i + 1) ? "li.repair" : "li";
    return h(kind, { "data-line": i + 1 }, h("span.mark", { "aria-hidden": "true" }), code);
  });
  fill(find("ol", box), ...lines);
  byId("repair").hidden = !source.about_repair;
  find(":scope > :last-child", byId("repair")).textContent = plain(source.about_repair);
  /** @type {(line: HTMLElement | undefined) => void} */
  const middle = (line) => {
    box.scrollTop = line ? line.offsetTop - box.clientHeight / 3 : 0;
  };
  middle(lines[firstLine(run, source) - 1]);
  return function show(frame, at) {
    const ran = frame.lines.filter(Boolean);
    // a rule that runs too early may be right: what decides the order is elsewhere
    const elsewhere = run.recorded && at === run.first && run.replay.fault === "order";
    const [main, ...others] = elsewhere ? [source.repair[0], ...ran] : ran;
    lines.forEach((line, i) => {
      const marked = i + 1 === main;
      line.classList.toggle("ran", marked);
      line.classList.toggle("also", others.includes(i + 1));
      find(".mark", line).textContent = marked ? "▸" : "";
      if (marked) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    });
    const line = lines[(main ?? others[0]) - 1];
    if (!line) return;
    const top = line.offsetTop;
    if (top < box.scrollTop + 20 || top > box.scrollTop + box.clientHeight - 60) middle(line);
  };
}
