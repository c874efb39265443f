"use strict";

const PAUSE_MS = 250; // after the last key, before a verdict is asked for
const SYMBOLS = ["    ", "_", ".", "=", "+", "*", "(", ")", "[", "]"]; // which a phone's keyboard has on other pages
const ENGINE = "engine"; // the exercise in which learners write a whole engine
const ANSWER_MS = 1_000; // in which another tab answers

/**
 * Show a sentence above the exercises, or hide it. It may name files that others gave, so nothing in it is a link.
 * @type {(...texts: (string | false | undefined | 0)[]) => void}
 */
function note(...texts) {
  const text = texts.filter(Boolean).join(" ");
  fill(byId("note"), coded(text));
  byId("note").hidden = !text;
}

/**
 * Return whether a verdict is that of an exercise, whose points it does not exceed.
 * @type {(verdict: Data.Verdict, exercise: Data.SiteExercise) => boolean}
 */
const isOf = ({ exercise, score, max_score: most }, { id, points }) => exercise === id && score <= most && most === points;

/**
 * Return the first lines of the blocks of a text that are as they were given out, with nothing to be filled in: the
 * docstring, which is the lesson, and functions, classes and the main part. What is inside such a block is left out.
 * @type {(stub: string, text: string) => number[]}
 */
function givenLines(stub, text) {
  /** @type {number[]} */
  const found = [];
  const [docstring] = /^"""[^]*?"""/.exec(stub) ?? [];
  if (docstring && text.startsWith(docstring)) found.push(1);
  const lines = stub.slice(docstring?.length ?? 0).split("\n");
  for (let at = 0; at < lines.length; at++) {
    const [, indent] = /^( *)(?:def|class|if) /.exec(lines[at]) ?? [];
    if (indent === undefined) continue;
    let end = at + 1;
    while (end < lines.length && (!lines[end].trim() || lines[end].startsWith(`${indent} `))) end += 1;
    const given = lines.slice(at, end).join("\n").trimEnd();
    const place = text.indexOf(`\n${given}`);
    if (given.includes("TODO") || given.split("\n").length < 3 || place < 0) continue;
    found.push(text.slice(0, place + 1).split("\n").length);
    at = end - 1;
  }
  return found;
}

class Page {
  /**
   * @param {Data.SiteCourse} course
   */
  constructor(course) {
    this.course = course;
    this.exercise = course.exercises[0];
    this.opened = false;
    /** @type {Set<number>} */
    this.hinted = new Set();
    /** @type {number[]} */
    this.fitting = [];
    this.code = new OwnCode();
    this.compared = false;
    this.unloaded = "";
    this.width = 0;
    /** @type {(verdict: Data.Verdict) => void} */
    this.answered = () => {};
    /** @type {string | undefined} */
    this.graded = undefined;
    /** @type {string | undefined} */
    this.replayed = undefined;
    /** @type {string | undefined} */
    this.searching = undefined;
    /** @type {Interpreters | undefined} */
    this.interpreters = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.pause = undefined;
    this.work = new Work(course, () => {
      note("Your work cannot be kept: this browser's storage is full or switched off. Save it as a zip before you leave.");
    });
    this.editor = Editor.create(byId("editor"), "Your file", { changed: (text) => this.changed(text), run: () => this.grade() });
    fill(byId("symbols"), ...SYMBOLS.map((text) => {
      const label = text.trim() ? {} : { "aria-label": "Indent" };
      const kept = (/** @type {Event} */ event) => event.preventDefault(); // the keyboard of a phone stays open
      return h("button", { type: "button", ...label, onpointerdown: kept, onclick: () => this.editor.insert(text) }, text.trim() || "⇥");
    }));
    this.verdict = new VerdictView(this.editor);
    this.replays = new ReplayView({ shown: () => this.replay(), closed: () => byId("show-replay").focus() });
    this.running = new Running(() => this.interpreters);
    this.training = new TrainingView(() => this.interpreters, () => ({ exercise: this.exercise, text: this.editor.text(), engine: this.engine() }));
    this.contents = new Contents(course, this.work, (exercise) => this.open(exercise));
    this.asked = 0;
    this.refreshed = Promise.resolve();
    /** @type {Record<string, () => unknown>} */
    const commands = { grade: () => this.grade(), hint: () => this.hint(), reset: () => this.reset(),
      restore: () => this.restore(), compare: () => this.compare(!this.compared), next: () => this.next(), export: () => this.export(),
      run: () => this.running.run(this.exercise.id, this.editor.text(), this.editor.selected()), "show-replay": () => this.replays.open(),
      train: () => this.training.train() };
    for (const [id, command] of Object.entries(commands)) byId(id).addEventListener("click", () => this.run(command));
    byId("import").addEventListener("change", () => this.run(() => this.take([...(byId("import").files ?? [])])));
    find(".skip").addEventListener("click", (event) => (event.preventDefault(), this.editor.focus()));
    addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("selectionchange", () => this.selection());
    addEventListener("hashchange", () => {
      const named = this.named();
      if (named && named !== this.exercise) this.open(named);
    });
    addEventListener("beforeunload", (event) => this.work.unsaved.size && event.preventDefault());
    this.dropped();
    this.others();
    new ResizeObserver(() => this.resized()).observe(byId("work"));
    const begun = course.exercises.find((one) => one.id === this.work.get("at", "exercise"));
    this.open(this.named() ?? begun ?? course.exercises[0]);
  }

