// <mg-predict>: a question whose answer (details) stays shut until the reader has committed to one.
// Without this script the details element opens by hand. The prediction is kept in this browser.
customElements.get("mg-predict") || customElements.define("mg-predict", class extends HTMLElement {
  connectedCallback() {
    if (document.readyState === "loading") { // the parser has not reached the children yet
      addEventListener("DOMContentLoaded", () => this.connectedCallback(), { once: true });
      return;
    }
    if (this.ready) return;
    this.ready = true;
    const style = document.createElement("style");
    style.textContent = `
      mg-predict { display: block; margin: 1em 0; padding: .5em 1em; border-left: 3px solid; }
      mg-predict form { display: flex; flex-wrap: wrap; gap: .5em 1em; align-items: center; margin: .5em 0; }
      mg-predict fieldset { border: 0; padding: 0; margin: 0; flex-basis: 100%; }
      mg-predict fieldset label { display: block; padding: .25em 0; }
      mg-predict input[type=text] { font: inherit; color: inherit; background: none; border: 1px solid;
        border-radius: 4px; padding: .2em .5em; width: 14em; max-width: 100%; }
      mg-predict button { font: inherit; color: inherit; background: none; border: 1px solid; border-radius: 4px;
        padding: .2em .8em; min-height: 2em; cursor: pointer; }
      mg-predict [hidden] { display: none; }
      mg-predict pre { overflow-x: auto; }`;
    const answer = this.querySelector("details");
    const choices = [...this.querySelectorAll("li.mg-choice")].map((li) => li.textContent);
    const form = document.createElement("form");
    if (choices.length) {
      const set = document.createElement("fieldset");
      const legend = document.createElement("legend");
      legend.textContent = "Your prediction";
      set.append(legend, ...choices.map((text) => {
        const label = document.createElement("label");
        const radio = Object.assign(document.createElement("input"), { type: "radio", name: "said", value: text });
        radio.required = true;
        label.append(radio, " ", text);
        return label;
      }));
      form.append(set);
      this.querySelector("ul").remove();
    } else {
      const label = document.createElement("label");
      const box = Object.assign(document.createElement("input"), { type: "text", name: "said", required: true });
      box.autocomplete = "off";
      label.append("Your prediction ", box);
      form.append(label);
    }
    const commit = Object.assign(document.createElement("button"), { textContent: "Commit, then see" });
    form.append(commit);
    const said = document.createElement("p");
    said.setAttribute("role", "status");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const given = new FormData(form).get("said").trim();
      if (given) this.reveal(given, answer, said);
    });
    this.prepend(style);
    answer.hidden = true;
    answer.before(form, said);
    const before = this.recall();
    if (before) said.textContent = `Last time you predicted ${before}.`;
  }

  reveal(given, answer, said) {
    const truth = answer.querySelector(".mg-answer").textContent;
    const number = (text) => (text.trim() === "" ? NaN : Number(text.replace("−", "-").replace(",", ".")));
    const near = (a, b) => Math.abs(a - b) <= 1e-3 * Math.max(1, Math.abs(b));
    const same = (a, b) => a.trim() === b.trim() || near(number(a), number(b));
    const right = same(given, truth);
    said.textContent = right ? `You predicted ${given}. That is what happens.` : `You predicted ${given}. Look at what happens.`;
    for (const p of answer.querySelectorAll(".mg-wrong")) p.hidden = right || !same(given, p.dataset.for);
    answer.hidden = false;
    answer.open = true;
    try { localStorage.setItem(`micrograd.predicted.${this.id}`, given); } catch { /* the page works without */ }
  }

  recall() {
    try { return localStorage.getItem(`micrograd.predicted.${this.id}`); } catch { return null; }
  }
});
