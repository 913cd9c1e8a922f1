// What a cell shows, as elements like those that the page has for stored results.

import type { Output } from "./protocol";

/** Make an element with properties and children. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag, properties: Partial<HTMLElementTagNameMap[Tag]> = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function html(source: string): HTMLElement {
  const box = make("div", { className: "output text_html", innerHTML: source });
  // A script that came as text does not run until it is made anew.
  for (const old of box.querySelectorAll("script")) old.replaceWith(make("script", { textContent: old.textContent }));
  return box;
}

function text(content: string, kind: string): HTMLElement {
  return make("div", { className: `output ${kind}` }, make("pre", { textContent: content }));
}

/** Where the output of a cell goes. Printed text that follows printed text joins it. */
export class Outputs {
  readonly element = make("div", { className: "cell_output docutils container mg-out" });
  readonly all: Output[] = [];
  private curve: HTMLElement | undefined;

  add(output: Output): void {
    if (output.kind === "live") {
      const fresh = html(output.html);
      if (this.curve) this.curve.replaceWith(fresh);
      else this.element.prepend(fresh);
      this.curve = fresh;
      return;
    }
    const before = this.all.at(-1);
    this.all.push(output);
    if (output.kind === "text" && before?.kind === "text") {
      this.element.lastElementChild!.firstElementChild!.append(output.text);
    } else if (output.kind === "text") {
      this.element.append(text(output.text, "stream"));
    } else if (output.kind === "error") {
      this.element.append(text(output.text, "traceback"));
    } else {
      const source = output.data["text/html"] ?? output.data["image/svg+xml"];
      this.element.append(source ? html(source) : text(output.data["text/plain"] ?? "", "text_plain"));
    }
  }
}
