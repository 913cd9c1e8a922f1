// Cells that run in the page. This script is small: Python and the editor are loaded when a reader
// first asks for them.

import { needs, PageCell } from "./cell";
import { make } from "./outputs";
import { Python } from "./python";
import type { News } from "./protocol";
import { packages } from "virtual:python";

const MEGA = 1e6;

function live(elements: HTMLElement[]): void {
  const status = make("p", { className: "mg-live-status" });
  status.setAttribute("role", "status");
  const bar = make("progress", { hidden: true, ariaLabel: "Loading Python" });
  const throwAway = make("button", { type: "button", textContent: "Throw away my changes on this page" });
  const runAll = make("button", { type: "button", textContent: "Run all cells" });
  const stopAll = make("button", { type: "button", textContent: "Stop", hidden: true });

  const cells: PageCell[] = [];
  const changed = () => {
    throwAway.hidden = cells.every((cell) => cell.code === cell.original);
  };
  const stop = () => python.stop();
  const waiting = new Set<PageCell>();

  const done = (cell: PageCell) => {
    waiting.delete(cell);
    cell.busy(false);
    stopAll.hidden = waiting.size === 0;
    runAll.hidden = !stopAll.hidden;
  };
  /** Cells that wait will not run, for this reason. */
  const release = (why: string) => {
    python.clear();
    for (const cell of [...waiting]) {
      cell.say(why);
      done(cell);
    }
  };
  /** Python is a new one, or none. It knows no names. */
  const forget = (why: string) => {
    bar.hidden = true;
    for (const cell of cells) cell.ran = undefined;
    release(why);
    status.textContent = why;
  };

  const needed = elements.map(needs);
  /** Say it at the top of the page, and beside the cells that wait, for the top may be out of sight. */
  const tell = (text: string) => {
    status.textContent = text;
    for (const cell of waiting) cell.say(text);
  };

  const python = new Python(packages.filter((name) => needed.includes(name)), (news) => {
    switch (news.kind) {
      case "starting":
        tell("Python is loading …");
        bar.hidden = false;
        bar.removeAttribute("value");
        break;
      case "progress":
        bar.max = news.total;
        bar.value = news.loaded;
        tell(`Python is loading: ${(news.loaded / MEGA).toFixed(1)} of ${(news.total / MEGA).toFixed(1)} MB`);
        break;
      case "ready":
        bar.hidden = true;
        tell("Python is ready.");
        break;
      case "stopped":
        forget("Stopped. Python starts afresh at the next run, and the cells above run first.");
        break;
      case "dead":
        forget({
          memory: "Python ran out of memory and was restarted. Its variables are gone, your code is not.",
          depth: "Calls inside calls went too deep, and Python was restarted. Its variables are gone, your code is not.",
          error: `Python could not go on (${news.text}). It starts afresh at the next run.`,
        }[news.why]);
        break;
      default:
        hear(cells[news.cell]!, news);
    }
  });

  /** News of a cell: one that the reader has run, or one above that it needs. */
  const hear = (cell: PageCell, news: Extract<News, { cell: number }>) => {
    const asked = waiting.has(cell);
    if (news.kind === "running" && asked) {
      cell.begin();
      cell.say("running …");
    } else if (news.kind === "output") {
      if (!asked) cell.begin(); // a cell above has failed, and shows why
      cell.add(news.output);
    } else if (news.kind === "ran") {
      cell.say("");
      cell.end(news.well);
      if (asked) done(cell);
      if (!news.well) release(`Not run, for cell ${cell.number} has failed.`);
    } else if (news.kind === "lacking") {
      cell.say(`${news.lacks} does not run in the page. This cell runs in JupyterLab.`);
      done(cell);
    }
  };

  const run = (cell: PageCell) => {
    if (waiting.has(cell)) return;
    waiting.add(cell);
    cell.busy(true);
    cell.say("waiting …");
    stopAll.hidden = false;
    runAll.hidden = true;
    python.run({
      target: cells.indexOf(cell),
      cells: () => cells.map(({ code, slow, done }) => ({ code, slow, done })),
    });
  };

  elements.forEach((element, i) => cells.push(new PageCell(element, i + 1, { run, stop, changed })));
  runAll.addEventListener("click", () => cells.filter((cell) => !cell.lacks).forEach(run));
  stopAll.addEventListener("click", stop);
  throwAway.addEventListener("click", () => cells.filter((cell) => cell.code !== cell.original).forEach((cell) => cell.reset()));
  changed();

  const words = make("p", {}, "The code on this page runs here, in your browser. Press Run, or Shift+Enter in the code. "
    + "Change it and run it again. The cells above run first where they are needed. Python is loaded when you first run something.");
  document.querySelector("article h1")?.nextElementSibling
    ?.after(make("div", { className: "mg-live-bar" }, words, make("p", {}, runAll, stopAll, throwAway), bar, status));
}

const found = [...document.querySelectorAll<HTMLElement>("div.cell")].filter((cell) => cell.querySelector(".cell_input pre"));
if (found.length) {
  if (typeof WebAssembly === "object" && typeof Worker === "function") {
    live(found);
  } else {
    document.querySelector("article h1")?.nextElementSibling?.after(make("p", { className: "mg-live-bar" },
      "This browser cannot run Python in the page. Everything here can be read, and the notebooks run in JupyterLab."));
  }
}

/** Have the page, and what it has loaded, kept for a visit without a network. */
async function keepForLater(): Promise<void> {
  const registration = await navigator.serviceWorker.register(new URL("../../sw.js", import.meta.url));
  await navigator.serviceWorker.ready;
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  const own = [location.href.replace(/#.*/, ""), ...loaded].filter((url) => url.startsWith(location.origin));
  registration.active?.postMessage(own);
}
if ("serviceWorker" in navigator) addEventListener("load", () => void keepForLater().catch(() => undefined));
