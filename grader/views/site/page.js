"use strict";

const PAUSE_MS = 250; // after the last key, before a verdict is asked for
const FILES = {
  worker: "worker.js", loader: "python/pyodide.mjs", glue: "python/pyodide.asm.mjs", binary: "python/pyodide.asm.wasm",
  library: "python/python_stdlib.zip", lock: "python/pyodide-lock.json", grader: "python/grader.zip",
};
const TEXTS = ["worker", "loader", "glue", "lock"];
const byId = (id) => document.getElementById(id);
const say = (text) => (byId("state").textContent = text);

/** Make an element with attributes and children; strings become text nodes. */
function h(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

// -- Interpreters: one at work, and one that is ready to take its place

class Interpreter {
  static count = 0;

  constructor(frame) {
    this.frame = frame;
    this.number = ++Interpreter.count;
    this.waiting = new Map();
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.ready = new Promise((resolve, reject) => {
      port1.onmessage = ({ data }) => {
        if (data.ready) resolve(Object.assign(this, { patience: data.patience }));
        else if (data.id) this.settle(data);
        else reject(new Error(data.failed));
      };
    });
    this.ready.catch(() => {});
    frame.postMessage({ start: this.number }, "*", [port2]);
  }

  settle({ id, result, failed }) {
    const { resolve, reject } = this.waiting.get(id) ?? {};
    this.waiting.delete(id);
    if (failed) reject?.(new Error(failed));
    else resolve?.(result);
  }

  ask(action, ...values) {
    const id = this.waiting.size + 1;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.port.postMessage({ id, action, values });
    });
  }

  end() {
    this.port.close();
    this.frame.postMessage({ end: this.number }, "*");
  }
}

class Ended extends Error {}

class Interpreters {
  constructor(frame, seconds) {
    this.frame = frame;
    this.seconds = seconds;
    this.busy = Promise.resolve();
    this.current = new Interpreter(frame);
    this.spare = this.after(this.current);
  }

  /** Start another interpreter when this one is ready, and has given the verdict that is waited for. */
  async after(current) {
    await current.ready;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await this.busy;
    return new Interpreter(this.frame);
  }

  /** Ask the interpreter, one request after another. Raise `Ended` if it does not answer in time. */
  ask(action, ...values) {
    const answer = this.busy.then(() => this.exchange(action, values));
    this.busy = answer.catch(() => {});
    return answer;
  }

  async exchange(action, values) {
    const current = await this.current.ready;
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Ended("hung")), this.seconds * current.patience * 1000);
    });
    try {
      return await Promise.race([current.ask(action, ...values), late]);
    } catch (error) {
      // whatever went wrong, this interpreter is not used again
      current.end();
      const spare = await this.spare;
      this.current = spare;
      this.spare = this.after(spare);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Load all files, and hand them to the frame as soon as it listens. */
async function load(frame) {
  const listening = new Promise((resolve) => {
    addEventListener("message", ({ data, source }) => source === frame && data.ready && resolve());
  });
  byId("frame").src = "frame.html"; // not before this script can hear it
  let done = 0;
  const one = async ([name, path]) => {
    const response = await fetch(path);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    const data = TEXTS.includes(name) ? await response.text() : await response.arrayBuffer();
    byId("loading").value = ++done / (Object.keys(FILES).length + 1);
    return [name, data];
  };
  const files = Object.fromEntries(await Promise.all(Object.entries(FILES).map(one)));
  await listening;
  frame.postMessage({ files }, "*");
}

// -- The learner's work, in this browser's storage

class Work {
  constructor(course) {
    this.prefix = `backward:${course.id}:`;
  }

  get(kind, id) {
    const text = localStorage.getItem(`${this.prefix}${kind}:${id}`);
    return text === null ? undefined : JSON.parse(text);
  }

  set(kind, id, value) {
    try {
      if (value === undefined) localStorage.removeItem(`${this.prefix}${kind}:${id}`);
      else localStorage.setItem(`${this.prefix}${kind}:${id}`, JSON.stringify(value));
    } catch {
      note("Your work cannot be kept: this browser's storage is full or switched off. Save it as a zip.");
    }
  }

  /** Return the text of an exercise: the learner's, or else the file as it is given out. */
  text(exercise) {
    const kept = this.get("text", exercise.id);
    return kept === undefined || kept.text === kept.stub ? exercise.stub : kept.text;
  }

  keep(exercise, text) {
    const stub = this.get("text", exercise.id)?.stub ?? exercise.stub;
    this.set("text", exercise.id, text === exercise.stub ? undefined : { text, stub });
  }

  /** Return whether the exercise has changed since the learner began it. */
  outdated(exercise) {
    const kept = this.get("text", exercise.id);
    return kept !== undefined && kept.text !== kept.stub && kept.stub !== exercise.stub;
  }
}

function note(text) {
  byId("note").textContent = text;
  byId("note").hidden = !text;
}

// -- The page

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
    byId("text").replaceChildren(...exercise.lesson.map(block));
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
      const button = h("button", { type: "button", class: status, "aria-current": current, title: about,
        click: () => this.open(one) }, `${one.number} ${one.id}`);
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
    const texts = JSON.parse(await this.interpreters.ask("unpacked", new Uint8Array(await file.arrayBuffer())));
    if (texts === null) {
      note("This is not a zip.");
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
function block([kind, lines]) {
  if (kind === "pre") return h("pre", { tabindex: 0 }, lines.join("\n"));
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
  const painted = word ? h("span", { class: word === "PASS" ? "passed" : "failed" }, word) : "";
  return h("span", {}, space, painted, rest, "\n");
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
