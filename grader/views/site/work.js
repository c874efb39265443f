"use strict";

/** The learner's work, in this browser's storage. */
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
