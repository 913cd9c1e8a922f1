// Take a page of the site as a chapter of a book on paper: its text without what can only be pressed.
// Formulas become MathML, which a browser and a reading device draw by themselves.
(slug, slugs) => {
  const article = document.querySelector("article").cloneNode(true);
  // The text of a graph is for those who cannot see its picture; a page of paper says it once.
  const gone = ".mg-figure details, .headerlink, .mg-live, .mg-live-bar, .mg-end, .mg-progress, .mg-bar, .mg-now, form, button, input, "
    + "script, style, label, output, .copybtn, [role=status]";
  for (const element of article.querySelectorAll(gone)) element.remove();
  for (const details of article.querySelectorAll("details")) {
    details.hidden = false;
    const box = document.createElement("div");
    box.className = "details";
    box.append(...details.childNodes);
    details.replaceWith(box);
  }
  for (const summary of article.querySelectorAll("summary")) {
    const title = document.createElement("p");
    title.className = "summary";
    title.append(...summary.childNodes);
    summary.replaceWith(title);
  }
  for (const box of article.querySelectorAll("mjx-container")) {
    const math = box.querySelector("math");
    if (box.getAttribute("display") === "true") math.setAttribute("display", "block");
    box.replaceWith(math);
  }
  // Elements of our own have no meaning on paper; what is in them has.
  for (const own of article.querySelectorAll("mg-stepper, mg-frames, mg-predict")) {
    const box = document.createElement("div");
    box.className = own.localName;
    box.append(...own.childNodes);
    own.replaceWith(box);
  }
  for (const layer of article.querySelectorAll("g.mg-frame[visibility=hidden]")) layer.remove();
  const ids = new Set();
  for (const element of article.querySelectorAll("[id]")) {
    if (element.closest("svg")) continue;
    element.id = `${slug}--${element.id}`;
    if (ids.has(element.id)) element.removeAttribute("id");
    ids.add(element.id);
  }
  for (const a of article.querySelectorAll("a[href]")) {
    const url = new URL(a.getAttribute("href"), location.href);
    const page = url.pathname.replace(/^\//, "").replace(/\.html$/, "");
    if (url.origin !== location.origin) a.setAttribute("href", url.href);
    else if (slugs[page]) a.setAttribute("href", `#${slugs[page]}${url.hash ? `--${decodeURIComponent(url.hash.slice(1))}` : ""}`);
    else a.replaceWith(...a.childNodes);
  }
  const images = [];
  for (const image of article.querySelectorAll("img")) {
    const url = new URL(image.getAttribute("src"), location.href);
    images.push(url.pathname);
    image.setAttribute("src", url.pathname);
    image.removeAttribute("style");
  }
  const headings = [...article.querySelectorAll("h1, h2")].map((heading) => ({
    level: Number(heading.localName[1]),
    text: heading.textContent.trim(),
    id: heading.closest("section")?.id ?? slug,
  }));
  article.removeAttribute("class");
  const text = new XMLSerializer().serializeToString(article);
  return { title: headings[0].text, headings, images, text };
}
