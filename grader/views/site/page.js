"use strict";

const PAUSE_MS = 250; // after the last key, before a verdict is asked for
const say = (text) => (byId("state").textContent = text);

function note(text) {
  byId("note").textContent = text;
  byId("note").hidden = !text;
}

class Page {
  constructor(course) {
    this.course = course;
    this.work = new Work(course);
    this.editor = Editor.create(byId("editor"), "Your file", { changed: (text) => this.changed(text), run: () => this.grade() });
    this.asked = 0;
    byId("grade").addEventListener("click", () => this.grade());
    byId("hint").addEventListener("click", () => this.hint());
    byId("reset").addEventListener("click", () => this.reset());
    byId("restore").addEventListener("click", () => this.restore());
    byId("next").addEventListener("click", () => this.open(this.following()));
    byId("export").addEventListener("click", () => this.export());
    byId("import").addEventListener("change", ({ target }) => this.import(target.files[0]));
    addEventListener("hashchange", () => this.open(this.named() ?? this.exercise));
    addEventListener("storage", ({ key }) => key?.startsWith(this.work.prefix) && this.elsewhere());
    const begun = course.exercises.find((one) => one.id === this.work.get("at", "exercise"));
    this.open(this.named() ?? begun ?? course.exercises[0]);
  }

  named() {
    return this.course.exercises.find((one) => location.hash === `#${one.id}`);
  }

  open(exercise) {
    this.exercise = exercise;
    this.work.set("at", "exercise", exercise.id);
    if (location.hash !== `#${exercise.id}`) history.replaceState(null, "", `#${exercise.id}`);
    byId("title").textContent = `${exercise.number} ${exercise.title}`;
    byId("file").textContent = exercise.file;
    byId("text").replaceChildren(...exercise.lesson.map(lessonBlock));
    byId("lesson").scrollTop = 0;
    byId("hints").replaceChildren();
    byId("verdict").replaceChildren();
    this.given = 0;
    this.verdict = undefined;
    this.editor.show(this.work.text(exercise));
    this.begin();
    byId("restore").hidden = this.work.get("backup", exercise.id) === undefined;
    note(this.work.outdated(exercise) ? "This exercise has changed since you began. Your work is kept; Reset shows the new file." : "");
    this.list();
    if (this.interpreters && this.work.get("text", exercise.id)) this.grade();
  }

  /** Go to the first place that is still to be filled in, or else to the end of the docstring. */
  begin() {
    const { view } = this.editor;
    const text = this.editor.text();
    const place = Math.max(text.indexOf("# TODO"), 0) || text.indexOf("class ");
    if (place > 0) view.dispatch({ selection: { anchor: place }, scrollIntoView: true });
  }

  list() {
    const { exercises } = this.course;
    const results = exercises.map((one) => this.work.get("result", one.id));
    const passed = results.filter((one) => one?.status === "passed").length;
    const points = results.reduce((sum, one) => sum + (one?.score ?? 0), 0);
    const all = exercises.reduce((sum, one) => sum + one.points, 0);
    byId("score").textContent = `${points}/${all} points, ${passed} of ${exercises.length} exercises passed`;
    byId("exercises").replaceChildren(...exercises.map((one, at) => {
      const status = results[at]?.status === "passed" ? "passed" : this.work.get("text", one.id) ? "begun" : "";
      const current = one === this.exercise ? "true" : undefined;
      const about = `${one.title}, ${results[at]?.score ?? 0} of ${one.points} points${status && `, ${status}`}`;
      const button = h("button", { type: "button", class: status || undefined, "aria-current": current, title: about,
        onclick: () => this.open(one) }, `${one.number} ${one.id}`);
      return h("li", {}, button);
    }));
    byId("next").hidden = this.work.get("result", this.exercise.id)?.status !== "passed" || !this.following();
  }

  /** Return the next exercise that is not passed. */
  following() {
    const { exercises } = this.course;
    const at = exercises.indexOf(this.exercise);
    const others = [...exercises.slice(at + 1), ...exercises.slice(0, at)];
    return others.find((one) => this.work.get("result", one.id)?.status !== "passed");
  }

