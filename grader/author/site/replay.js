"use strict";

/** The replay of the learner's code, across the page above the lesson. */
class ReplayView {
  /**
   * `shown` is called when the replay is to be seen, `closed` when it is not any more.
   * @param {{ shown(): void, closed(): void }} heard
   */
  constructor({ shown, closed }) {
    this.shown = shown;
    /** @type {Promise<string> | undefined} */
    this.document = undefined;
    byId("close-replay").addEventListener("click", () => {
      this.close();
      closed();
    });
  }

  get isOpen() {
    return !byId("replay").hidden;
  }

  open() {
    byId("replay").hidden = false;
    byId("replay").scrollIntoView();
    byId("replay").focus({ preventScroll: true });
    this.shown();
  }

  close() {
    byId("replay").hidden = true;
  }

  /** Say that the replay is that of an earlier text. */
  outdate() {
    if (byId("replay-frame").firstChild) this.say("You have changed the text since. This replay is of the earlier text.");
  }

  /**
   * @param {string} text
   */
  say(text) {
    byId("replay-note").textContent = text;
  }

  /**
   * Show a sentence in place of a replay.
   * @param {string} text
   */
  clear(text) {
    this.say(text);
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
      this.say("");
      while (frame.previousSibling) frame.previousSibling.remove(); // to move a frame would load it again
      frame.classList.remove("waiting");
    };
    addEventListener("message", heard);
    add(byId("replay-frame"), frame);
    this.document ??= framed("replay.html");
    this.document.then((address) => (frame.src = address));
  }
}
