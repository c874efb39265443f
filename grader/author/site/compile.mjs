// Calls grader/practice/bytecode.py in Pyodide, under Node. The argument is a folder with Pyodide's files, grader.zip,
// the other arguments in about.json, and an older bytecode.zip or an empty one, which is replaced.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const read = async (name) => new Uint8Array(await readFile(join(folder, name)));
const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")));
const pyodide = await loadPyodide({ indexURL: folder, stdout: console.error });
pyodide.unpackArchive(await read("grader.zip"), "zip", { extractDir: "/site" });
for (const name of ["about.json", "bytecode.zip"]) pyodide.FS.writeFile(`/${name}`, await read(name));
pyodide.runPython(`
import json, sys
from pathlib import Path

sys.path.insert(0, "/site/packages")
from grader.practice.bytecode import bytecode

about, archive = Path("/about.json"), Path("/bytecode.zip")
archive.write_bytes(bytecode(Path("/site"), **json.loads(about.read_bytes()), older=archive.read_bytes()))
`);
await writeFile(join(folder, "bytecode.zip"), pyodide.FS.readFile("/bytecode.zip"));
