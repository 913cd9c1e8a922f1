// <mg-stepper>: a graph (svg) and its steps (ol > li). Each li names the value that it changes
// (data-node, class v<node> in the svg), what it becomes, and where a gradient comes from.
define("mg-stepper", `
  mg-stepper { display: block; margin: 1em 0; }
  mg-stepper .mg-bar { display: flex; flex-wrap: wrap; gap: .5em; align-items: center; margin: .5em 0; }
  mg-stepper button { ${BUTTON} }
  mg-stepper button:disabled { opacity: .65; cursor: default; }
  mg-stepper input { flex: 1 1 8em; min-width: 6em; accent-color: currentColor; }
  mg-stepper .mg-now { margin: .5em 0; min-height: 3em; }
  mg-stepper .mg-on > :first-child { stroke-width: 3; }
  mg-stepper .mg-from > :first-child { stroke-width: 3; stroke-dasharray: 4 3; }
  mg-stepper .mg-off { opacity: .55; }
  mg-stepper li[aria-current] { font-weight: 600; }
`, (stepper, tell) => {
  const steps = [...stepper.querySelectorAll("li")];
  const boxes = new Map([...stepper.querySelectorAll("g.value")].map((g) => {
    const [data, grad] = [...g.querySelectorAll("text")].slice(-2);
    return [g.getAttribute("class").match(/\bv(\d+)\b/)[1], { g, data, grad }];
  }));
  let at = 0;
  const back = make("button", { type: "button", textContent: "Back", onclick: () => show(at - 1) });
  const next = make("button", { type: "button", textContent: "Next", onclick: () => show(at + 1) });
  const slider = make("input", { type: "range", min: 0, max: steps.length, ariaLabel: "Step" });
  slider.addEventListener("input", () => show(Number(slider.value)));
  const now = make("p", { className: "mg-now", ariaLive: "polite" });
  const scroll = stepper.querySelector(".mg-scroll");

  const show = (wanted) => {
    at = Math.max(0, Math.min(steps.length, wanted));
    tell(at);
    for (const { g, data, grad } of boxes.values()) {
      g.classList.remove("mg-on", "mg-from");
      g.classList.add("mg-off");
      data.textContent = "data ?";
      grad.textContent = "grad 0";
    }
    steps.forEach((li, i) => {
      li.removeAttribute("aria-current");
      if (i >= at) return;
      const { g, data, grad } = boxes.get(li.dataset.node);
      g.classList.remove("mg-off");
      if (li.dataset.phase === "forward") data.textContent = `data ${li.dataset.after}`;
      else grad.textContent = `grad ${li.dataset.after}`;
    });
    slider.value = at;
    back.disabled = at === 0;
    next.disabled = at === steps.length;
    now.textContent = `Step ${at} of ${steps.length}`;
    if (at === 0) {
      now.textContent += ". Nothing is computed yet. Press Next.";
      return;
    }
    const li = steps[at - 1];
    li.setAttribute("aria-current", "step");
    now.textContent += `, ${li.dataset.phase}: ${li.textContent}`;
    const { g } = boxes.get(li.dataset.node);
    g.classList.add("mg-on");
    if (li.dataset.source) boxes.get(li.dataset.source).g.classList.add("mg-from");
    const [seen, whole] = [g, scroll].map((element) => element.getBoundingClientRect());
    scroll.scrollLeft += (seen.left + seen.right - whole.left - whole.right) / 2;
  };

  const all = fold(stepper.querySelector("ol"), `All ${steps.length} steps as text`);
  all.before(make("div", { className: "mg-bar" }, back, next, slider), now);
  show(0);
  return show;
});
