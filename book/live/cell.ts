// One code cell of the page: its code as it is now, its buttons, and what it shows.

import type { Editor } from "./editor";
import type { Output } from "./protocol";
import { edits, keep } from "./kept";
import { make, Outputs } from "./outputs";
import { packages } from "virtual:python";

/** What a cell asks of the page. */
export interface Page {
  run(cell: PageCell): void;
  stop(): void;
  changed(): void;
}

/** The package that a cell of the book needs beside the course's own. */
export function needs(element: HTMLElement): string | undefined {
  return /\blacks-(\S+)/.exec(element.className)?.[1];
}

const WHERE: Record<string, string> = { torch: "PyTorch", torchgen: "PyTorch", numpy: "NumPy", matplotlib: "Matplotlib" };

export class PageCell {
  readonly slow: boolean;
  readonly original: string;
  code: string;
  /** The code that has run in the Python that is there now. */
  ran: string | undefined;

  private readonly input: HTMLElement;
  private readonly stored: HTMLElement | null;
  private readonly runButton = this.button("Run", () => this.page.run(this));
  private readonly stopButton = this.button("Stop", () => this.page.stop());
  private readonly editButton = this.button("Edit", () => void this.edit());
  private readonly resetButton = this.button("Reset", () => this.reset());
  private readonly status = make("span", { className: "mg-live-status" });
  private outputs: Outputs | undefined;
  private editor: Editor | undefined;

  constructor(readonly element: HTMLElement, readonly number: number, private readonly page: Page) {
    this.input = element.querySelector<HTMLElement>(".cell_input")!;
    this.stored = element.querySelector<HTMLElement>(".cell_output");
    this.original = this.shown.textContent!.replace(/\n$/, "");
    this.code = this.original;
    this.slow = element.classList.contains("slow");
    this.status.setAttribute("role", "status");
    const bar = make("div", { className: "mg-live" }, this.runButton, this.stopButton, this.editButton, this.resetButton, this.status);
    this.input.append(bar);
    this.shown.addEventListener("click", () => {
      if (!getSelection()?.toString()) void this.edit(); // whoever selects wants to copy
    });
    const kept = edits()[element.id];
    if (kept !== undefined) this.write(kept);
    this.say("");
    this.busy(false);
  }

  get id(): string {
    return this.element.id;
  }

  /** The package without which the cell cannot run as it is in the book. */
  get lacks(): string | undefined {
    const needed = needs(this.element);
    return needed && packages.includes(needed) ? undefined : needed;
  }

  get done(): boolean {
    return this.ran === this.code;
  }

  private get shown(): HTMLPreElement {
    return this.input.querySelector("pre")!;
  }

  private button(text: string, act: () => void): HTMLButtonElement {
    const button = make("button", { type: "button", textContent: text, ariaLabel: "" });
    button.addEventListener("click", act);
    return button;
  }

  /** Bring the buttons to the state of the cell: while it runs or waits there is a Stop. */
  busy(busy: boolean): void {
    this.element.classList.toggle("mg-busy", busy);
    this.element.classList.toggle("mg-changed", this.code !== this.original);
    this.stopButton.hidden = !busy;
    this.runButton.hidden = busy || (this.lacks !== undefined && this.code === this.original);
    this.resetButton.hidden = busy || (this.code === this.original && !this.outputs);
    for (const button of [this.runButton, this.stopButton, this.editButton, this.resetButton]) {
      button.setAttribute("aria-label", `${button.textContent} cell ${this.number}`);
    }
  }

  /** Say something beside the buttons; with nothing to say, why the cell has no Run, if so. */
  say(text: string): void {
    const lacks = this.code === this.original && this.lacks;
    const why = lacks ? `${WHERE[lacks] ?? lacks} does not run in the page. The stored result is shown. This cell runs in JupyterLab.` : "";
    this.status.textContent = text || why;
  }

  /** Begin with the cell's output: what it showed before goes. */
  begin(): void {
    this.clear();
    this.outputs = new Outputs();
    this.input.after(this.outputs.element);
    if (this.stored) this.stored.hidden = true;
  }

  add(output: Output): void {
    this.outputs?.add(output);
  }

  /** Tell the page, and whoever else listens, that the cell has run and what it has shown. */
  end(well: boolean): void {
    this.ran = well ? this.code : undefined;
    const detail = { well, outputs: this.outputs?.all ?? [] };
    this.element.dispatchEvent(new CustomEvent("mg-ran", { bubbles: true, detail }));
  }

  /** Replace the code by an editor that holds it, and go there. */
  async edit(): Promise<void> {
    if (!this.editor) {
      const { edit } = await import("./editor");
      if (this.editor) return;
      this.editor = edit(this.code, `Code of cell ${this.number}. Shift and Enter run it, Escape leaves it.`, {
        change: (code) => this.change(code),
        run: () => this.page.run(this),
        leave: () => (this.runButton.hidden ? this.editButton : this.runButton).focus(),
      });
      this.input.querySelector<HTMLElement>(".highlight")!.hidden = true;
      this.input.prepend(this.editor.element);
      // The theme takes a "/" anywhere on the page as a wish to search.
      this.editor.element.addEventListener("keydown", (event) => event.stopPropagation());
      this.editButton.hidden = true;
    }
    this.editor.focus();
  }

  private change(code: string): void {
    this.code = code;
    if (!keep(this.id, code === this.original ? undefined : code)) {
      this.say("This browser does not let the page store anything. Your code lasts until you leave.");
    }
    this.busy(this.element.classList.contains("mg-busy"));
    this.page.changed();
  }

  private write(code: string): void {
    this.code = code;
    this.shown.textContent = code;
    this.page.changed();
  }

  private clear(): void {
    this.outputs?.element.remove();
    this.outputs = undefined;
    if (this.stored) this.stored.hidden = false;
  }

  /** Back to the book: its code, and its stored result. */
  reset(): void {
    this.clear();
    keep(this.id, undefined);
    if (this.editor) this.editor.set(this.original);
    else if (this.code !== this.original) this.write(this.original);
    this.code = this.original;
    this.ran = undefined;
    this.say("");
    this.busy(false);
    this.page.changed();
  }
}
