// A figure that moves as a Jupyter widget: the same element, and where it stands is known to Python.
export default {
  render({ model, el }) {
    el.innerHTML = model.get("html");
    for (const old of el.querySelectorAll("script")) {
      const script = document.createElement("script"); // one that came as text would not run
      script.textContent = old.textContent;
      old.replaceWith(script);
    }
    const figure = el.firstElementChild;
    const go = () => figure.dispatchEvent(new CustomEvent("mg-go", { detail: model.get("at") }));
    figure.addEventListener("mg-at", ({ detail }) => {
      model.set("at", detail);
      model.save_changes();
    });
    model.on("change:at", go);
    if (model.get("at")) requestAnimationFrame(go);
  },
};
