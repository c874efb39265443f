"use strict";

// Interpreters: one at work, and one that is ready to take its place. Their files begin to load at once, before the
// scripts that follow.

/** @type {Record<string, string>} */
const FILES = {
  worker: "worker.js", loader: "python/pyodide.mjs", glue: "python/pyodide.asm.mjs", binary: "python/pyodide.asm.wasm",
  library: "python/python_stdlib.zip", lock: "python/pyodide-lock.json", grader: "python/grader.zip",
};
const TEXTS = ["worker", "loader", "glue", "lock"];
const START_S = 180; // in which an interpreter has to start, also on a slow phone
const LONGEST = 10; // times the limit without a sign of life, an interpreter may work on one request
const AGAIN = 5; // times the limit is as long when a request is made again: a busy machine may be why none came

/** @type {(text: string) => void} */
const say = (text) => void (byId("state").textContent = text);

const MOST_PATIENT = 100; // times a usual machine's time
/** @type {(patience: unknown) => number} */
const patient = (patience) => Math.min(MOST_PATIENT, Math.max(1, Number(patience) || 1));
/** @type {(text: unknown) => string} */
const brief = (text) => plain(String(text).slice(0, 500));
/** @type {(error: unknown) => string} */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** An interpreter does not answer. */
class Ended extends Error {}

class Interpreter {
  static count = 0;

  /**
   * @param {Window} frame The window of the frame that starts Web Workers.
   * @param {number} seconds How long an interpreter on a usual machine may give no sign of life.
   */
  constructor(frame, seconds) {
    this.frame = frame;
    this.seconds = seconds;
    this.number = ++Interpreter.count;
    this.started = false;
    this.patience = 1;
    /** @type {{ id: number, seconds: number, begun: number, resolve(result: unknown): void, reject(error: Error): void } | undefined} */
    this.request = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {Map<string, boolean>} */
    this.supplied = new Map(); // the modules that it knows beyond the standard library, and whether it has them
    /** @type {((progress: unknown) => void) | undefined} */
    this.progress = undefined; // is called with what a request says before its answer
    this.touched = false; // whether a file has run that could have left something behind
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    /** @type {(error: Error) => void} */
    this.refuse = () => {};
    /** @type {Promise<Interpreter>} */
    this.ready = new Promise((resolve, reject) => {
      this.refuse = reject;
      setTimeout(() => reject(new Error(`it did not start within ${START_S} seconds`)), START_S * 1000);
      port1.onmessage = ({ data }) => {
        if (typeof data !== "object" || data === null) return;
        if (data.ready) resolve(Object.assign(this, { patience: patient(data.patience), started: true }));
        else if (data.failed && !data.id) this.broke(brief(data.failed));
        else this.heard(data);
      };
    });
    this.ready.catch(() => {});
    frame.postMessage({ start: this.number }, "*", [port2]);
  }

  /**
   * Take the news that the interpreter cannot be used, or not any more.
   * @param {string} why
   */
  broke(why) {
    this.refuse(new Error(why));
    this.request?.reject(new Error(why));
  }

  /**
   * Take a sign of life, or the answer to the request.
   * @param {{ id?: number, result?: unknown, failed?: unknown, traces?: boolean, progress?: unknown }} message
   */
  heard({ id, result, failed, traces, progress }) {
    if (traces) this.touched = true;
    if (progress !== undefined) this.progress?.(progress);
    if (!this.request || (id && id !== this.request.id)) return;
    const { resolve, reject } = this.request;
    if (failed !== undefined) reject(new Error(brief(failed)));
    else if (result !== undefined) resolve(result);
    else this.wait();
  }

  /** Reject the request if no sign of life comes in time. */
  wait() {
    const { request } = this;
    if (!request) return;
    const limit = request.seconds * this.patience * 1000;
    clearTimeout(this.timer);
    if (limit === Infinity) return;
    const left = request.begun + LONGEST * limit - performance.now();
    this.timer = setTimeout(() => request.reject(new Ended("no sign of life")), Math.min(limit, left));
  }

