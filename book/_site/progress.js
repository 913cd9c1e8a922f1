// Ticks on the page: one at the end of each chapter, all of them on the start page, and marks in the
// list of chapters. What they mean and where they are kept is in progress-store.js.

import { load, merge, onChange, serialize, tick } from "./progress-store.js";

const NOT_KEPT = "This browser does not let the page store anything. Your ticks last until you leave this page.";

/** The part that an address belongs to: "P1" for …/p1_derivatives.html. */
const partOf = (url) => /\/p(\d+)_\w+\.html$/.exec(new URL(url, location.href).pathname)?.[1];

/** Make an element with properties and children. */
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const links = [...document.querySelectorAll(".bd-sidebar-primary .toctree-l1 > a")].filter((a) => partOf(a.href));
const status = make("p", { className: "mg-status" });
status.setAttribute("role", "status");

function say(text) {
  status.textContent = text;
}

function checkbox(part, text) {
  const box = make("input", { type: "checkbox" });
  box.dataset.part = part;
  box.addEventListener("change", () => {
    say(tick(part, box.checked) ? "" : NOT_KEPT);
    show();
  });
  return make("label", { className: "mg-tick" }, box, make("span", {}, text));
}

/** Bring every tick and mark on the page to what the store holds. */
function show() {
  const done = load();
  for (const box of document.querySelectorAll(".mg-tick input")) box.checked = box.dataset.part in done;
  for (const link of links) {
    const finished = `P${partOf(link.href)}` in done;
    link.classList.toggle("mg-done", finished);
    link.querySelector(".visually-hidden")?.remove();
    if (finished) link.append(make("span", { className: "visually-hidden" }, " (finished)"));
  }
  const count = document.querySelector(".mg-progress-count");
  const finished = links.filter((link) => link.classList.contains("mg-done")).length;
  if (count) count.textContent = `${finished} of ${links.length} parts finished`;
}

function saveFile() {
  const url = URL.createObjectURL(new Blob([serialize()], { type: "application/json" }));
  make("a", { href: url, download: "micrograd-progress.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

async function loadFile(file) {
  try {
    const kept = merge(await file.text());
    say(kept ? `The ticks of ${file.name} are added.` : NOT_KEPT);
  } catch (error) {
    say(`${file.name} was not loaded: ${error.message}. Your ticks are as they were.`);
  }
  show();
}

function panel() {
  const picker = make("input", { type: "file", accept: ".json,application/json", hidden: true });
  picker.addEventListener("change", async () => {
    if (picker.files[0]) await loadFile(picker.files[0]);
    picker.value = ""; // so that the same file can be chosen again
  });
  const button = (text, act) => {
    const made = make("button", { type: "button", className: "mg-button" }, text);
    made.addEventListener("click", act);
    return made;
  };
  const title = make("p", { className: "mg-progress-count", id: "mg-progress-count" });
  const list = make("ul", {}, ...links.map((link) =>
    make("li", {}, checkbox(`P${partOf(link.href)}`, link.textContent.trim()))));
  const buttons = make("p", {}, button("Save as a file", saveFile), button("Load a file", () => picker.click()), picker);
  return [title, list, buttons, status];
}

const here = partOf(location.href);
const place = document.querySelector(".mg-progress");
if (place) {
  place.setAttribute("role", "group");
  place.setAttribute("aria-labelledby", "mg-progress-count");
  place.append(...panel());
} else if (here) {
  const end = make("div", { className: "mg-end" }, checkbox(`P${here}`, `I have finished part ${here}`), status);
  document.querySelector("article.bd-article").append(end);
}
show();
onChange(show);
