// The editor of a cell: CodeMirror, with Python's colours. It is loaded when a reader first edits.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";


export interface Editor {
  readonly element: HTMLElement;
  focus(): void;
  set(code: string): void;
}

/** An editor that holds `code` and calls back on each change, on Shift+Enter and on Escape. */
export function edit(
  code: string, label: string, on: { change: (code: string) => void; run: () => void; leave: () => void },
): Editor {
  const act = (what: () => void) => () => (what(), true);
  const view = new EditorView({
    doc: code,
    extensions: [
      Prec.highest(keymap.of([
        { key: "Shift-Enter", run: act(on.run) },
        { key: "Escape", run: act(on.leave) },
      ])),
      history(),
      keymap.of([...defaultKeymap, ...historyKeymap]), // Tab goes on to the next control
      python(),
      indentUnit.of("    "),
      indentOnInput(),
      bracketMatching(),
      syntaxHighlighting(classHighlighter),
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) on.change(update.state.doc.toString());
      }),
    ],
  });
  return {
    element: view.dom,
    focus: () => view.focus(),
    set: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
  };
}