  /**
   * Return the exercise that the address names: by its number or its id, or by the beginning of its id.
   * @returns {Data.SiteExercise | undefined}
   */
  named() {
    const name = decoded(location.hash.slice(1)).toLowerCase();
    const { exercises } = this.course;
    /** @type {(one: Data.SiteExercise) => boolean} */
    const same = (one) => one.id === name || one.number === name || one.number.replace(/^0+/, "") === name;
    return exercises.find(same) ?? (name ? exercises.find((one) => one.id.startsWith(name)) : undefined);
  }

  /**
   * Run a command, and say so if the interpreter has failed.
   * @param {() => unknown} command
   */
  async run(command) {
    try {
      await command();
    } catch (error) {
      note(this.failed(this.exercise, error).lines.at(-1));
      say("");
    }
  }

  // -- Open an exercise

  /**
   * @param {Data.SiteExercise} exercise
   */
  open(exercise) {
    this.work.set("at", "exercise", exercise.id);
    const address = `#${exercise.id}`;
    if (this.named() !== exercise) history[this.opened ? "pushState" : "replaceState"](null, "", address);
    const another = !this.opened || exercise !== this.exercise;
    this.opened = true;
    this.exercise = exercise;
    byId("file").textContent = exercise.file;
    document.title = `${exercise.number} ${exercise.title}: ${this.course.title}`;
    this.code = showLesson(exercise);
    this.hinted = new Set();
    fill(byId("hints"));
    this.fitting = exercise.hints.map((_, at) => at + 1);
    this.verdict.clear();
    this.running.clear();
    this.training.open(exercise);
    this.replayed = undefined;
    this.editor.show(this.work.see(exercise));
    this.answered = questionsView(byId("text"), exercise.questions, this.editor);
    this.editor.fold(givenLines(exercise.stub, this.editor.text()));
    this.compare(false);
    this.begin();
    this.selection();
    const changed = this.work.outdated(exercise);
    note(changed && "The file of this exercise has changed since you began. Your text is kept. Compare shows what differs from the new file, and Reset takes the new file.");
    this.list();
    this.replays.clear("");
    if (another) {
      this.replays.close();
      scrollTo(0, 0);
    }
    this.grade();
  }

  /** Go to the first place that is still to be filled in, or else to the end of the docstring. */
  begin() {
    const text = this.editor.text();
    const place = Math.max(text.indexOf("# TODO"), 0) || text.indexOf("class ");
    if (place > 0) this.editor.at(place);
  }

  /** Show points and progress, and which earlier texts there are. */
  list() {
    const { exercises } = this.course;
    this.contents.show(this.exercise);
    const passed = exercises.some((one) => this.work.last(one)?.status === "passed");
    fill(byId("welcome"), ...coded(this.course.welcome));
    byId("welcome").hidden = passed;
    byId("next").hidden = this.work.last(this.exercise)?.status !== "passed";
    byId("next").textContent = this.contents.following(this.exercise) ? "Next exercise" : "What you have learnt";
    byId("finished").hidden ||= Boolean(this.contents.following(this.exercise));
    const kept = this.work.kept(this.exercise);
    fill(byId("earlier"), ...kept.map(({ why, when }, at) => {
      const time = new Date(when).toLocaleString([], { dateStyle: "short", timeStyle: "short" });
      return h("option", { value: at }, `${why}, ${time}`);
    }));
    byId("older").hidden = kept.length === 0;
  }

