// The reader's own code, kept in this browser: one entry a page, with the cells that were changed.

const KEY = `micrograd-course:code:${location.pathname}`;

type Edits = Record<string, string>;

/** What was kept for this page; nothing where storage is empty, damaged or forbidden. */
export function edits(): Edits {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    if (typeof kept !== "object" || kept === null) return {};
    return Object.fromEntries(Object.entries(kept).filter(([, code]) => typeof code === "string"));
  } catch {
    return {};
  }
}

/** Keep the code of a cell, or forget it where it is undefined. False where nothing can be kept. */
export function keep(cell: string, code: string | undefined): boolean {
  const all = edits();
  if (code === undefined) delete all[cell];
  else all[cell] = code;
  try {
    if (Object.keys(all).length) localStorage.setItem(KEY, JSON.stringify(all));
    else localStorage.removeItem(KEY);
    return !("standsIn" in localStorage);
  } catch {
    return false;
  }
}
