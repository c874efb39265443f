"use strict";

/** Show the learner's file; return a function that marks the lines of a frame. */
function sourceView(box, source) {
  const lines = source.lines.map((text, i) => {
    const code = h("code");
    code.textContent = plain(text.replaceAll("\t", "    ")) || " ";
    return h("li", { "data-line": i + 1 }, h("span.mark", { "aria-hidden": "true" }), code);
  });
  box.querySelector("ol").replaceChildren(...lines);
  return function show(frame) {
    const [main, ...others] = frame.lines.filter(Boolean);
    lines.forEach((line, i) => {
      const marked = i + 1 === main;
      line.classList.toggle("ran", marked);
      line.classList.toggle("also", others.includes(i + 1));
      line.firstChild.textContent = marked ? "▸" : "";
      if (marked) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    });
    const line = lines[main - 1];
    if (!line) return;
    const top = line.offsetTop;
    if (top < box.scrollTop + 20 || top > box.scrollTop + box.clientHeight - 60)
      box.scrollTop = top - box.clientHeight / 2;
  };
}
