// Python in a worker of its own, so that the page answers whatever Python does: Pyodide, the course's
// package, Graphviz when the first graph is drawn, and runner.py, which runs the cells.

import type { PyodideInterface } from "pyodide";
import type { News, Order } from "./protocol";
import plan from "./plan.py";
import runner from "./runner.py";
import { sizes, version } from "virtual:python";

const KEPT = "micrograd-python";
const SNAPSHOT = new URL(`snapshot-${version}`, import.meta.url).href;
const MOST_NODES = 150; // Graphviz takes seconds for more, and nobody can read them

/** What runner.py offers, as Pyodide shows it. Cells and plans cross as JSON. */
interface Runner {
  plan(cells: string, target: number): string;
  run(code: string, name: string, skip: number[], show: boolean): boolean;
  draw_with(draw: (dot: string) => string | undefined, most: number): void;
}

let pyodide: PyodideInterface;
let python: Runner;
let interrupt: Uint8Array | null;
let graphviz: { renderString(dot: string, options: { format: string }): string } | undefined;
let current = -1; // the cell whose output is being sent

const file = (name: string) => new URL(`python/${name}`, import.meta.url).href;
const say = (news: News) => postMessage(news);

/** Tell the page how many bytes of Python have come, until the function that this returns is called. */
function countBytes(): () => void {
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  let loaded = 0;
  const plain = self.fetch;
  self.fetch = async (input, init) => {
    const response = await plain(input, init);
    if (!response.body || !response.ok) return response;
    const counted = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        loaded += chunk.byteLength;
        say({ kind: "progress", loaded: Math.min(loaded, total), total });
        out.enqueue(chunk);
      },
    }));
    return new Response(counted, response);
  };
  return () => { self.fetch = plain; };
}

/** Python's memory as it was right after its first start, if this browser has kept it. */
async function snapshot(): Promise<Uint8Array | undefined> {
  try {
    const found = await (await caches.open(KEPT)).match(SNAPSHOT);
    return found && new Uint8Array(await found.arrayBuffer());
  } catch {
    return undefined; // no Cache Storage: Python starts the long way
  }
}

/** Keep Python's memory for the next visit, and forget that of other versions. */
async function keep(memory: Uint8Array): Promise<void> {
  try {
    const cache = await caches.open(KEPT);
    for (const { url } of await cache.keys()) if (url !== SNAPSHOT) await cache.delete(url);
    await cache.put(SNAPSHOT, new Response(memory as Uint8Array<ArrayBuffer>));
  } catch { /* full or forbidden: the next start takes the long way, too */ }
}

/** Start Pyodide, from a snapshot where there is one that fits. True if it was. */
async function boot(): Promise<boolean> {
  const { loadPyodide } = await import(file("pyodide.mjs"));
  const options = { indexURL: file("") };
  const memory = await snapshot();
  if (memory) {
    try {
      pyodide = await loadPyodide({ ...options, _loadSnapshot: memory });
      pyodide.runPython("import random; random.seed()"); // else each visit draws the same numbers
      return true;
    } catch {
      await (await caches.open(KEPT)).delete(SNAPSHOT);
    }
  }
  pyodide = await loadPyodide({ ...options, _makeSnapshot: true });
  // At once, because a snapshot of a Python that has seen the page cannot be taken.
  void keep((pyodide as unknown as { makeMemorySnapshot(): Uint8Array }).makeMemorySnapshot());
  return false;
}

/**
 * How many bytes of C's stack Python may take before it says RecursionError, or lets go of a long chain
 * of objects in pieces. It knows only of the stack that C has in Pyodide. The browser's own ends much
 * earlier, and would end Python with it.
 */
function setStack(bytes: number): void {
  const c = (pyodide as unknown as { _module: Record<string, (...numbers: number[]) => number> })._module;
  const base = c._emscripten_stack_get_base!();
  c._PyUnstable_ThreadState_SetStackProtection!(c._PyThreadState_Get!(), base - bytes, bytes);
}

async function start(packages: string[]): Promise<void> {
  const done = countBytes();
  const wheel = fetch(new URL("course.whl", import.meta.url)).then((answer) => answer.arrayBuffer());
  const warm = await boot();
  if (packages.length) await pyodide.loadPackage(packages, { messageCallback: () => undefined });
  pyodide.unpackArchive(await wheel, "wheel");
  done();
  if (interrupt) pyodide.setInterruptBuffer(interrupt);
  for (const [name, text] of Object.entries({ plan, runner })) {
    pyodide.FS.writeFile(`/home/pyodide/${name}.py`, text);
  }
  const send = (output: string) => say({ kind: "output", cell: current, output: JSON.parse(output) });
  python = pyodide.pyimport("runner").Runner(send, setStack);
  say({ kind: "ready", warm });
}

/** Have Python draw graphs from now on. Half a megabyte that many cells never need. */
async function loadGraphviz(): Promise<void> {
  const { instance } = await import(file("viz.js"));
  graphviz = await instance();
  python.draw_with((dot) => graphviz!.renderString(dot, { format: "svg" }), MOST_NODES);
}

/** Run the cells that a cell needs, without showing what they show, and then the cell itself. */
async function runCells({ cells, target }: Extract<Order, { kind: "run" }>): Promise<void> {
  if (interrupt) interrupt[0] = 0;
  const todo: [number, number[], string | null][] = JSON.parse(python.plan(JSON.stringify(cells), target));
  for (const [i, skip, lacks] of todo) {
    if (i === target && lacks) {
      say({ kind: "lacking", cell: i, lacks });
      break;
    }
    const { code } = cells[i]!;
    if (!graphviz && /\b(drawing|stepping)\b/.test(code)) await loadGraphviz();
    current = i;
    say({ kind: "running", cell: i });
    const well = python.run(code, `cell ${i + 1}`, skip, i === target);
    say({ kind: "ran", cell: i, well });
    if (!well) break;
  }
  say({ kind: "finished", cell: target });
}

self.onmessage = async ({ data }: MessageEvent<Order>) => {
  try {
    if (data.kind === "start") {
      interrupt = data.interrupt;
      await start(data.packages);
    } else {
      await runCells(data);
    }
  } catch (error) {
    // Python itself has given up, or could not be loaded. The page starts another one.
    const text = String(error);
    if (data.kind === "run" && /KeyboardInterrupt/.test(text)) { // it came between two cells
      say({ kind: "ran", cell: data.target, well: false });
      say({ kind: "finished", cell: data.target });
      return;
    }
    const memory = /MemoryError|out of memory|out of bounds|allocation|Aborted/i.test(text);
    const depth = /call stack/i.test(text);
    say({ kind: "dead", why: memory ? "memory" : depth ? "depth" : "error", text });
  }
};
