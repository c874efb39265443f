"use strict";

const MOST_KEPT = 20; // earlier texts of an exercise

/**
 * The learner's work, in this browser's storage, by kind and exercise. Several tabs use it at the same time.
 *
 * | kind    | what it is                                                                                   |
 * |---------|----------------------------------------------------------------------------------------------|
 * | text    | `{text, stub, file}`: the learner's text, the file as it was given out then, and its name     |
 * | kept    | `[{text, why, when}]`: earlier texts that something else replaced, the newest first           |
 * | result  | `{status, score, text, course, report}`: the last result, and what it is the result of        |
 * | at      | the exercise that is open                                                                     |
 */
class Work {
  /**
   * @param {Data.SiteCourse} course
   * @param {() => void} warn
   */
  constructor(course, warn) {
    this.course = course;
    this.prefix = `backward:${course.id}:`;
    this.warn = warn;
    /** @type {Map<string, string | undefined>} */
    this.unsaved = new Map(); // what the storage did not take
    /** @type {Map<string, string | undefined>} */
    this.seen = new Map(); // the texts that this tab has shown or written last
  }

  /**
   * @param {string} kind
   * @param {string} id
   * @returns {string}
   */
  key(kind, id) {
    return `${this.prefix}${kind}:${id}`;
  }

  /**
   * @param {string} key
   * @returns {string | undefined}
   */
  raw(key) {
    if (this.unsaved.has(key)) return this.unsaved.get(key);
    try {
      return localStorage.getItem(key) ?? undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * @template {keyof Data.Stored} Kind
   * @param {Kind} kind
   * @param {string} id
   * @returns {Data.Stored[Kind] | undefined}
   */
  get(kind, id) {
    return stored(kind, this.raw(this.key(kind, id)));
  }

  /**
   * @param {keyof Data.Stored} kind
   * @param {string} id
   * @param {unknown} value
   */
  set(kind, id, value) {
    const key = this.key(kind, id);
    const text = value === undefined ? undefined : JSON.stringify(value);
    this.unsaved.delete(key);
    try {
      if (text === undefined) localStorage.removeItem(key);
      else localStorage.setItem(key, text);
    } catch {
      this.unsaved.set(key, text);
      this.warn();
    }
    if (kind === "text") this.seen.set(id, text);
  }

  /**
   * Return the text of an exercise: the learner's, or else the file as it is given out.
   * @param {Data.SiteExercise} exercise
   * @returns {string}
   */
  text(exercise) {
    const kept = this.get("text", exercise.id);
    return this.isOwn(kept) ? kept.text : exercise.stub;
  }

  /**
   * Return the text of an exercise, which is then seen in this tab.
   * @param {Data.SiteExercise} exercise
   * @returns {string}
   */
  see(exercise) {
    this.seen.set(exercise.id, this.raw(this.key("text", exercise.id)));
    return this.text(exercise);
  }

  /**
   * @param {Data.StoredText | undefined} kept
   * @returns {kept is Data.StoredText}
   */
  isOwn(kept) {
    return kept !== undefined && kept.text !== kept.stub;
  }

  /**
   * Return whether the learner has changed the file of an exercise.
   * @param {Data.SiteExercise} exercise
   * @returns {boolean}
   */
  begun(exercise) {
    return this.isOwn(this.get("text", exercise.id));
  }

  /**
   * Store a text. What another tab has stored meanwhile is kept with the earlier texts.
   * @param {Data.SiteExercise} exercise
   * @param {string} text
   */
  store(exercise, text) {
    const { id, stub, file } = exercise;
    const other = this.get("text", id);
    const unseen = this.seen.has(id) && this.seen.get(id) !== this.raw(this.key("text", id));
    if (unseen && this.isOwn(other)) this.keep(exercise, other.text, "from another tab");
    this.set("text", id, text === stub ? undefined : { text, stub: other?.stub ?? stub, file });
  }

  /**
   * Keep a text that something else replaces. A text that is kept already moves to the front.
   * @param {Data.SiteExercise} exercise
   * @param {string} text
   * @param {string} why
   */
  keep(exercise, text, why) {
    if (text === exercise.stub) return;
    const others = this.kept(exercise).filter((one) => one.text !== text);
    why = why.slice(0, 200);
    this.set("kept", exercise.id, [{ text, why, when: new Date().toISOString() }, ...others].slice(0, MOST_KEPT));
  }

  /**
   * @param {Data.SiteExercise} exercise
   * @returns {Data.KeptText[]}
   */
  kept(exercise) {
    return this.get("kept", exercise.id) ?? [];
  }

  /**
   * Replace the learner's text, and keep it with the earlier texts.
   * @param {Data.SiteExercise} exercise
   * @param {string} text
   * @param {string} why
   */
  replace(exercise, text, why) {
    this.keep(exercise, this.text(exercise), why);
    this.set("text", exercise.id, undefined); // a new text is compared with the file of today
    this.store(exercise, text);
  }

  /**
   * Return whether the file of an exercise has changed since the learner began it.
   * @param {Data.SiteExercise} exercise
   * @returns {boolean}
   */
  outdated(exercise) {
    const kept = this.get("text", exercise.id);
    return this.isOwn(kept) && kept.stub !== exercise.stub;
  }

  /**
   * Return the result of an exercise's present text under the present course, if there is one.
   * @param {Data.SiteExercise} exercise
   * @returns {Data.StoredResult | undefined}
   */
  result(exercise) {
    const result = this.get("result", exercise.id);
    const current = result?.course === this.course.hash && result.text === this.text(exercise);
    return current ? result : undefined;
  }

  /**
   * Return the last result of an exercise, which may be that of an earlier text.
   * @param {Data.SiteExercise} exercise
   * @returns {Data.StoredResult | undefined}
   */
  last(exercise) {
    const result = this.get("result", exercise.id);
    return result && { ...result, score: Math.min(result.score, exercise.points) };
  }

  /** Return the learner's texts by the names of their files, those of exercises that the course no longer has included. */
  files() {
    /** @type {string[]} */
    const ids = [];
    try {
      for (let at = 0; at < localStorage.length; at++) {
        const key = localStorage.key(at) ?? "";
        if (key.startsWith(this.key("text", ""))) ids.push(key.slice(this.key("text", "").length));
      }
    } catch {
      // without storage, all texts are unsaved
    }
    for (const key of this.unsaved.keys()) {
      if (key.startsWith(this.key("text", ""))) ids.push(key.slice(this.key("text", "").length));
    }
    const every = [...new Set(ids)].map((id) => this.get("text", id));
    const own = every.filter((kept) => this.isOwn(kept)).filter(({ file }) => file);
    return Object.fromEntries(own.map(({ file, text }) => [file, text]).sort());
  }
}
