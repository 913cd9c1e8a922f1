"""Check yourself: a question that shows its answer once you have committed to a prediction.

`predict("P4.a")` shows question a of part P4. The questions of a part are in `questions/p4.toml`.
What Python answers is computed by running the question's code, never stored.
"""

import ast
import tomllib
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from micrograd.elements import script

HERE = Path(__file__).parent
SCRIPT = script(HERE / "predict.js")


@dataclass(frozen=True)
class Question:
    """A question: what is asked, the code whose last line is the answer, and why it is so.

    `choices`, where given, are the answers to choose from. `wrong` gives for a likely wrong answer
    what its giver may have misunderstood.
    """

    id: str
    ask: str
    code: str
    why: str
    choices: list[str] = field(default_factory=list)
    wrong: dict[str, str] = field(default_factory=dict)

    def answer(self) -> str:
        """Run the code; the value of its last line, as text."""
        body = ast.parse(self.code).body
        last = body.pop()
        if not isinstance(last, ast.Expr):
            raise ValueError(f"{self.id}: the code must end in an expression")
        names: dict[str, Any] = {}
        exec(compile(ast.Module(body, []), self.id, "exec"), names)
        value = eval(compile(ast.Expression(last.value), self.id, "eval"), names)
        return value if isinstance(value, str) else repr(value)


@cache
def questions(part: str) -> dict[str, Question]:
    """The questions of a part, such as "P4", by letter. Raises KeyError for an unknown part."""
    path = HERE / "questions" / f"{part.lower()}.toml"
    if not path.exists():
        raise KeyError(f"no questions for part {part!r}: parts are named P1, P2, and so on")
    with path.open("rb") as file:
        return {k: Question(id=f"{part}.{k}", **v) for k, v in tomllib.load(file).items()}


class Prediction:
    """A question on the page: choose or type, commit, and see what Python says, and why."""

    def __init__(self, question: Question):
        self.question, self.answer = question, question.answer()

    def __repr__(self) -> str:
        q = self.question
        return "\n".join([f"{q.id}  {q.ask}", *(f"  - {c}" for c in q.choices)])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        q = self.question
        choices = "".join(f'<li class="mg-choice">{escape(c)}</li>' for c in q.choices)
        wrong = "".join(
            f'<p class="mg-wrong" data-for="{escape(a)}">{escape(text)}</p>'
            for a, text in q.wrong.items()
        )
        html = (
            f'<mg-predict id="{q.id}"><p class="mg-ask">{escape(q.ask)}</p>'
            f"<pre><code>{escape(q.code.strip())}</code></pre>"
            + (f"<ul>{choices}</ul>" if choices else "")
            + f"<details><summary>Show the answer</summary>{wrong}"
            f'<p>Python says <strong class="mg-answer">{escape(self.answer)}</strong>.</p>'
            f"<p>{escape(q.why)}</p></details></mg-predict>{SCRIPT}"
        )
        return {"text/html": html, "text/plain": repr(self)}


def predict(name: str) -> Prediction:
    """The question called `name`, such as "P4.a". Raises KeyError, with the names there are."""
    part, _, letter = name.partition(".")
    known = questions(part)
    if letter not in known:
        raise KeyError(f"no question {name!r}: {part} has {', '.join(known)}")
    return Prediction(known[letter])
