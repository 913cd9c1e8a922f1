// <mg-frames>: a figure whose layers (g.mg-frame) and sentences (ol > li) a slider goes through.
// Without this script the first layer shows, with every sentence below it.
customElements.get("mg-frames") || customElements.define("mg-frames", class extends HTMLElement {
  connectedCallback() {
    if (document.readyState === "loading") { // the parser has not reached the children yet
      addEventListener("DOMContentLoaded", () => this.connectedCallback(), { once: true });
      return;
    }
    if (this.ready) return;
    this.ready = true;
    const layers = [...this.querySelectorAll("g.mg-frame")];
    const items = [...this.querySelectorAll("li")];
    const style = document.createElement("style");
    style.textContent = `
      mg-frames { display: block; margin: 1em 0; }
      mg-frames label { display: flex; gap: 1em; align-items: center; }
      mg-frames input { flex: 1; min-width: 6em; accent-color: currentColor; }
      mg-frames output { display: block; font-variant-numeric: tabular-nums; min-height: 1.6em; }`;
    const label = document.createElement("label");
    const slider = document.createElement("input");
    const said = document.createElement("output");
    label.append(this.dataset.name, slider);
    Object.assign(slider, { type: "range", min: 0, max: items.length - 1, value: 0 });
    const show = () => {
      const at = Number(slider.value);
      layers.forEach((layer, i) => layer.setAttribute("visibility", i === at ? "visible" : "hidden"));
      said.textContent = items[at].textContent;
      slider.setAttribute("aria-valuetext", items[at].dataset.label);
    };
    slider.addEventListener("input", show);
    const list = this.querySelector("ol");
    const all = document.createElement("details");
    const summary = document.createElement("summary");
    summary.textContent = `All ${items.length} settings as text`;
    list.replaceWith(all);
    all.append(summary, list);
    this.prepend(style);
    all.before(label, said);
    show();
  }
});
