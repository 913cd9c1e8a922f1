// What the reader has finished: a map from a part ("P1") to the time of its tick.
// It lives in this browser's localStorage, and leaves it only as a file that the reader saves.

const KEY = "micrograd-course:progress";
const FORMAT = "micrograd-course-progress";
const VERSION = 1;
const PART = /^P\d{1,2}(\.\d{1,2})?$/;

let done = {}; // what is on screen, also where nothing can be stored

/** The map as it is now, with what other tabs have added. */
export function load() {
  try {
    const text = localStorage.getItem(KEY);
    if (text) done = parse(text);
  } catch {
    // Forbidden or damaged: what is on screen stays.
  }
  return done;
}

/** Keep the map. False where the browser refuses, and then it lasts as long as the page. */
function save() {
  try {
    localStorage.setItem(KEY, serialize());
    return !localStorage.standsIn; // the page's own, where the browser's cannot be used
  } catch {
    return false;
  }
}

/** Set or take away one tick. */
export function tick(part, on) {
  done = { ...load() };
  if (on) done[part] ??= new Date().toISOString();
  else delete done[part];
  return save();
}

/** Add the ticks of a file to those that are there. */
export function merge(text) {
  const more = parse(text);
  done = { ...more, ...load() };
  return save();
}

/** The map as the text of a file. */
export function serialize() {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, done }, null, 2)}\n`;
}

/** The map in the text of a file, or an error that says why there is none. */
function parse(text) {
  if (text.length > 100_000) throw new Error("it is too large to be a progress file");
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    throw new Error("it is damaged, or not a progress file at all");
  }
  if (data?.format !== FORMAT) throw new Error("it is not a progress file of this course");
  if (data.version !== VERSION) throw new Error(`it is of version ${data.version}, and this page reads version ${VERSION}`);
  if (typeof data.done !== "object" || data.done === null || Array.isArray(data.done))
    throw new Error("its list of ticks is damaged");
  for (const [part, time] of Object.entries(data.done))
    if (!PART.test(part) || typeof time !== "string" || Number.isNaN(Date.parse(time)))
      throw new Error(`its entry “${part.slice(0, 20)}” is damaged`);
  return data.done;
}

/** Call back when another tab has changed the map. */
export function onChange(callback) {
  addEventListener("storage", (event) => event.key === KEY && callback());
}