  changed(text) {
    if (text === this.work.text(this.exercise)) return;
    this.work.keep(this.exercise, text);
    byId("verdict").classList.add("old");
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.grade(), PAUSE_MS);
  }

  async grade() {
    clearTimeout(this.pause);
    if (!this.interpreters) return;
    const { exercise } = this;
    const text = this.editor.text();
    const number = ++this.asked;
    await this.interpreters.busy;
    if (number !== this.asked) return; // the text has changed meanwhile, and is graded next
    say("Grading …");
    try {
      const verdict = JSON.parse(await this.interpreters.ask("grade", exercise.id, text, this.columns()));
      this.work.set("result", exercise.id, { status: verdict.status, score: verdict.score });
      if (exercise === this.exercise) this.show(verdict, text);
    } catch (error) {
      if (exercise === this.exercise) this.show(this.failed(error), text);
    }
    say("");
  }

  failed(error) {
    const sentence = error instanceof Ended ? this.course.hung : this.course.died;
    if (!(error instanceof Ended)) console.warn(error.message);
    return { status: "failed", lines: [`FAIL     ${this.exercise.number} ${this.exercise.id}`, "", sentence], marked: [], hints: [] };
  }

  show(verdict, text) {
    this.verdict = verdict;
    byId("verdict").classList.remove("old");
    byId("verdict").replaceChildren(...verdict.lines.map(line));
    Object.assign(byId("verdict").dataset, { status: verdict.status, text: text.length });
    if (this.editor.text() === text) this.editor.mark(verdict.marked);
    this.list();
    if (verdict.status === "passed" && !this.following()) this.farewell();
  }

  farewell() {
    const learnt = this.course.exercises.filter((one) => one.learnt).map((one) => `  ${one.number} ${one.learnt}`);
    const lines = ["", "All exercises are passed.", "", ...learnt, "", ...this.course.further.map((text) => `  - ${text}`)];
    byId("verdict").append(...lines.map(line));
  }

  /** Return how many columns of text fit beside each other in the verdict. */
  columns() {
    const probe = h("span", {}, "0".repeat(50));
    const pre = byId("verdict");
    pre.append(probe);
    const room = pre.clientWidth || byId("work").clientWidth;
    const columns = Math.floor((room - 26) / (probe.getBoundingClientRect().width / 50));
    probe.remove();
    return Math.max(38, Math.min(98, columns));
  }

  hint() {
    const { hints } = this.exercise;
    const fitting = this.verdict?.hints?.length ? this.verdict.hints : hints.map((_, at) => at + 1);
    const number = fitting[Math.min(this.given, fitting.length - 1)];
    if (number === undefined || this.given >= fitting.length) return;
    this.given += 1;
    byId("hints").append(h("p", {}, h("strong", {}, `Hint ${number} of ${hints.length}: `), ...inline(hints[number - 1])));
  }

  reset() {
    const text = this.editor.text();
    if (text !== this.exercise.stub) this.work.set("backup", this.exercise.id, text);
    this.work.set("text", this.exercise.id, undefined);
    this.work.set("result", this.exercise.id, undefined);
    this.open(this.exercise);
    this.editor.focus();
  }

  restore() {
    const text = this.work.get("backup", this.exercise.id);
    this.work.set("backup", this.exercise.id, this.work.get("text", this.exercise.id)?.text);
    this.work.keep(this.exercise, text);
    this.open(this.exercise);
    this.editor.focus();
  }

  elsewhere() {
    if (this.editor.text() === this.work.text(this.exercise)) this.list();
    else note("This course is also open in another tab, which has changed your work. Reload the page to see it. What you type here replaces it.");
  }

  async export() {
    const begun = this.course.exercises.filter((one) => this.work.get("text", one.id));
    const texts = Object.fromEntries(begun.map((one) => [one.file, this.work.text(one)]));
    const data = await this.interpreters.ask("packed", JSON.stringify(texts));
    const address = URL.createObjectURL(new Blob([data], { type: "application/zip" }));
    h("a", { href: address, download: `${this.course.id}.zip` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }

  async import(file) {
    if (!file) return;
    const { texts, problems } = JSON.parse(await this.interpreters.ask("taken", file.name, new Uint8Array(await file.arrayBuffer())));
    if (problems.length) {
      note(problems.join(" "));
    } else {
      const changed = this.course.exercises.filter((one) => one.id in texts && texts[one.id] !== this.work.text(one));
      for (const one of changed) {
        if (this.work.get("text", one.id)) this.work.set("backup", one.id, this.work.text(one));
        this.work.keep(one, texts[one.id]);
        this.work.set("result", one.id, undefined);
      }
      this.open(this.exercise);
      note(`${Object.keys(texts).length} files read, ${changed.length} of them new. "Bring back" shows what a file replaced.`);
    }
    byId("import").value = "";
  }
}

/** Return a block of a lesson. */
function lessonBlock([kind, lines]) {
  if (kind === "pre") return block(lines.join("\n"));
  if (kind === "ul") return h("ul", {}, ...lines.map((text) => h("li", {}, ...inline(text))));
  return h("p", { class: kind }, ...inline(lines[0]));
}

/** Return a text with what is in backquotes as code. */
function inline(text) {
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? h("code", {}, part) : part));
}

/** Return a line of a verdict, whose first word has a colour. */
function line(text) {
  const [, space, word, rest] = /^( *)(PASS|FAIL|PART|TIME|ERR)?(.*)$/s.exec(text) ?? [];
  const painted = word && h("span", { class: word === "PASS" ? "passed" : "failed" }, word);
  const node = h("span", {}, space, painted, rest);
  node.append("\n");
  return node;
}

(async () => {
  const course = await (await fetch("course.json")).json();
  const page = new Page(course);
  const frame = byId("frame").contentWindow;
  try {
    await load(frame);
    const interpreters = new Interpreters(frame, course.hangSeconds);
    await interpreters.current.ready;
    page.interpreters = interpreters;
    for (const id of ["grade", "export", "import"]) byId(id).disabled = false;
    byId("loading").hidden = true;
    say("");
    document.body.dataset.ready = "";
    page.grade();
  } catch (error) {
    say(`Python could not be loaded: ${error.message}`);
    byId("state").classList.add("failed");
  }
})();
