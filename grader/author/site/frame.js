"use strict";

// Starts and ends interpreters in Web Workers. The frame has an opaque origin, so neither it nor its workers reach the
// page, its storage or the network. The page sends it all files, because it cannot load them itself.
// The frame has the policy of the page, too, which wants an address of a worker to be trusted.
/** @type {TrustedTypePolicy} */
const trusted = self.trustedTypes?.createPolicy("site", { createScriptURL: (url) => url }) ?? { createScriptURL: (url) => url };
/** @type {Record<string, any>} */
const files = {}; // by name: the addresses of scripts, the module that is being compiled, and the others as they are
/** @type {Map<number, Worker>} */
const workers = new Map();
/** @type {(text: string) => string} */
const address = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
/** @type {Record<string, (data: any) => unknown>} */
const PREPARED = { worker: address, loader: address, glue: address, binary: (data) => WebAssembly.compile(data) };

addEventListener("message", async ({ data, source, ports: [port] }) => {
  if (source !== parent) return;
  if (data.file) {
    files[data.file] = PREPARED[data.file]?.(data.data) ?? data.data;
  } else if (data.start) {
    /** @type {(error: any) => void} */
    const ended = ({ message }) => parent.postMessage({ ended: data.start, why: String(message) }, "*");
    try {
      const { worker: own, loader, glue, binary, ...others } = files;
      const worker = new Worker(trusted.createScriptURL(own)); // a module would have to be loaded from an origin
      workers.set(data.start, worker);
      worker.addEventListener("error", ended);
      worker.postMessage({ urls: [loader, glue], module: await binary, ...others }, [port]);
    } catch (error) {
      ended(error);
    }
  } else {
    workers.get(data.end)?.terminate();
    workers.delete(data.end);
  }
});
parent.postMessage({ ready: true }, "*");