  /** Return the learner's text of the exercise in which they write a whole engine, if it passes. */
  engine() {
    const engine = this.course.exercises.find((one) => one.id === ENGINE);
    return engine && this.work.result(engine)?.status === "passed" ? this.work.text(engine) : "";
  }

  next() {
    const following = this.contents.following(this.exercise);
    if (following) {
      this.open(following);
      byId("lesson").focus();
    } else {
      const learnt = this.course.exercises.filter((one) => one.learnt);
      fill(byId("learnt"), ...learnt.flatMap((one) => {
        const part = this.course.parts.find(({ exercises }) => exercises[0] === one.id);
        const item = h("li", {}, `${one.number} `, ...inline(one.learnt));
        return part ? [h("li.part", {}, part.title), item] : [item];
      }));
      this.showMade();
      fill(byId("further"), ...this.course.further.map((text) => h("li", {}, ...inline(text))));
      byId("finished").hidden = false;
      byId("finished").scrollIntoView();
      byId("finished").focus();
    }
  }

  /** Show the names that the learner's model made, or where it can be trained. */
  showMade() {
    const { made } = this.training;
    const trainable = this.course.exercises.findLast(({ trainings }) => trainings.length);
    byId("your-model").hidden = !trainable;
    if (!trainable) return;
    byId("made").textContent = made
      ? `Your code of exercise ${made.exercise.number} made these names: ${made.names.join(", ")}.`
      : `You can train your code of exercise ${trainable.number} in this page.`;
    byId("open-trainable").onclick = () => this.run(() => {
      this.open(trainable);
      byId("lesson").focus();
    });
    byId("open-trainable").textContent = `Open exercise ${trainable.number}`;
  }

  // -- Grade what is typed

  /**
   * @param {string} text
   */
  changed(text) {
    if (text === this.work.text(this.exercise)) return;
    this.work.store(this.exercise, text);
    this.later();
  }

