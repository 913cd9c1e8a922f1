// <mg-stepper>: a graph (svg) and its steps (ol > li). Without this script both stand as they are.
// Each li names the value it changes (data-node, class v<node> in the svg) and what it becomes.
customElements.get("mg-stepper") || customElements.define("mg-stepper", class extends HTMLElement {
  connectedCallback() {
    if (document.readyState === "loading") { // the parser has not reached the children yet
      addEventListener("DOMContentLoaded", () => this.connectedCallback(), { once: true });
      return;
    }
    if (this.ready) return;
    this.ready = true;
    this.steps = [...this.querySelectorAll("li")];
    this.fields = new Map([...this.querySelectorAll("g.value")].map((g) => {
      const [data, grad] = [...g.querySelectorAll("text")].slice(-2);
      return [g.getAttribute("class").match(/\bv(\d+)\b/)[1], { g, data, grad }];
    }));
    const style = document.createElement("style");
    style.textContent = `
      mg-stepper { display: block; margin: 1em 0; }
      mg-stepper .mg-bar { display: flex; flex-wrap: wrap; gap: .5em; align-items: center; margin: .5em 0; }
      mg-stepper button { font: inherit; color: inherit; background: none; border: 1px solid; border-radius: 4px;
        padding: .2em .8em; min-height: 2em; cursor: pointer; }
      mg-stepper button:disabled { opacity: .65; cursor: default; }
      mg-stepper input { flex: 1 1 8em; min-width: 6em; accent-color: currentColor; }
      mg-stepper .mg-now { margin: .5em 0; min-height: 3em; }
      mg-stepper .mg-on > :first-child { stroke-width: 3; }
      mg-stepper .mg-from > :first-child { stroke-width: 3; stroke-dasharray: 4 3; }
      mg-stepper .mg-off { opacity: .55; }
      mg-stepper li[aria-current] { font-weight: 600; }`;
    const bar = document.createElement("div");
    bar.className = "mg-bar";
    this.buttons = [["Back", -1], ["Next", 1]].map(([word, by]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = word;
      button.addEventListener("click", () => this.show(this.at + by));
      return button;
    });
    this.slider = document.createElement("input");
    Object.assign(this.slider, { type: "range", min: 0, max: this.steps.length });
    this.slider.setAttribute("aria-label", "Step");
    this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
    bar.append(this.buttons[0], this.buttons[1], this.slider);
    this.now = document.createElement("p");
    this.now.className = "mg-now";
    this.now.setAttribute("aria-live", "polite");
    const list = this.querySelector("ol");
    const all = document.createElement("details");
    const summary = document.createElement("summary");
    summary.textContent = `All ${this.steps.length} steps as text`;
    list.replaceWith(all);
    all.append(summary, list);
    this.prepend(style);
    all.before(bar, this.now);
    this.show(0);
  }

  show(at) {
    this.at = Math.max(0, Math.min(this.steps.length, at));
    for (const { g, data, grad } of this.fields.values()) {
      g.classList.remove("mg-on", "mg-from");
      g.classList.add("mg-off");
      data.textContent = "data ?";
      grad.textContent = "grad 0";
    }
    this.steps.forEach((li, i) => {
      li.removeAttribute("aria-current");
      if (i >= this.at) return;
      const { g, data, grad } = this.fields.get(li.dataset.node);
      g.classList.remove("mg-off");
      if (li.dataset.phase === "forward") data.textContent = `data ${li.dataset.after}`;
      else grad.textContent = `grad ${li.dataset.after}`;
    });
    const li = this.steps[this.at - 1];
    this.slider.value = this.at;
    this.buttons[0].disabled = this.at === 0;
    this.buttons[1].disabled = this.at === this.steps.length;
    if (!li) {
      this.now.textContent = `Step 0 of ${this.steps.length}. Nothing is computed yet. Press Next.`;
      return;
    }
    li.setAttribute("aria-current", "step");
    this.now.textContent = `Step ${this.at} of ${this.steps.length}, ${li.dataset.phase}: ${li.textContent}`;
    const { g } = this.fields.get(li.dataset.node);
    g.classList.add("mg-on");
    const box = this.querySelector(".mg-scroll"), [seen, whole] = [g, box].map((e) => e.getBoundingClientRect());
    box.scrollLeft += (seen.left + seen.right - whole.left - whole.right) / 2;
    if (li.dataset.source) this.fields.get(li.dataset.source).g.classList.add("mg-from");
  }
});
