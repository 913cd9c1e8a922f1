// What the page and the worker that runs Python say to each other.

/** A cell as the page has it now: its code, whether it is slow, and whether it has run like this. */
export interface Cell {
  code: string;
  slow: boolean;
  done: boolean;
}

/** A piece of what a cell shows, as runner.py sends it. */
export type Output =
  | { kind: "text"; text: string }
  | { kind: "data"; data: Record<string, string> }
  | { kind: "error"; text: string }
  | { kind: "live"; html: string };

/** From the page: the first message starts Python, each of the others runs a cell and what it needs. */
export type Order =
  | { kind: "start"; interrupt: Uint8Array | null; packages: string[] }
  | { kind: "run"; cells: Cell[]; target: number };

/** From the worker. `lacking` names the package without which a cell cannot run in the page. */
export type News =
  | { kind: "progress"; loaded: number; total: number }
  | { kind: "ready"; warm: boolean }
  | { kind: "running"; cell: number }
  | { kind: "output"; cell: number; output: Output }
  | { kind: "ran"; cell: number; well: boolean }
  | { kind: "lacking"; cell: number; lacks: string }
  | { kind: "finished"; cell: number }
  | { kind: "dead"; why: "memory" | "depth" | "error"; text: string };