  /**
   * Return the answer to a request. Raise `Ended` if the interpreter gives no sign of life.
   * @param {string} action
   * @param {unknown[]} values
   * @param {number} seconds How long it may give no sign of life on a usual machine.
   * @returns {Promise<unknown>}
   */
  async ask(action, values, seconds = this.seconds) {
    try {
      return await new Promise((resolve, reject) => {
        const id = (this.request?.id ?? 0) + 1;
        this.request = { id, seconds, begun: performance.now(), resolve, reject };
        this.wait();
        this.port.postMessage({ id, action, values });
      });
    } finally {
      clearTimeout(this.timer);
    }
  }

  end() {
    this.port.close();
    this.frame.postMessage({ end: this.number }, "*");
  }
}

class Interpreters {
  /**
   * @param {Window} frame
   * @param {number} seconds As for an interpreter.
   * @param {Record<string, string[]>} imports The files of each module, by name, that learners' files may import beyond
   *   the standard library.
   */
  constructor(frame, seconds, imports = {}) {
    this.imports = new Map(Object.entries(imports));
    this.frame = frame;
    this.seconds = seconds;
    /** @type {Promise<unknown>} */
    this.busy = Promise.resolve();
    /** @type {Interpreter | undefined} */
    this.spare = undefined;
    /** @type {Set<Interpreter>} */
    this.lent = new Set();
    /** @type {unknown[] | undefined} */
    this.latest = undefined;
    /** @type {((progress: unknown) => void) | undefined} */
    this.progress = undefined; // is called with what a request says before its answer
    /** @type {((values: any[], verdict: unknown) => void) | undefined} */
    this.confirmed = undefined;
    addEventListener("message", ({ data, source }) => {
      /** @type {(one: Interpreter | undefined) => boolean} */
      const of = (one) => source === frame && one?.number === data.ended;
      [this.current, this.spare, ...this.lent].find(of)?.broke(brief(data.why));
    });
    this.current = new Interpreter(frame, seconds);
    this.prepare();
  }