  /** Grade after a pause. */
  later() {
    if (this.graded !== this.editor.text()) {
      this.verdict.outdate();
      this.replays.outdate();
      this.training.outdate();
      this.code.set(undefined);
    }
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.grade(), PAUSE_MS);
  }

  /**
   * @param {KeyboardEvent} event
   */
  key(event) {
    const asked = (event.ctrlKey || event.metaKey) && (event.key === "s" || event.key === "Enter");
    if (!asked || event.defaultPrevented) return;
    event.preventDefault();
    this.grade();
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
    this.verdict.begin();
    const verdict = await this.judged(exercise, text);
    say("");
    if (exercise === this.exercise && text === this.editor.text()) this.show(verdict, text);
    this.search(exercise, text, verdict);
  }

  /**
   * Search for the line that must change, and show it when it is found. Another text or verdict ends the search.
   * @param {Data.SiteExercise} exercise
   * @param {string} text
   * @param {Data.Verdict} verdict
   */
  async search(exercise, text, { searched, report }) {
    if (exercise !== this.exercise) return;
    const { interpreters } = this;
    const search = (this.searching = searched ? report : undefined);
    const wanted = () => search === this.searching && exercise === this.exercise && text === this.editor.text();
    this.verdict.searching(searched);
    await this.refreshed;
    try {
      for (let ended = !searched; interpreters && !ended && wanted(); ) {
        const step = answered("search", await interpreters.ask("search", exercise.id, text, this.width));
        if (step.verdict && isOf(step.verdict, exercise) && wanted()) {
          this.keep(exercise, text, step.verdict);
          this.replayed = undefined; // the replay marks the line that must change
          this.show(step.verdict, text);
        }
        ({ ended } = step);
      }
    } catch (error) {
      console.warn(messageOf(error));
    }
    if (search === this.searching) this.verdict.searching(false);
  }

  /**
   * Grade a text, store the result, and return the verdict.
   * @param {Data.SiteExercise} exercise
   * @param {string} text
   * @returns {Promise<Data.Verdict>}
   */
  async judged(exercise, text) {
    const columns = this.columns();
    let verdict;
    try {
      verdict = answered("grade", await this.interpreters?.ask("grade", exercise.id, text, columns));
      if (!isOf(verdict, exercise)) throw new Error("the verdict is that of another exercise");
    } catch (error) {
      verdict = this.failed(exercise, error);
    }
    if (exercise === this.exercise) this.width = columns;
    this.keep(exercise, text, verdict);
    return verdict;
  }

  /**
   * @param {Data.SiteExercise} exercise
   * @param {string} text
   * @param {Data.Verdict} verdict
   */
  keep(exercise, text, { status, score, report }) {
    this.work.set("result", exercise.id, { status, score, text, course: this.course.hash, report });
  }

  /**
   * Take a verdict that was found again, in an interpreter that no earlier file can have changed.
   * @param {string[]} values
   * @param {unknown} answer
   */
  confirmed([id, text], answer) {
    const exercise = this.course.exercises.find((one) => one.id === id);
    if (!exercise || this.work.text(exercise) !== text) return;
    const verdict = answered("grade", answer);
    if (!isOf(verdict, exercise)) return;
    this.keep(exercise, text, verdict);
    if (exercise === this.exercise) this.show(verdict, text);
    this.search(exercise, text, verdict);
  }

  /**
   * @param {Data.SiteExercise} exercise
   * @param {unknown} error
   * @returns {Data.Verdict}
   */
  failed(exercise, error) {
    const sentence = error instanceof Ended ? this.course.hung : this.course.died;
    if (!(error instanceof Ended)) console.warn(messageOf(error));
    const lines = [`FAIL     ${exercise.number} ${exercise.id}`, "", sentence];
    const message = [[{ text: sentence, first: 0, last: 0 }]];
    /** @type {Omit<Data.Verdict, "exercise" | "status" | "score" | "max_score" | "lines">} */
    const nothing = { outcome: "Not passed yet", checks: [], message, observed: [], learnt: "", report: "", searched: false, line: "", marked: [], hints: [], printed: [] };
    return { exercise: exercise.id, status: "failed", score: 0, max_score: exercise.points, lines, ...nothing };
  }

  /**
   * @param {Data.Verdict} verdict
   * @param {string} text
   */
  show(verdict, text) {
    this.verdict.show(verdict, text);
    this.answered(verdict);
    this.fitting = verdict.hints.length ? verdict.hints : this.exercise.hints.map((_, at) => at + 1);
    this.hintsLeft(verdict.status === "passed" ? 0 : this.hints().length, verdict.hints.length > 0);
    this.list();
    this.graded = text;
    byId("show-replay").disabled = !this.work.begun(this.exercise);
    this.unloaded = verdict.message[0]?.map((part) => part.text).join("") ?? "";
    const loaded = verdict.checks.length > 0 && this.work.begun(this.exercise);
    this.code.set(loaded ? (figure, leaves) => this.runOn(text, figure, leaves) : undefined);
    if (this.replays.isOpen) this.replay();
  }

  /**
   * Return how a text of the learner's runs on a figure of the lesson; null if it cannot.
   * @param {string} text
   * @param {Data.SiteFigure} figure
   * @param {Leaves} leaves
   * @returns {Promise<Data.Replay | null>}
   */
  async runOn(text, { id, nodes }, leaves) {
    const values = Object.fromEntries(Object.entries(leaves).map(([i, value]) => [nodes[Number(i)].name, value]));
    const data = await this.interpreters?.ask("figure", this.exercise.id, text, id, JSON.stringify(values));
    const [replay] = answered("figure", data).replays;
    return replay?.nodes.length === nodes.length ? replay : null;
  }

  /**
   * Show a check that has ended while others still run.
   * @param {unknown} progress
   */
  checked(progress) {
    try {
      const check = answered("checked", progress);
      if (check.exercise === this.exercise.id) this.verdict.checked(check);
    } catch (error) {
      console.warn(messageOf(error)); // the verdict that follows is checked, too
    }
  }

  /** Say what the button runs: the file's own part, or the lines that are selected. */
  selection() {
    byId("run").textContent = this.editor.selected() ? "Run the selected lines" : "Run";
  }

  /** Return how many columns of text fit beside each other in the verdict. */
  columns() {
    const probe = h("span", {}, "0".repeat(50));
    const pre = h("pre", { class: "terminal" }, probe);
    add(byId("work"), pre);
    const room = byId("work").clientWidth;
    const columns = Math.floor((room - 60) / (probe.getBoundingClientRect().width / 50));
    pre.remove();
    return Math.max(38, Math.min(98, columns));
  }

  /** Ask for lines of another width. */
  resized() {
    if (byId("verdict").dataset.status && this.columns() !== this.width) this.later();
  }

  /** Grade every text that has no result of its own, one after the other, such as after a change of the course. */
  refresh() {
    return (this.refreshed = this.gradeOthers());
  }

  async gradeOthers() {
    for (const exercise of this.course.exercises) {
      if (exercise === this.exercise || !this.work.begun(exercise) || this.work.result(exercise)) continue;
      await this.judged(exercise, this.work.text(exercise));
      this.list();
    }
  }

  // -- Help

  /** Return the numbers of the hints that fit the failure and are not shown yet. */
  hints() {
    return this.fitting.filter((number) => !this.hinted.has(number));
  }

  /**
   * Say how many hints can still be shown.
   * @param {number} left
   * @param {boolean} ofFailure Whether they fit the failure that is shown.
   */
  hintsLeft(left, ofFailure = true) {
    byId("hint").disabled = left === 0;
    byId("hint").hidden = left === 0 && !this.hinted.size;
    byId("hint").textContent = this.hinted.size ? `Show another hint (${left} left)` : `Show a hint (${left} for this ${ofFailure ? "failure" : "exercise"})`;
  }

  hint() {
    const { hints } = this.exercise;
    const [number, ...others] = this.hints();
    if (number === undefined) return;
    this.hinted.add(number);
    add(byId("hints"), h("p", {}, h("strong", {}, `Hint ${number} of ${hints.length}: `), ...inline(hints[number - 1])));
    this.hintsLeft(others.length);
  }

  /**
   * @param {boolean} compared
   */
  compare(compared) {
    this.compared = compared;
    byId("compare").setAttribute("aria-pressed", String(compared));
    this.editor.compare(compared ? this.exercise.stub : undefined);
  }

  async replay() {
    const { exercise } = this;
    const text = this.editor.text();
    if (!this.interpreters || !this.work.begun(exercise) || this.replayed === text) return;
    this.replayed = text;
    try {
      const data = answered("replay", await this.interpreters.ask("replay", exercise.id, text));
      if (exercise !== this.exercise || this.replayed !== text) return;
      if (data.replays.length || data.thermometers.length) this.replays.show(data);
      else this.replays.clear(this.unloaded || `Nothing of this exercise can be replayed. ${exercise.trainings.length ? "Train shows how your code learns." : "Run shows what your program prints."}`);
    } catch {
      if (exercise === this.exercise) this.replays.clear("The replay of your code took too long.");
    }
  }

  // -- Earlier texts

  reset() {
    this.put(this.exercise.stub, "before Reset");
  }

  restore() {
    const kept = this.work.kept(this.exercise)[Number(byId("earlier").value)];
    if (kept) this.put(kept.text, "before Bring back");
  }

  /**
   * Replace the text of the exercise that is open, which can be undone.
   * @param {string} text
   * @param {string} why
   */
  put(text, why) {
    this.work.replace(this.exercise, text, why);
    if (text === this.exercise.stub) this.work.set("result", this.exercise.id, undefined);
    this.open(this.exercise);
    this.editor.focus();
  }

  // -- Other tabs

  /** Show what another tab types, and say that there is one. */
  others() {
    const channel = new BroadcastChannel(this.work.prefix);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let silence;
    const ask = () => {
      clearTimeout(silence);
      silence = setTimeout(() => (byId("tabs").hidden = true), ANSWER_MS);
      channel.postMessage("who?");
    };
    channel.addEventListener("message", ({ data }) => {
      if (data === "closed") return ask(); // a third tab may be there
      clearTimeout(silence);
      byId("tabs").hidden = false;
      if (data === "who?") channel.postMessage("me");
    });
    ask();
    for (const event of ["pageshow", "focus"]) addEventListener(event, ask);
    addEventListener("pagehide", () => channel.postMessage("closed"));
    addEventListener("storage", ({ key }) => key?.startsWith(this.work.prefix) && this.elsewhere());
    addEventListener("visibilitychange", () => this.elsewhere());
  }

  elsewhere() {
    const text = this.work.see(this.exercise);
    if (this.editor.text() !== text) this.editor.replace(text); // every key is stored, so this tab has nothing newer
    const stale = byId("verdict").dataset.status && this.graded !== text;
    if (stale && document.visibilityState === "visible") this.later();
    this.list();
  }

  // -- Files

  dropped() {
    /** @type {(event: DragEvent) => boolean} */
    const files = ({ dataTransfer }) => Boolean(dataTransfer?.types.includes("Files"));
    /** @type {(event: DragEvent, run: () => void) => unknown} */
    const own = (event, run) => files(event) && (event.preventDefault(), event.stopPropagation(), run());
    addEventListener("dragover", (event) => own(event, () => {}), true);
    addEventListener("drop", (event) => own(event, () => this.run(() => this.take([...(event.dataTransfer?.files ?? [])]))), true);
  }

  async export() {
    const { interpreters } = this;
    if (!interpreters) return;
    say("Packing …");
    const begun = this.course.exercises.filter((one) => this.work.begun(one));
    await this.refresh();
    if (begun.includes(this.exercise) && !this.work.result(this.exercise)) await this.grade();
    const reports = begun.map((one) => this.work.result(one)?.report).filter(Boolean);
    const texts = this.work.files();
    const data = await interpreters.ask("packed", JSON.stringify(texts), JSON.stringify(reports));
    if (!(data instanceof Uint8Array) || data.length > MOST_BYTES) throw new Error("the answer to packed is no archive");
    const address = URL.createObjectURL(new Blob([new Uint8Array(data)], { type: "application/zip" }));
    h("a", { href: address, download: `${this.course.id}.zip` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    say("");
  }

  /**
   * Take in files of exercises, and zips of them.
   * @param {File[]} files
   */
  async take(files) {
    const { interpreters } = this;
    if (!files.length) return;
    if (!interpreters) return note("Python is still loading. Try again when it is there.");
    /** @type {Data.SiteExercise[]} */
    const changed = [];
    /** @type {Data.SiteExercise[]} */
    const unchanged = [];
    /** @type {string[]} */
    const problems = [];
    for (const file of files) {
      if (file.size > MOST_BYTES) {
        problems.push(`${file.name} is larger than ${MOST_BYTES / 1e6} MB.`);
        continue;
      }
      const bytes = new Uint8Array(await file.arrayBuffer());
      const answer = answered("taken", await interpreters.ask("taken", file.name, bytes));
      problems.push(...answer.problems);
      for (const one of this.course.exercises.filter(({ id }) => Object.hasOwn(answer.texts, id))) {
        const text = answer.texts[one.id];
        if (text === this.work.text(one)) unchanged.push(one);
        else this.work.replace(one, text, `before ${file.name}`), changed.push(one);
      }
    }
    byId("import").value = "";
    if (changed.length) this.open(changed.includes(this.exercise) ? this.exercise : changed[0]);
    note(...problems,
      changed.length && `Taken in: ${changed.map((one) => one.file).join(", ")}. Bring back has what they replaced.`,
      unchanged.length && `The same as yours: ${unchanged.map((one) => one.file).join(", ")}.`);
    await this.refresh();
  }
}

(async () => {
  /** @type {Data.SiteCourse} */
  const course = await (await fetch("course.json")).json();
  const page = new Page(course);
  const frame = /** @type {Window} */ (byId("frame").contentWindow);
  try {
    await loaded;
    const interpreters = new Interpreters(frame, course.hangSeconds, course.imports);
    await interpreters.current.ready;
    interpreters.progress = (progress) => page.checked(progress);
    interpreters.confirmed = (values, verdict) => page.confirmed(values, verdict);
    page.interpreters = interpreters;
    byId("grade").disabled = byId("run").disabled = byId("train").disabled = byId("export").disabled = byId("import").disabled = false;
    byId("loading").hidden = true;
    say("");
    document.body.dataset.ready = "";
    keepOffline();
    await page.grade();
    if (page.replays.isOpen) page.replay();
    await page.refresh();
  } catch (error) {
    say(`Python could not be loaded: ${messageOf(error)}`);
    byId("state").classList.add("failed");
  }
})();
