"use strict";

const RUN_S = 120; // in which a program has to end
const MOST_PRINTED = 200_000; // characters

/** Run the learner's file as a program, in an interpreter of its own, and show what it prints. */
class Running {
  /**
   * @param {() => Interpreters | undefined} interpreters Returns the interpreters when they are there.
   */
  constructor(interpreters) {
    this.apart = new Apart(interpreters);
    this.printed = 0;
    byId("stop").addEventListener("click", () => {
      this.apart.end?.("Stopped.");
      byId("run").focus();
    });
    byId("close-ran").addEventListener("click", () => {
      this.clear();
      byId("run").focus();
    });
  }

  /** Forget what the file of another exercise printed. */
  clear() {
    this.apart.end?.("");
    byId("ran").hidden = true;
  }

  /**
   * Run a file, or a selection of its lines.
   * @param {string} exercise
   * @param {string} text
   * @param {string} selection
   */
  async run(exercise, text, selection) {
    this.begin(selection);
    const why = await this.apart.ask("run", [exercise, text, selection], RUN_S, {
      begun: () => (byId("ran-state").textContent = "Running …"),
      progress: (progress) => this.print(answered("run", progress).text),
      ended: (answer) => {
        const { text: error } = answered("run", answer);
        this.print(error, true);
        return error ? "Ended by an error." : this.printed ? "Ended." : "Ended. Nothing was printed.";
      },
    });
    if (why === undefined) return;
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
    if (text.length > room) this.apart.end?.(`Stopped, because more than ${count(MOST_PRINTED)} characters were printed.`);
  }
}
