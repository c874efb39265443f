"use strict";

/** What is beside the editor: the lesson, and the replay of the learner's code. Each has a tab. */
class Side {
  /**
   * `shown` is called when the replay is to be seen.
   * @param {() => void} shown
   */
  constructor(shown) {
    this.tabs = ["lesson", "replay"].map((name) => byId(`tab-${name}`));
    for (const tab of this.tabs) {
      tab.addEventListener("click", () => this.choose(tab.id));
      tab.addEventListener("keydown", (event) => this.move(event));
    }
    this.shown = shown;
    /** @type {Promise<string> | undefined} */
    this.document = undefined;
  }

  get replays() {
    return this.tabs[1].getAttribute("aria-selected") === "true";
  }

  /**
   * @param {string} id
   */
  choose(id) {
    for (const tab of this.tabs) {
      const chosen = tab.id === id;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      byId(tab.getAttribute("aria-controls") ?? "").hidden = !chosen;
    }
    if (this.replays) this.shown();
  }

  /**
   * @param {KeyboardEvent} event
   */
  move(event) {
    /** @type {Record<string, number>} */
    const keys = { ArrowRight: 1, ArrowLeft: -1, Home: -this.at, End: this.tabs.length - 1 - this.at };
    const steps = keys[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    const tab = this.tabs[(this.at + steps + this.tabs.length) % this.tabs.length];
    this.choose(tab.id);
    tab.focus();
  }

  get at() {
    return this.tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
  }

  /**
   * @param {Data.SiteExercise} exercise
   */
  lesson(exercise) {
    byId("title").textContent = `${exercise.number} ${exercise.title}`;
    fill(byId("text"), ...exercise.lesson.map((block) => lessonBlock(block, exercise)));
    byId("lesson").scrollTop = 0;
    this.clear("");
  }

  /**
   * Show a sentence in place of a replay.
   * @param {string} text
   */
  clear(text) {
    byId("replay-note").textContent = text;
    byId("replay-note").hidden = !text;
    fill(byId("replay-frame"));
  }

  /**
   * Show a replay in a frame of its own. The one before stays until the new one has its data.
   * @param {Data.ReplayPage} data
   */
  show(data) {
    const frame = h("iframe.waiting", { sandbox: "allow-scripts", title: "Replay of your code" });
    /** @type {(event: MessageEvent) => void} */
    const heard = ({ source, data: { ready, shown } }) => {
      if (!frame.isConnected) return removeEventListener("message", heard);
      if (source !== frame.contentWindow) return;
      if (ready) frame.contentWindow?.postMessage(data, "*");
      if (!shown) return;
      removeEventListener("message", heard);
      byId("replay-note").hidden = true;
      while (frame.previousSibling) frame.previousSibling.remove(); // to move a frame would load it again
      frame.classList.remove("waiting");
    };
    addEventListener("message", heard);
    add(byId("replay-frame"), frame);
    this.document ??= framed("replay.html");
    this.document.then((address) => (frame.src = address));
  }
}

/**
 * Return a block of the lesson of an exercise.
 * @type {(block: Data.SiteExercise["lesson"][number], exercise: Data.SiteExercise) => HTMLElement}
 */
function lessonBlock([kind, lines], exercise) {
  if (kind === "figure") return figurePlace(exercise, lines[0]);
  if (kind === "pre") return block(lines.join("\n"));
  if (kind === "ul") return h("ul", {}, ...lines.map((text) => h("li", {}, ...inline(text))));
  return h("p", { class: kind }, ...inline(lines[0]));
}

/**
 * Return a text with what is in backquotes as code.
 * @type {(text: string) => Child[]}
 */
const coded = (text) => text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? h("code", {}, part) : part));

/**
 * Return a text of the course with what is in backquotes as code, and with links.
 * @type {(text: string) => Child[]}
 */
function inline(text) {
  return text.split(/(`[^`]+`|https:\/\/[^\s`]+[^\s`.,)])/).map((part, at) => {
    return at % 2 && !part.startsWith("`") ? h("a", { href: part, rel: "noreferrer" }, part) : coded(part);
  });
}
