// <mg-frames>: a figure whose layers (g.mg-frame) and sentences (ol > li) a slider goes through.
define("mg-frames", `
  mg-frames { display: block; margin: 1em 0; }
  mg-frames label { display: flex; gap: 1em; align-items: center; }
  mg-frames input { flex: 1; min-width: 6em; accent-color: currentColor; }
  mg-frames output { display: block; font-variant-numeric: tabular-nums; min-height: 1.6em; }
`, (frames) => {
  const layers = [...frames.querySelectorAll("g.mg-frame")];
  const items = [...frames.querySelectorAll("li")];
  const slider = make("input", { type: "range", min: 0, max: items.length - 1, value: 0 });
  const said = make("output");
  const show = () => {
    const at = Number(slider.value);
    layers.forEach((layer, i) => layer.setAttribute("visibility", i === at ? "visible" : "hidden"));
    said.textContent = items[at].textContent;
    slider.ariaValueText = items[at].dataset.label;
  };
  slider.addEventListener("input", show);
  fold(frames.querySelector("ol"), `All ${items.length} settings as text`)
    .before(make("label", {}, frames.dataset.name, slider), said);
  show();
});