  /** Start the spare when the current interpreter is ready, and has given the verdict that is waited for. */
  async prepare() {
    const current = this.current;
    await current.ready.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 500));
    await this.busy;
    if (current === this.current) this.provide();
  }

  /** Start a spare if there is none. One that cannot start is forgotten. */
  provide() {
    if (this.spare) return;
    const spare = (this.spare = new Interpreter(this.frame, this.seconds));
    spare.ready.catch(() => {
      spare.end();
      if (this.spare === spare) this.spare = undefined;
    });
  }

  /** Return an interpreter that nothing else uses: the spare if it has started, or else a new one. */
  lend() {
    const { spare } = this;
    const one = spare?.started ? spare : new Interpreter(this.frame, this.seconds);
    if (one === spare) this.spare = undefined;
    this.lent.add(one);
    return one;
  }

  /**
   * End an interpreter that was lent, and start another spare.
   * @param {Interpreter} interpreter
   */
  takeBack(interpreter) {
    this.lent.delete(interpreter);
    interpreter.end();
    this.prepare();
  }

  /** Put the spare in the place of the current interpreter. */
  replace() {
    this.current.end();
    this.current = this.spare ?? new Interpreter(this.frame, this.seconds);
    this.spare = undefined;
    this.prepare();
  }

  /**
   * Ask the interpreter, one request after another. Raise `Ended` if it gives no sign of life.
   *
   * If an earlier file could have left something behind in the interpreter, and no other one is ready, a verdict is
   * found again in one that is. Then `confirmed` is called with the values of the request and this verdict.
   * @param {string} action
   * @param {unknown[]} values
   * @returns {Promise<unknown>} What comes from an interpreter: to be checked before it is used.
   */
  async ask(action, ...values) {
    if (action === "grade") this.latest = values;
    const answer = this.busy.then(() => this.exchange(action, values));
    this.busy = answer.catch(() => {});
    const { result, uncertain } = await answer;
    if (uncertain && action === "grade") this.confirm(values);
    return result;
  }

  /**
   * @param {unknown[]} values
   */
  async confirm(values) {
    try {
      await this.spare?.ready;
    } catch {
      return; // no interpreter is there to find the verdict again
    }
    if (this.latest !== values) return; // another request has replaced the interpreter, or will do so
    const again = await this.ask("grade", ...values);
    this.confirmed?.(values, again);
  }

  /**
   * Hand an interpreter the modules that a text among the values names, and the names of all others.
   * @param {Interpreter} interpreter
   * @param {unknown[]} values
   */
  async supply(interpreter, values) {
    /** @type {(path: string) => Promise<Uint8Array>} */
    const wheel = async (path) => new Uint8Array(await (await received(path, () => {})).arrayBuffer());
    for (const [module, paths] of this.imports) {
      const named = values.some((value) => typeof value === "string" && new RegExp(`\\b${module}\\b`).test(value));
      if (interpreter.supplied.get(module) || (interpreter.supplied.has(module) && !named)) continue;
      await interpreter.ask("provide", [module, await Promise.all(named ? paths.map(wheel) : [])]);
      interpreter.supplied.set(module, named);
    }
  }

  /**
   * Ask once, or again in another interpreter if an earlier file may be the reason why there is no answer, or if there
   * was no sign of life. The same is done if the browser's stack was too small, with fewer nested calls.
   * @param {string} action
   * @param {unknown[]} values
   * @param {{ shallow?: boolean, patient?: boolean }} again Whether fewer nested calls or more time are allowed now.
   * @returns {Promise<{ result: unknown, uncertain: boolean }>}
   */
  async exchange(action, values, { shallow = false, patient = false } = {}) {
    const search = action === "search"; // it goes on where its text was graded, and no verdict depends on it
    if (this.current.touched && this.spare?.started && !search) this.replace();
    const { current } = this;
    const uncertain = current.touched;
    try {
      await current.ready;
      await this.supply(current, values);
      if (shallow) {
        await current.ask("shallow", []);
        current.touched = true;
      }
      current.progress = (progress) => this.progress?.(progress);
      const result = await current.ask(action, values, (patient ? AGAIN : 1) * this.seconds);
      if (current.touched) this.provide();
      return { result, uncertain: uncertain && !shallow };
    } catch (error) {
      // whatever went wrong, this interpreter is not used again
      if (current === this.current) this.replace();
      const overflow = !shallow && error instanceof Error && error.message.startsWith("RangeError");
      const silent = !patient && error instanceof Ended;
      if (!search && (uncertain || overflow || silent))
        return this.exchange(action, values, { shallow: shallow || overflow, patient: patient || silent });
      throw error;
    }
  }
}

/** One request at a time to an interpreter that does nothing else, and that ends with the request. */
class Apart {
  /**
   * @param {() => Interpreters | undefined} interpreters Returns the interpreters when they are there.
   */
  constructor(interpreters) {
    this.interpreters = interpreters;
    /** Ends the request that is under way, with a reason. @type {((why: string) => void) | undefined} */
    this.end = undefined;
  }

