"use strict";

// Interpreters: one at work, and one that is ready to take its place

const FILES = {
  worker: "worker.js", loader: "python/pyodide.mjs", glue: "python/pyodide.asm.mjs", binary: "python/pyodide.asm.wasm",
  library: "python/python_stdlib.zip", lock: "python/pyodide-lock.json", grader: "python/grader.zip",
};
const TEXTS = ["worker", "loader", "glue", "lock"];

class Interpreter {
  static count = 0;

  constructor(frame) {
    this.frame = frame;
    this.number = ++Interpreter.count;
    this.waiting = new Map();
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.ready = new Promise((resolve, reject) => {
      port1.onmessage = ({ data }) => {
        if (data.ready) resolve(Object.assign(this, { patience: data.patience }));
        else if (data.id) this.settle(data);
        else reject(new Error(data.failed));
      };
    });
    this.ready.catch(() => {});
    frame.postMessage({ start: this.number }, "*", [port2]);
  }

  settle({ id, result, failed }) {
    const { resolve, reject } = this.waiting.get(id) ?? {};
    this.waiting.delete(id);
    if (failed) reject?.(new Error(failed));
    else resolve?.(result);
  }

  ask(action, ...values) {
    const id = this.waiting.size + 1;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.port.postMessage({ id, action, values });
    });
  }

  end() {
    this.port.close();
    this.frame.postMessage({ end: this.number }, "*");
  }
}

class Ended extends Error {}

class Interpreters {
  constructor(frame, seconds) {
    this.frame = frame;
    this.seconds = seconds;
    this.busy = Promise.resolve();
    this.current = new Interpreter(frame);
    this.spare = this.after(this.current);
  }

  /** Start another interpreter when this one is ready, and has given the verdict that is waited for. */
  async after(current) {
    await current.ready;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await this.busy;
    return new Interpreter(this.frame);
  }

  /** Ask the interpreter, one request after another. Raise `Ended` if it does not answer in time. */
  ask(action, ...values) {
    const answer = this.busy.then(() => this.exchange(action, values));
    this.busy = answer.catch(() => {});
    return answer;
  }

  async exchange(action, values) {
    const current = await this.current.ready;
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Ended("hung")), this.seconds * current.patience * 1000);
    });
    try {
      return await Promise.race([current.ask(action, ...values), late]);
    } catch (error) {
      // whatever went wrong, this interpreter is not used again
      current.end();
      const spare = await this.spare;
      this.current = spare;
      this.spare = this.after(spare);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Load all files, and hand them to the frame as soon as it listens. */
async function load(frame) {
  const listening = new Promise((resolve) => {
    addEventListener("message", ({ data, source }) => source === frame && data.ready && resolve());
  });
  byId("frame").src = "frame.html"; // not before this script can hear it
  let done = 0;
  const one = async ([name, path]) => {
    const response = await fetch(path);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    const data = TEXTS.includes(name) ? await response.text() : await response.arrayBuffer();
    byId("loading").value = ++done / (Object.keys(FILES).length + 1);
    return [name, data];
  };
  const files = Object.fromEntries(await Promise.all(Object.entries(FILES).map(one)));
  await listening;
  frame.postMessage({ files }, "*");
}
