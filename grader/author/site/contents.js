"use strict";

/** The bar, which says where the learner is, and the list of exercises behind it. */
class Contents {
  /**
   * @param {Data.SiteCourse} course
   * @param {Work} work
   * @param {(exercise: Data.SiteExercise) => void} open
   */
  constructor(course, work, open) {
    this.course = course;
    this.work = work;
    /** @type {Map<Data.SiteExercise, HTMLButtonElement>} */
    this.buttons = new Map();
    /** @type {Map<Data.SitePart, HTMLElement>} */
    this.totals = new Map();
    const parts = course.parts.length ? course.parts : [{ title: course.title, points: 0, exercises: course.exercises.map(({ id }) => id) }];
    fill(byId("exercises"),
      ...parts.map((part) => {
        const total = h("span.total", {});
        this.totals.set(part, total);
        const own = course.exercises.filter(({ id }) => part.exercises.includes(id));
        return [h("h2", {}, part.title, " ", total), h("ol", {}, ...own.map((one) => h("li", {}, this.entry(one, open))))];
      }),
    );
  }

  /**
   * @param {Data.SiteExercise} exercise
   * @param {(exercise: Data.SiteExercise) => void} open
   */
  entry(exercise, open) {
    const chosen = () => {
      byId("contents").hidePopover();
      open(exercise);
    };
    const button = h("button", { type: "button", onclick: chosen });
    this.buttons.set(exercise, button);
    return button;
  }

  /**
   * Return the part that an exercise belongs to, or undefined in a course without parts.
   * @param {Data.SiteExercise} exercise
   */
  part(exercise) {
    return this.course.parts.find(({ exercises }) => exercises.includes(exercise.id));
  }

  /**
   * Return the next exercise that is not passed.
   * @param {Data.SiteExercise} exercise
   */
  following(exercise) {
    const { exercises } = this.course;
    const at = exercises.indexOf(exercise);
    return [...exercises.slice(at), ...exercises.slice(0, at)].find((one) => this.work.last(one)?.status !== "passed");
  }

  /**
   * Show points and progress, and the exercise that is open.
   * @param {Data.SiteExercise} at
   */
  show(at) {
    const { exercises } = this.course;
    const results = new Map(exercises.map((one) => [one, this.work.last(one)]));
    /** @type {(some: readonly Data.SiteExercise[]) => number} */
    const points = (some) => some.reduce((sum, one) => sum + (results.get(one)?.score ?? 0), 0);
    /** @type {(one: Data.SiteExercise) => string} */
    const status = (one) => (results.get(one)?.status === "passed" ? "passed" : this.work.begun(one) ? "begun" : "");
    for (const [part, total] of this.totals) {
      total.textContent = `${points(exercises.filter(({ id }) => part.exercises.includes(id)))} of ${part.points} points`;
    }
    for (const [one, button] of this.buttons) {
      button.className = status(one);
      fill(button, h("span.number", {}, one.number), " ", h("span", {}, one.title), " ",
        h("span.points", {}, `${results.get(one)?.score ?? 0}/${one.points}`), h("span.unseen", {}, status(one) && `, ${status(one)}`));
      if (one === at) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }

    // the bar: this exercise, and its part
    const part = this.part(at);
    const own = part ? exercises.filter(({ id }) => part.exercises.includes(id)) : exercises;
    const most = own.reduce((sum, one) => sum + one.points, 0);
    const passed = own.filter((one) => status(one) === "passed").length;
    fill(byId("where"), h("b", {}, at.number), " ", h("span.title", {}, at.title), h("span", { "aria-hidden": "true" }, " ▾"));
    fill(byId("points"), part && h("span.wide", {}, `${part.title}: `), `${points(own)} of ${most}`, h("span.wide", {}, " points"));
    fill(byId("dots"), ...own.map((one) => h("i", { class: `${status(one)} ${one === at ? "now" : ""}` })));
    byId("dots").setAttribute("aria-label", `${passed} of ${own.length} exercises of this part passed`);

    // the whole course, and what comes next
    const all = exercises.reduce((sum, one) => sum + one.points, 0);
    const every = exercises.filter((one) => status(one) === "passed").length;
    byId("score").textContent = `${points(exercises)}/${all} points, ${every} of ${exercises.length} exercises passed`;
    const next = this.following(at);
    byId("coming").textContent = next && next !== at ? `Next: ${next.number} ${next.title}` : "";
  }
}
