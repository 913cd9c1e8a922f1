// What the figures that move have in common. A custom element is set up once, when its children are
// there; where no script runs, the children stand as they are. What can be moved tells where it stands
// (the event mg-at), and goes where it is told to (mg-go): `setUp` is given the one and returns the other.
const define = (name, css, setUp) => customElements.get(name) || customElements.define(name, class extends HTMLElement {
  connectedCallback() {
    if (document.readyState === "loading") {
      addEventListener("DOMContentLoaded", () => this.connectedCallback(), { once: true });
    } else if (!this.ready) {
      this.ready = true;
      const go = setUp(this, (at) => this.dispatchEvent(new CustomEvent("mg-at", { detail: at })));
      if (go) this.addEventListener("mg-go", ({ detail }) => go(detail));
      this.prepend(make("style", { textContent: css }));
    }
  }
});

const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

// Fold a list away under a title.
const fold = (list, title) => {
  const details = make("details", {}, make("summary", { textContent: title }));
  list.replaceWith(details);
  details.append(list);
  return details;
};

const BUTTON = `font: inherit; color: inherit; background: none; border: 1px solid; border-radius: 4px;
  padding: .2em .8em; min-height: 2em; cursor: pointer;`;
