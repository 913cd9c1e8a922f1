// The page's side of Python: it starts on the first order, takes orders one after another, and can be
// stopped. Where the page is isolated (crossOriginIsolated) a stop leaves the variables as they are.

import type { Cell, News, Order } from "./protocol";

const PATIENCE = 1000; // milliseconds for Python to answer a stop, before it is ended

/** A cell to run. `cells` is asked when its turn comes, for cells before it may have run by then. */
export interface Job {
  target: number;
  cells: () => Cell[];
}

type Listener = (news: News | { kind: "starting" } | { kind: "stopped"; kept: boolean }) => void;

export class Python {
  private worker: Worker | undefined;
  private ready = false;
  private jobs: Job[] = [];
  private now: Job | undefined;
  private timer = 0;
  private readonly interrupt = self.crossOriginIsolated ? new Uint8Array(new SharedArrayBuffer(1)) : null;

  /** `packages` are those that the page needs, of those that are there. */
  constructor(private readonly packages: string[], private readonly tell: Listener) {}

  /** Run a cell, after those that wait already. */
  run(job: Job): void {
    this.jobs.push(job);
    if (!this.worker) this.start();
    this.next();
  }

  /** Forget the orders that wait. */
  clear(): void {
    this.jobs = [];
  }

  /** Stop the cell that runs, and forget those that wait. */
  stop(): void {
    this.clear();
    if (!this.worker) return;
    if (!this.ready || !this.now || !this.interrupt) {
      this.end();
      return;
    }
    this.interrupt[0] = 2;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), PATIENCE);
  }

  private start(): void {
    this.tell({ kind: "starting" });
    this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }: MessageEvent<News>) => this.hear(data);
    this.worker.onerror = (event) => this.hear({ kind: "dead", why: "error", text: event.message });
    this.post({ kind: "start", interrupt: this.interrupt, packages: this.packages });
  }

  private post(order: Order): void {
    this.worker?.postMessage(order);
  }

  private next(): void {
    if (!this.ready || this.now) return;
    this.now = this.jobs.shift();
    if (this.now) this.post({ kind: "run", cells: this.now.cells(), target: this.now.target });
  }

  private hear(news: News): void {
    if (news.kind === "ready") this.ready = true;
    if (news.kind === "finished") {
      clearTimeout(this.timer); // a stop that came too late must not end the next cell
      this.now = undefined;
    }
    if (news.kind === "dead") this.forget();
    this.tell(news);
    this.next();
  }

  private end(): void {
    this.forget();
    this.tell({ kind: "stopped", kept: false });
  }

  private forget(): void {
    clearTimeout(this.timer);
    this.worker?.terminate();
    this.worker = undefined;
    this.ready = false;
    this.now = undefined;
    this.clear();
  }
}
