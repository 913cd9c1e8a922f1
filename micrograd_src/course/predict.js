// <mg-predict>: a question whose answer (details) stays shut until the reader has committed to one.
// The prediction is kept in this browser, where that is allowed.
define("mg-predict", `
  mg-predict { display: block; margin: 1em 0; padding: .5em 1em; border-left: 3px solid; }
  mg-predict form { display: flex; flex-wrap: wrap; gap: .5em 1em; align-items: center; margin: .5em 0; }
  mg-predict fieldset { border: 0; padding: 0; margin: 0; flex-basis: 100%; }
  mg-predict fieldset label { display: block; padding: .25em 0; }
  mg-predict input[type=text] { font: inherit; color: inherit; background: none; border: 1px solid;
    border-radius: 4px; padding: .2em .5em; width: 14em; max-width: 100%; }
  mg-predict button { ${BUTTON} }
  mg-predict [hidden] { display: none; }
  mg-predict pre { overflow-x: auto; }
`, (question) => {
  const answer = question.querySelector("details");
  const list = question.querySelector("ul");
  const said = make("p", { role: "status" });
  const key = `micrograd.predicted.${question.id}`;
  const field = (properties) => make("input", { name: "said", required: true, autocomplete: "off", ...properties });
  const form = make("form");
  if (list) {
    const choices = [...list.querySelectorAll("li")].map(({ textContent: value }) =>
      make("label", {}, field({ type: "radio", value }), " ", value));
    form.append(make("fieldset", {}, make("legend", { textContent: "Your prediction" }), ...choices));
    list.remove();
  } else {
    form.append(make("label", {}, "Your prediction ", field({ type: "text" })));
  }
  form.append(make("button", { textContent: "Commit, then see" }));

  const number = (text) => (text.trim() === "" ? NaN : Number(text.replace("−", "-").replace(",", ".")));
  const near = (a, b) => Math.abs(a - b) <= 1e-3 * Math.max(1, Math.abs(b));
  const same = (a, b) => a.trim() === b.trim() || near(number(a), number(b));

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = new FormData(form).get("said").trim();
    if (!given) return;
    const right = same(given, answer.querySelector(".mg-answer").textContent);
    said.textContent = `You predicted ${given}. ${right ? "That is what happens." : "Look at what happens."}`;
    for (const p of answer.querySelectorAll(".mg-wrong")) p.hidden = right || !same(given, p.dataset.for);
    answer.hidden = false;
    answer.open = true;
    try { localStorage.setItem(key, given); } catch { /* the page works without */ }
  });

  let before = null;
  try { before = localStorage.getItem(key); } catch { /* nothing was kept */ }
  if (before) said.textContent = `Last time you predicted ${before}.`;
  answer.hidden = true;
  answer.before(form, said);
});
