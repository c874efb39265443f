"use strict";

const TRAIN_S = 300; // in which a training has to end
const WALK_MS = 120; // for each step of a training that is computed at once

/** Train what the learner's file can train, in an interpreter of its own, and show it as it goes. */
class TrainingView {
  /**
   * @param {() => Interpreters | undefined} interpreters Returns the interpreters when they are there.
   * @param {() => { exercise: Data.SiteExercise, text: string, engine: string }} file Returns the learner's text of the
   *   exercise that is open, and that of a whole engine, if it passes.
   */
  constructor(interpreters, file) {
    this.apart = new Apart(interpreters);
    this.file = file;
    /** @type {((model: Data.Model) => void) | undefined} */
    this.model = undefined;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.walk = undefined;
    /** @type {{ exercise: Data.SiteExercise, names: readonly string[] } | undefined} The last names that a model made. */
    this.made = undefined;
    byId("again").addEventListener("click", () => this.train());
    byId("stop-training").addEventListener("click", () => {
      this.apart.end?.("Stopped.");
      byId("again").focus();
    });
    byId("close-training").addEventListener("click", () => {
      this.close();
      byId("train").focus();
    });
    byId("training-choice").addEventListener("change", () => this.offer());
    byId("training-rate").addEventListener("input", () => this.pace());
  }

  close() {
    this.apart.end?.("");
    clearInterval(this.walk);
    byId("training").hidden = true;
  }

  /**
   * Offer what another exercise can train.
   * @param {Data.SiteExercise} exercise
   */
  open({ trainings }) {
    this.close();
    this.clear();
    byId("train").hidden = !trainings.length;
    fill(byId("training-choice"), trainings.map(({ id, title }) => h("option", { value: id }, title)));
    if (trainings.length) this.offer();
  }

  /** Forget what was trained. */
  clear() {
    clearInterval(this.walk);
    fill(byId("trained"));
    this.model = undefined;
    byId("training-state").textContent = "";
  }

  get chosen() {
    const { trainings } = this.file().exercise;
    return trainings.find(({ id }) => id === byId("training-choice").value) ?? trainings[0];
  }

  /** Show the learning rate to begin with. */
  offer() {
    const { rate } = this.chosen;
    Object.assign(byId("training-rate"), { min: rate / 10, max: 3 * rate, step: rate / 10, valueAsNumber: rate });
    this.pace();
  }

  pace() {
    const text = digits(byId("training-rate").valueAsNumber);
    byId("training-rate").setAttribute("aria-valuetext", text);
    byId("training-rate-text").textContent = text;
  }

  async train() {
    const { exercise, text, engine } = this.file();
    const { id, engines } = this.chosen;
    this.clear();
    byId("training").hidden = false;
    byId("training-state").textContent = "Starting …";
    find("label:has(#training-engine)").hidden = !engines || !engine;
    find("label:has(#training-choice)").hidden = exercise.trainings.length < 2;
    byId("stop-training").disabled = false;
    const own = engines && byId("training-engine").value === "own" ? engine : "";
    const why = await this.apart.ask("train", [exercise.id, text, id, byId("training-rate").valueAsNumber, own], TRAIN_S, {
      begun: () => (byId("training-state").textContent = own ? "Training, on your engine from exercise 12 …" : "Training …"),
      progress: (progress) => this.show(answered("train", progress)),
      ended: (answer) => (answered("train", answer).note ? "Ended." : "Trained."),
    });
    if (why === undefined) return;
    byId("training-state").textContent = why;
    byId("stop-training").disabled = true;
  }

  /**
   * Show a training as far as it went.
   * @param {Data.ReplayPage} page
   */
  show({ model, landscape, thermometers, note }) {
    const place = byId("trained");
    const first = !place.firstChild;
    if (model) {
      this.model ??= modelView(place);
      this.model(model);
      const names = model.drawn.filter(Boolean);
      if (names.length) this.made = { exercise: this.file().exercise, names };
    }
    if (thermometers.length) thermometersView(fill(place), [...thermometers]);
    if (landscape) {
      const to = landscapeView(place, landscape);
      if (landscape.steps.length && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(to, landscape.steps.length);
    }
    if (note) add(thermometers.length ? place : fill(place), h("p.headline", {}, note));
    if (first) this.reveal();
  }

  /** Scroll to the training: beside the lesson, only what is beside it moves. */
  reveal() {
    const work = byId("work");
    if (getComputedStyle(work).overflowY === "auto") work.scrollTo({ top: byId("training").offsetTop });
    else byId("training").scrollIntoView();
  }

  /**
   * Show the steps of a training one after the other.
   * @param {(at: number) => void} to
   * @param {number} steps
   */
  play(to, steps) {
    let at = 0;
    to(at);
    this.walk = setInterval(() => (++at < steps ? to(at) : clearInterval(this.walk)), WALK_MS);
    byId("trained").addEventListener("pointerdown", () => clearInterval(this.walk), { once: true });
    byId("trained").addEventListener("keydown", () => clearInterval(this.walk), { once: true });
  }

  /** Say that what was trained is an earlier text. */
  outdate() {
    if (byId("trained").firstChild && !this.apart.end) byId("training-state").textContent = "You have changed the text since.";
  }
}