  /**
   * Make a request. One that is under way ends.
   * @param {string} action
   * @param {unknown[]} values
   * @param {number} seconds In which it has to end on a usual machine.
   * @param {{ begun(): void, progress(progress: unknown): void, ended(answer: unknown): string }} heard `progress` and `ended` take
   *   what comes from the interpreter, and raise an error if it is not what they expect.
   * @returns {Promise<string | undefined>} How it ended: what `ended` returns, or why it was ended; undefined if another
   *   request has begun meanwhile.
   */
  async ask(action, values, seconds, heard) {
    const interpreters = this.interpreters();
    if (!interpreters) return undefined;
    this.end?.("");
    const interpreter = interpreters.lend();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    /** @type {Promise<string>} */
    const ended = new Promise((resolve) => (this.end = resolve));
    const own = this.end;
    /** @type {(error: unknown) => string} */
    const failed = (error) => `The interpreter was ended: ${messageOf(error)}`;
    const answer = (async () => {
      await interpreter.ready;
      await interpreters.supply(interpreter, values);
      if (this.end === own) heard.begun();
      const limit = seconds * interpreter.patience;
      timer = setTimeout(() => own?.(`Stopped after ${Math.round(limit)} seconds.`), limit * 1000);
      interpreter.progress = (progress) => {
        try {
          if (this.end === own) heard.progress(progress);
        } catch (error) {
          own?.(failed(error));
        }
      };
      const last = await interpreter.ask(action, values, Infinity);
      return this.end === own ? heard.ended(last) : "";
    })();
    const why = await Promise.race([answer, ended]).catch(failed);
    clearTimeout(timer);
    interpreters.takeBack(interpreter);
    if (this.end !== own) return undefined;
    this.end = undefined;
    return why;
  }
}

/**
 * Return a file of the site. `heard` is called with the size of each piece of it.
 * @type {(path: string, heard: (bytes: number) => void) => Promise<Blob>}
 */
async function received(path, heard) {
  const response = await fetch(path);
  if (!response.ok || !response.body) throw new Error(`${path}: ${response.status}`);
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const pieces = [];
  for (const reader = response.body.getReader(); ; heard(pieces[pieces.length - 1].length)) {
    const { done, value } = await reader.read();
    if (done) return new Blob(pieces);
    pieces.push(value);
  }
}

/**
 * Return an address for a document of the site in a sandboxed frame. The frame cannot load the document itself, because
 * the service worker serves no frame of opaque origin.
 * @type {(path: string) => Promise<string>}
 */
async function framed(path) {
  const document = await received(path, () => {});
  return URL.createObjectURL(new Blob([document], { type: "text/html" }));
}

/**
 * Load all files, and hand each to the frame as soon as it is there. Show how much is there.
 * @type {(frame: Window) => Promise<void>}
 */
async function load(frame) {
  const listening = new Promise((resolve) => {
    addEventListener("message", ({ data, source }) => source === frame && data.ready && resolve(undefined));
  });
  byId("frame").src = await framed("frame.html"); // not before this script can hear it
  /** @type {Record<string, number>} */
  const sizes = await (await fetch("files.json")).json(); // in bytes
  const bar = byId("loading");
  bar.max = Object.values(FILES).reduce((sum, path) => sum + sizes[path], 0);
  /** @type {(bytes: number) => void} */
  const heard = (bytes) => {
    bar.value += bytes;
    say(bar.value < bar.max ? `Loading Python: ${megabytes(bar.value)} of ${megabytes(bar.max)} MB` : "Starting Python …");
  };
  /** @type {(file: [name: string, path: string]) => Promise<void>} */
  const one = async ([name, path]) => {
    const file = await received(path, heard);
    const data = TEXTS.includes(name) ? await file.text() : await file.arrayBuffer();
    await listening;
    frame.postMessage({ file: name, data }, "*", data instanceof ArrayBuffer ? [data] : []);
  };
  await Promise.all(Object.entries(FILES).map(one));
}

const loaded = load(/** @type {Window} */ (byId("frame").contentWindow));
loaded.catch(() => {}); // page.js waits for it, too, and shows the error

/** @type {(bytes: number) => string} */
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** Let the browser keep the site, so that it opens quickly and without a network. */
function keepOffline() {
  const policy = self.trustedTypes?.createPolicy("site", { createScriptURL: () => "offline.js" });
  navigator.serviceWorker?.register(policy ? policy.createScriptURL("") : "offline.js").catch((error) => console.warn(error.message));
}
