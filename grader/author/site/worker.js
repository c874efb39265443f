// An interpreter with the grader. It learns everything that it needs from one message, and then answers requests.

/**
 * @typedef {Record<string, any>} Tab The grader, as Python has it in grader/practice/tab.py.
 * @typedef {{ urls: string[], module: WebAssembly.Module, library: ArrayBuffer, lock: string, grader: ArrayBuffer }} Files
 * @typedef {{ tab: Tab, patience: number, memory: () => number }} Started
 */

const USUAL_MS = 2_500; // in which Python starts on a usual machine; slower machines get more time for everything

const MEMORY = 576 << 20; // bytes, as much as `limits` of a course usually allows; beyond, Python raises MemoryError
const MUCH = 256 << 20; // memory is never given back, so an interpreter that has this much is replaced

const START = `
import gc
import sys
from pathlib import Path

gc.disable()  # nothing of what is imported is garbage; the grader enables it after the first verdict
gc.set_threshold(200_000)  # the nodes of a large graph; collecting while it is built would take a quarter of the time
sys.path.insert(0, "/site/packages")
from grader.practice.tab import Tab

tab = Tab.of_site(Path("/site/course"), patience, alive, progress)
tab.__enter__()
# learner code has no use for the bridge to JavaScript
sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "JsFinder"]
for name in [name for name in sys.modules if name.partition(".")[0] in ("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core")]:
    del sys.modules[name]
tab
`;

addEventListener("message", async ({ data, ports: [port] }) => {
  try {
    limitMemory();
    const { tab, patience, memory } = await start(data, (message) => port.postMessage(message));
    port.onmessage = ({ data: { id, action, values } }) => {
      // said before the file runs, because afterwards nothing that it could reach is to be believed
      if (leavesTraces(tab, values)) port.postMessage({ traces: true });
      const result = answer(tab, action, values);
      if (memory() > MUCH) port.postMessage({ traces: true });
      port.postMessage({ id, ...result });
    };
    port.postMessage({ ready: true, patience });
  } catch (error) {
    port.postMessage({ failed: String(error) });
  }
}, { once: true });

/** @type {(files: Files, say: (message: object) => void) => Promise<Started>} */
async function start({ urls, module, library, lock, grader }, say) {
  const begun = performance.now();
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all(urls.map((url) => import(url)));
  // the loader asks for two files, which are here already
  /** @type {Record<string, ArrayBuffer>} */
  const served = { "python_stdlib.zip": library, "pyodide.asm.wasm": new ArrayBuffer(0) };
  self.fetch = async (address) => new Response(served[String(address).split("/").at(-1) ?? ""]);
  WebAssembly.instantiateStreaming = async (_, imports) => ({ module, instance: await WebAssembly.instantiate(module, imports) });
  const pyodide = await loadPyodide({
    indexURL: "https://python.invalid/", createPyodideModule, lockFileContents: JSON.parse(lock),
    stdin: () => null, stdout: () => {}, stderr: () => {},
  });
  pyodide.unpackArchive(grader, "zip", { extractDir: "/site" });
  const patience = Math.max(1, (performance.now() - begun) / USUAL_MS);
  pyodide.globals.set("patience", patience);
  pyodide.globals.set("alive", () => say({ alive: true }));
  pyodide.globals.set("progress", (/** @type {string} */ progress) => say({ progress }));
  return { tab: pyodide.runPython(START), patience, memory: () => pyodide._module.HEAPU8.length };
}

function limitMemory() {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (/** @type {number} */ pages) {
    if (this.buffer.byteLength + pages * 65_536 > MEMORY) throw new RangeError("more memory than a file may use");
    return grow.call(this, pages);
  };
}

/**
 * Return whether a text among the values may be a file that leaves something behind in the interpreter.
 * @type {(tab: Tab, values: unknown[]) => boolean}
 */
function leavesTraces(tab, values) {
  return values.some((value) => typeof value === "string" && tab.leaves_traces(value));
}

/** @type {(tab: Tab, action: string, values: unknown[]) => { result?: unknown, failed?: string }} */
function answer(tab, action, values) {
  try {
    const result = tab[action](...values);
    return { result: result?.toJs?.() ?? result };
  } catch (error) {
    return { failed: String(error) };
  }
}
