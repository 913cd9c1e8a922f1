// Lay out what cells in the page need, in one folder:  node tools/live.mjs FOLDER
// FOLDER holds the course's wheel already. What is bundled here is in book/live.
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, readdir, rename, stat } from "node:fs/promises";
import { build } from "esbuild";

const folder = process.argv[2];
// Somebody who has the full distribution of Pyodide, with numpy and matplotlib, names its folder.
const pyodide = process.env.PYODIDE || "node_modules/pyodide";
const core = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];

await mkdir(`${folder}/python`, { recursive: true });
const files = process.env.PYODIDE ? (await readdir(pyodide)).filter((name) => /\.(mjs|wasm|zip|json|whl)$/.test(name)) : core;
for (const name of files) await copyFile(`${pyodide}/${name}`, `${folder}/python/${name}`);
await copyFile("node_modules/@viz-js/viz/dist/viz.js", `${folder}/python/viz.js`);
const [wheel] = (await readdir(folder)).filter((name) => name.endsWith(".whl"));
await rename(`${folder}/${wheel}`, `${folder}/course.whl`);

const { version } = JSON.parse(await readFile("node_modules/pyodide/package.json", "utf8"));
const fetched = { "course.whl": `${folder}/course.whl` };
for (const name of core.slice(2)) fetched[name] = `${pyodide}/${name}`;
const sizes = {};
for (const [name, path] of Object.entries(fetched)) sizes[name] = (await stat(path)).size;
const lock = JSON.parse(await readFile(`${pyodide}/pyodide-lock.json`, "utf8"));
const packages = ["numpy", "matplotlib"].filter((name) => files.includes(lock.packages[name]?.file_name));
const hash = createHash("sha256").update(await readFile(`${folder}/course.whl`)).digest("hex").slice(0, 8);

const facts = {
  name: "facts",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^virtual:python$/ }, ({ path }) => ({ path, namespace: "facts" }));
    onLoad({ filter: /./, namespace: "facts" }, () => ({
      contents: JSON.stringify({ version: `${version}-${hash}`, sizes, packages }), loader: "json",
    }));
  },
};
const options = {
  outdir: folder, bundle: true, format: "esm", minify: true, target: "es2022",
  loader: { ".py": "text" }, plugins: [facts], logLevel: "warning",
};
await build({ ...options, entryPoints: ["book/live/page.ts", "book/live/worker.ts"], splitting: true });
await build({ ...options, entryPoints: ["book/live/sw.ts"], format: "iife" });
