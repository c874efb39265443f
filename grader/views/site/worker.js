// An interpreter with the grader. It learns everything that it needs from one message, and then answers requests.

const USUAL_MS = 5_000; // in which Python starts on a usual machine; slower machines get more time for everything

const START = `
import sys
from pathlib import Path

sys.path.insert(0, "/site/packages")
from grader.practice.tab import Tab

tab = Tab(Path("/site/course"), patience)
tab.__enter__()
# learner code has no use for the bridge to JavaScript
sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "JsFinder"]
for name in [name for name in sys.modules if name.partition(".")[0] in ("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core")]:
    del sys.modules[name]
tab
`;

addEventListener("message", async ({ data, ports: [port] }) => {
  try {
    const { tab, patience } = await start(data);
    port.onmessage = ({ data: { id, action, values } }) => port.postMessage({ id, ...answer(tab, action, values) });
    port.postMessage({ ready: true, patience });
  } catch (error) {
    port.postMessage({ failed: String(error) });
  }
}, { once: true });

async function start({ urls, module, library, lock, grader }) {
  const begun = performance.now();
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all(urls.map((url) => import(url)));
  // the loader asks for two files, which are here already
  const served = { "python_stdlib.zip": library, "pyodide.asm.wasm": new ArrayBuffer(0) };
  self.fetch = async (address) => new Response(served[String(address).split("/").at(-1)]);
  WebAssembly.instantiateStreaming = async (response, imports) => ({
    module, instance: await WebAssembly.instantiate(module, imports),
  });
  const pyodide = await loadPyodide({
    indexURL: "https://python.invalid/", createPyodideModule, lockFileContents: JSON.parse(lock),
    stdin: () => null, stdout: () => {}, stderr: () => {},
  });
  pyodide.unpackArchive(grader, "zip", { extractDir: "/site" });
  const patience = Math.max(1, (performance.now() - begun) / USUAL_MS);
  pyodide.globals.set("patience", patience);
  return { tab: pyodide.runPython(START), patience };
}

function answer(tab, action, values) {
  try {
    const result = tab[action](...values);
    return { result: result?.toJs?.() ?? result };
  } catch (error) {
    return { failed: String(error) };
  }
}
