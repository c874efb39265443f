"use strict";

const RUN_S = 120; // in which a program has to end
const MOST_PRINTED = 200_000; // characters

/** Run the learner's file as a program, in an interpreter of its own, and show what it prints. */
class Running {
  /**
   * @param {() => Interpreters | undefined} interpreters Returns the interpreters when they are there.
   */
  constructor(interpreters) {
    this.interpreters = interpreters;
    /** @type {((why: string) => void) | undefined} */
    this.end = undefined;
    this.printed = 0;
    byId("stop").addEventListener("click", () => {
      this.end?.("Stopped.");
      byId("run").focus();
    });
    byId("close-ran").addEventListener("click", () => {
      this.end?.("");
      byId("ran").hidden = true;
      byId("run").focus();
    });
  }

  /** Forget what the file of another exercise printed. */
  clear() {
    this.end?.("");
    byId("ran").hidden = true;
  }

  /**
   * Run a file, or a selection of its lines.
   * @param {string} exercise
   * @param {string} text
   * @param {string} selection
   */
  async run(exercise, text, selection) {
    const interpreters = this.interpreters();
    if (!interpreters) return;
    this.end?.("");
    const interpreter = interpreters.lend();
    this.begin(selection);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    /** @type {Promise<string>} */
    const ended = new Promise((resolve) => (this.end = resolve));
    const own = this.end;
    const answer = (async () => {
      await interpreter.ready;
      await interpreters.supply(interpreter, [text, selection]);
      if (this.end === own) byId("ran-state").textContent = "Running …";
      const limit = RUN_S * interpreter.patience;
      timer = setTimeout(() => this.end?.(`Stopped after ${Math.round(limit)} seconds.`), limit * 1000);
      interpreter.told = (told) => this.end === own && this.hear(told);
      const { text: error } = answered("run", await interpreter.ask("run", [exercise, text, selection], Infinity));
      this.print(error, true);
      return error ? "Ended by an error." : this.printed ? "Ended." : "Ended. Nothing was printed.";
    })();
    const why = await Promise.race([answer, ended]).catch((error) => `The interpreter was ended: ${messageOf(error)}`);
    clearTimeout(timer);
    interpreters.takeBack(interpreter);
    if (this.end !== own) return; // another run has begun meanwhile
    this.end = undefined;
    byId("ran-state").textContent = why;
    byId("ran").dataset.ended = "";
    byId("stop").hidden = true;
  }

  /**
   * @param {string} selection
   */
  begin(selection) {
    this.printed = 0;
    byId("ran").hidden = false;
    delete byId("ran").dataset.ended;
    byId("ran-title").textContent = selection ? "Printed by the selected lines" : "Printed by your program";
    byId("ran-state").textContent = "Starting …";
    byId("stop").hidden = false;
    fill(byId("ran-output"));
    byId("ran").scrollIntoView({ block: "nearest" });
  }

  /**
   * @param {unknown} told
   */
  hear(told) {
    try {
      this.print(answered("run", told).text);
    } catch (error) {
      this.end?.(`The interpreter was ended: ${messageOf(error)}`);
    }
  }

  /**
   * @param {string} text
   */
  print(text, error = false) {
    const output = byId("ran-output");
    const room = MOST_PRINTED - this.printed;
    const atEnd = output.scrollTop + output.clientHeight >= output.scrollHeight - 20;
    this.printed += text.length;
    const piece = h("span", { class: error ? "error" : undefined });
    piece.textContent = text.slice(0, Math.max(0, room)).split("\n").map(plain).join("\n");
    output.append(piece);
    if (atEnd) output.scrollTop = output.scrollHeight;
    if (text.length > room) this.end?.(`Stopped, because more than ${count(MOST_PRINTED)} characters were printed.`);
  }
}
