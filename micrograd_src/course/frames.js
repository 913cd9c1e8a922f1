// <mg-frames>: a figure whose layers (g.mg-frame) and sentences (ol > li) a slider goes through.
// With a switch there are two runs of them: the first for on, the second for off.
define("mg-frames", `
  mg-frames { display: block; margin: 1em 0; }
  mg-frames label { display: flex; gap: 1em; align-items: center; }
  mg-frames [type=range] { flex: 1; min-width: 6em; accent-color: currentColor; }
  mg-frames [type=checkbox] { width: 1.2em; height: 1.2em; accent-color: currentColor; }
  mg-frames output { display: block; font-variant-numeric: tabular-nums; min-height: 1.6em; }
`, (frames, tell) => {
  const layers = [...frames.querySelectorAll("g.mg-frame")];
  const items = [...frames.querySelectorAll("li")];
  const named = frames.dataset.switch;
  const count = named ? items.length / 2 : items.length;
  const slider = make("input", { type: "range", min: 0, max: count - 1, value: 0 });
  const on = make("input", { type: "checkbox", checked: true });
  const said = make("output");
  const show = () => {
    const at = Number(slider.value) + (on.checked ? 0 : count);
    layers.forEach((layer, i) => layer.setAttribute("visibility", i === at ? "visible" : "hidden"));
    said.textContent = items[at].textContent;
    slider.ariaValueText = items[at].dataset.label;
    tell(at);
  };
  for (const control of [slider, on]) control.addEventListener("input", show);
  fold(frames.querySelector("ol"), `All ${items.length} settings as text`)
    .before(make("label", {}, frames.dataset.name, slider), ...(named ? [make("label", {}, on, named)] : []), said);
  show();
  return (at) => {
    on.checked = at < count;
    slider.value = at % count;
    show();
  };
});
