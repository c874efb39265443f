"use strict";

const PAUSE_MS = 250; // after the last key, before a verdict is asked for
const ANSWER_MS = 1_000; // in which another tab answers

/** Show a sentence above the exercises, or hide it. */
function note(...texts) {
  const text = texts.filter(Boolean).join(" ");
  byId("note").replaceChildren(...inline(plain(text)));
  byId("note").hidden = !text;
}

class Page {
  constructor(course) {
    this.course = course;
    this.work = new Work(course, () => {
      note("Your work cannot be kept: this browser's storage is full or switched off. Save it as a zip before you leave.");
    });
    this.editor = Editor.create(byId("editor"), "Your file", { changed: (text) => this.changed(text), run: () => this.grade() });
    this.verdict = new VerdictView(this.editor);
    this.side = new Side(() => this.replay());
    this.asked = 0;
    this.refreshed = Promise.resolve();
    this.buttons = this.navigation();
    const commands = { grade: () => this.grade(), hint: () => this.hint(), reset: () => this.reset(),
      restore: () => this.restore(), compare: () => this.compare(!this.compared), next: () => this.next(), export: () => this.export() };
    for (const [id, command] of Object.entries(commands)) byId(id).addEventListener("click", () => this.run(command));
    byId("import").addEventListener("change", ({ target }) => this.run(() => this.take([...target.files])));
    document.querySelector(".skip").addEventListener("click", (event) => (event.preventDefault(), this.editor.focus()));
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => this.named() && this.named() !== this.exercise && this.open(this.named()));
    addEventListener("beforeunload", (event) => this.work.unsaved.size && event.preventDefault());
    this.dropped();
    this.others();
    new ResizeObserver(() => this.resized()).observe(byId("work"));
    const begun = course.exercises.find((one) => one.id === this.work.get("at", "exercise"));
    this.open(this.named() ?? begun ?? course.exercises[0]);
  }

  /** Return the exercise that the address names: by its number or its id, or by the beginning of its id. */
  named() {
    const name = decodeURIComponent(location.hash.slice(1)).toLowerCase();
    const { exercises } = this.course;
    const same = (one) => one.id === name || one.number === name || one.number.replace(/^0+/, "") === name;
    return exercises.find(same) ?? (name ? exercises.find((one) => one.id.startsWith(name)) : undefined);
  }

  /** Run a command, and say so if the interpreter has failed. */
  async run(command) {
    try {
      await command();
    } catch (error) {
      console.warn(error.message);
      note(this.failed(this.exercise, error).lines.at(-1));
      say("");
    }
  }

  // -- Open an exercise

  open(exercise) {
    this.work.set("at", "exercise", exercise.id);
    const address = `#${exercise.id}`;
    if (this.named() !== exercise) history[this.exercise ? "pushState" : "replaceState"](null, "", address);
    this.exercise = exercise;
    byId("file").textContent = exercise.file;
    this.side.lesson(exercise);
    this.hinted = new Set();
    byId("hints").replaceChildren();
    this.fitting = exercise.hints.map((_, at) => at + 1);
    this.verdict.clear();
    this.replayed = undefined;
    this.editor.show(this.work.see(exercise));
    this.compare(false);
    this.begin();
    const changed = this.work.outdated(exercise);
    const first = !this.course.exercises.some((one) => this.work.begun(one));
    note(first && this.course.welcome, changed && "The file of this exercise has changed since you began. Your text is kept. Compare shows what differs from the new file, and Reset takes the new file.");
    this.list();
    this.side.clear(this.work.begun(exercise) ? "" : "Change the file. After the verdict, your code is replayed here.");
    this.grade();
  }

  /** Go to the first place that is still to be filled in, or else to the end of the docstring. */
  begin() {
    const text = this.editor.text();
    const place = Math.max(text.indexOf("# TODO"), 0) || text.indexOf("class ");
    if (place > 0) this.editor.at(place);
  }

  navigation() {
    const buttons = new Map(this.course.exercises.map((one) => {
      return [one, h("button", { type: "button", onclick: () => this.open(one) }, `${one.number} ${one.id}`)];
    }));
    this.totals = new Map();
    const items = [...buttons].flatMap(([one, button]) => {
      const part = this.course.parts.find(({ exercises }) => exercises[0] === one.id);
      if (!part) return [h("li", {}, button)];
      this.totals.set(part, h("span", {}));
      return [h("li.part", {}, `${part.title}: `, this.totals.get(part)), h("li", {}, button)];
    });
    byId("exercises").replaceChildren(...items);
    return buttons;
  }

  /** Show points and progress. */
  list() {
    const { exercises } = this.course;
    const results = new Map(exercises.map((one) => [one, this.work.last(one)]));
    const passed = exercises.filter((one) => results.get(one)?.status === "passed").length;
    const points = exercises.reduce((sum, one) => sum + (results.get(one)?.score ?? 0), 0);
    const all = exercises.reduce((sum, one) => sum + one.points, 0);
    for (const [part, total] of this.totals) {
      const own = exercises.filter(({ id }) => part.exercises.includes(id));
      total.textContent = `${own.reduce((sum, one) => sum + (results.get(one)?.score ?? 0), 0)}/${part.points}`;
    }
    byId("score").textContent = `${points}/${all} points, ${passed} of ${exercises.length} exercises passed`;
    for (const [one, button] of this.buttons) {
      const result = results.get(one);
      const status = result?.status === "passed" ? "passed" : this.work.begun(one) ? "begun" : "";
      button.className = status;
      button.title = [one.title, `${result?.score ?? 0} of ${one.points} points`, status].filter(Boolean).join(", ");
      if (one === this.exercise) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    byId("next").hidden = results.get(this.exercise)?.status !== "passed";
    byId("next").textContent = this.following() ? "Next exercise" : "What you have learnt";
    byId("finished").hidden ||= Boolean(this.following());
    const kept = this.work.kept(this.exercise);
    byId("earlier").replaceChildren(...kept.map(({ why, when }, at) => {
      const time = new Date(when).toLocaleString([], { dateStyle: "short", timeStyle: "short" });
      return h("option", { value: at }, `${why}, ${time}`);
    }));
    byId("older").hidden = kept.length === 0;
  }

  /** Return the next exercise that is not passed. */
  following() {
    const { exercises } = this.course;
    const at = exercises.indexOf(this.exercise);
    const others = [...exercises.slice(at), ...exercises.slice(0, at)];
    return others.find((one) => this.work.last(one)?.status !== "passed");
  }

  next() {
    if (this.following()) {
      this.open(this.following());
      this.side.choose("tab-lesson");
      byId("lesson").focus();
    } else {
      const learnt = this.course.exercises.filter((one) => one.learnt);
      byId("learnt").replaceChildren(...learnt.flatMap((one) => {
        const part = this.course.parts.find(({ exercises }) => exercises[0] === one.id);
        const item = h("li", {}, `${one.number} `, ...inline(one.learnt));
        return part ? [h("li.part", {}, part.title), item] : [item];
      }));
      byId("further").replaceChildren(...this.course.further.map((text) => h("li", {}, ...inline(text))));
      byId("finished").hidden = false;
      byId("finished").scrollIntoView();
      byId("finished").focus();
    }
  }

  // -- Grade what is typed

  changed(text) {
    if (text === this.work.text(this.exercise)) return;
    this.work.store(this.exercise, text);
    this.later();
  }

  /** Grade after a pause. */
  later() {
    byId("verdict").classList.add("old");
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.grade(), PAUSE_MS);
  }

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
    const verdict = await this.judged(exercise, text);
    if (exercise === this.exercise && text === this.editor.text()) this.show(verdict, text);
    say("");
    this.search(exercise, text, verdict);
  }

  /** Search for the line that must change, and show it when it is found. Another text or verdict ends the search. */
  async search(exercise, text, { searched, report }) {
    if (exercise !== this.exercise) return;
    const search = (this.searching = searched ? report : undefined);
    const wanted = () => search === this.searching && exercise === this.exercise && text === this.editor.text();
    this.verdict.searching(searched);
    await this.refreshed;
    try {
      for (let ended = !searched; !ended && wanted(); ) {
        const step = JSON.parse(await this.interpreters.ask("search", exercise.id, text, this.width));
        if (step.verdict && wanted()) {
          this.keep(exercise, text, step.verdict);
          this.show(step.verdict, text);
        }
        ({ ended } = step);
      }
    } catch (error) {
      console.warn(error.message);
    }
    if (search === this.searching) this.verdict.searching(false);
  }

  /** Grade a text, store the result, and return the verdict. */
  async judged(exercise, text) {
    const columns = this.columns();
    let verdict;
    try {
      verdict = JSON.parse(await this.interpreters.ask("grade", exercise.id, text, columns));
    } catch (error) {
      verdict = this.failed(exercise, error);
    }
    if (exercise === this.exercise) this.width = columns;
    this.keep(exercise, text, verdict);
    return verdict;
  }

  keep(exercise, text, { status, score, report }) {
    this.work.set("result", exercise.id, { status, score, text, course: this.course.hash, report });
  }

  /** Take a verdict that was found again, in an interpreter that no earlier file can have changed. */
  confirmed([id, text], verdict) {
    const exercise = this.course.exercises.find((one) => one.id === id);
    if (this.work.text(exercise) !== text) return;
    this.keep(exercise, text, verdict);
    if (exercise === this.exercise) this.show(verdict, text);
    this.search(exercise, text, verdict);
  }

  failed(exercise, error) {
    const sentence = error instanceof Ended ? this.course.hung : this.course.died;
    if (!(error instanceof Ended)) console.warn(error.message);
    return { status: "failed", score: 0, lines: [`FAIL     ${exercise.number} ${exercise.id}`, "", sentence], marked: [], hints: [] };
  }

  show(verdict, text) {
    this.verdict.show(verdict, text);
    this.fitting = verdict.hints.length ? verdict.hints : this.exercise.hints.map((_, at) => at + 1);
    byId("hint").disabled = !this.hints().length;
    this.list();
    this.graded = text;
    if (this.side.replays) this.replay();
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

  hint() {
    const { hints } = this.exercise;
    const [number, ...others] = this.hints();
    if (number === undefined) return;
    this.hinted.add(number);
    byId("hints").append(h("p", {}, h("strong", {}, `Hint ${number} of ${hints.length}: `), ...inline(hints[number - 1])));
    byId("hint").disabled = others.length === 0;
  }

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
      const data = JSON.parse(await this.interpreters.ask("replay", exercise.id, text));
      if (exercise !== this.exercise || this.replayed !== text) return;
      if (data.replays.length || data.thermometers.length) this.side.show(data);
      else this.side.clear("Nothing of this exercise can be replayed here.");
    } catch {
      if (exercise === this.exercise) this.side.clear("The replay of your code took too long.");
    }
  }

  // -- Earlier texts

  reset() {
    this.put(this.exercise.stub, "before Reset");
  }

  restore() {
    const kept = this.work.kept(this.exercise)[byId("earlier").value];
    if (kept) this.put(kept.text, "before Bring back");
  }

  /** Replace the text of the exercise that is open, which can be undone. */
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
    const files = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
    const own = (event, run) => files(event) && (event.preventDefault(), event.stopPropagation(), run());
    addEventListener("dragover", (event) => own(event, () => {}), true);
    addEventListener("drop", (event) => own(event, () => this.run(() => this.take([...event.dataTransfer.files]))), true);
  }

  async export() {
    say("Packing …");
    const begun = this.course.exercises.filter((one) => this.work.begun(one));
    await this.refresh();
    if (begun.includes(this.exercise) && !this.work.result(this.exercise)) await this.grade();
    const reports = begun.map((one) => this.work.result(one)?.report).filter(Boolean);
    const texts = this.work.files();
    const data = await this.interpreters.ask("packed", JSON.stringify(texts), JSON.stringify(reports));
    const address = URL.createObjectURL(new Blob([data], { type: "application/zip" }));
    h("a", { href: address, download: `${this.course.id}.zip` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    say("");
  }

  /** Take in files of exercises, and zips of them. */
  async take(files) {
    if (!files.length) return;
    if (!this.interpreters) return note("Python is still loading. Try again when it is there.");
    const changed = [];
    const unchanged = [];
    const problems = [];
    for (const file of files) {
      const answer = JSON.parse(await this.interpreters.ask("taken", file.name, new Uint8Array(await file.arrayBuffer())));
      problems.push(...answer.problems);
      for (const one of this.course.exercises.filter(({ id }) => id in answer.texts)) {
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
  const course = await (await fetch("course.json")).json();
  const page = new Page(course);
  const frame = byId("frame").contentWindow;
  try {
    await loaded;
    const interpreters = new Interpreters(frame, course.hangSeconds, course.imports);
    await interpreters.current.ready;
    interpreters.confirmed = (values, verdict) => page.confirmed(values, JSON.parse(verdict));
    page.interpreters = interpreters;
    for (const id of ["grade", "export", "import"]) byId(id).disabled = false;
    byId("loading").hidden = true;
    say("");
    document.body.dataset.ready = "";
    keepOffline();
    await page.grade();
    if (page.side.replays) page.replay();
    await page.refresh();
  } catch (error) {
    say(`Python could not be loaded: ${error.message}`);
    byId("state").classList.add("failed");
  }
})();
