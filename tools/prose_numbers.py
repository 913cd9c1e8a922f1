"""Find the numbers in prose, and whether an output beside them says the same.

A number in prose is *backed* where one of these says the same, to the digits written:

1. an output nearby: printed text, the text form of a result, the words in a picture;
2. a number typed in a code cell nearby, or in the code of a question there: it is an input;
3. arithmetic written out in the same passage, as in "3 × 1 = 3": it is worked out again here;
4. an entry for it in tests/prose_numbers.toml.

*Nearby* is the section that the passage stands in (a heading of the third level; where a room has
none, the room), and besides that the nearest code cell before and after it, since a cell of prose
often ends one section and opens the next.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html import unescape
from typing import Any

from nbformat import NotebookNode

DIGITS = r"\d+(?:[,_]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
NUMBER = re.compile(rf"(?<![\w.\\])([-−]?)((?:{DIGITS})(?:[eE][-−+]?\d+)?)( ?%)?")


@dataclass(frozen=True)
class Rule:
    """Text that holds digits and no measured number, and why."""

    pattern: str
    why: str


# Taken out of the prose, in this order, before numbers are looked for.
RULES = [
    Rule(r"^```.*?^```", "a block of code is there to be read; what it prints has a cell"),
    Rule(r"(?<=\])\([^)]*\)", "an address of a link"),
    Rule(r"https?://\S+", "an address"),
    Rule(r"<[^>\n]*>", "a tag of HTML"),
    Rule(r"^#+ \d\.\d+ ", "the number of a section"),
    Rule(r"\b[Ss]ections? \d\.\d+(?:(?:, | and | to )\d\.\d+)*", "the number of a section"),
    Rule(r"\b[Pp]arts? \d(?:(?:, | and | to )\d)*\b", "the number of a part"),
    Rule(r"\bP\d(?:\.\w+)?\b", "the name of a part, an exercise or a question"),
    Rule(r"\b\d+:\d\d(?::\d\d)?\b", "a time in the video"),
    Rule(r"\b(?:in|since|of|from|until|[A-Z][a-z]+) (?:19|20)\d\d\b(?!\.\d)", "a year"),
    Rule(r"(?:, |\()(?:19|20)\d\d(?=[.,:)])", "the year of a text"),
    Rule(r"^ *\d+\. ", "the counter of a list"),
    Rule(r"\b(?:Python|micrograd|PyTorch|torch) \d+(?:\.\d+)*|\b\d+\.\d+\.\d+\b", "a version"),
    Rule(r"\b\d+(?=-bit)", "the name of a format of numbers"),
    Rule(r"_\{?\d+\}?", "an index, as in x₁: it is part of a name"),
    Rule(r"(?:\^|\*\*)\{?[-−]?\d+\}?", "an exponent of a formula"),
    Rule(r"\\(?:frac|sqrt|cdot|times|approx|le|ge)\b", "a command of a formula"),
]


@dataclass(frozen=True)
class Number:
    """A number as written: its text, what it is worth, and how far its digits go."""

    text: str
    value: float
    signed: bool
    percent: bool

    @property
    def decimals(self) -> int:
        """Digits after the point; for 1.5e-8, those of the mantissa."""
        mantissa = re.split("[eE]", self.text)[0]
        return len(mantissa.partition(".")[2])

    def fits(self, known: float) -> bool:
        """Whether `known`, rounded to the digits written, is this number.

        A minus that is written has to be there. One that is not may be said in words ("falls by
        0.15"). A whole number may not be further from `known` than one part in a hundred.
        """
        for scale in (1, 100) if self.percent else (1,):
            given = known * scale if self.signed else abs(known * scale)
            if "e" in self.text.lower():
                if f"{given:.{self.decimals}e}" == f"{self.value:.{self.decimals}e}":
                    return True
            elif abs(given - self.value) <= 0.5000001 * 10**-self.decimals and (
                self.decimals or abs(given - self.value) <= 0.01 * abs(given)
            ):
                return True
        return False


def _float(text: str) -> float:
    return float(re.sub("[,_]", "", text).replace("−", "-"))


def numbers(text: str) -> list[Number]:
    """The numbers in a text, as they stand; `prose` takes out what is none."""
    found = []
    for sign, digits, percent in NUMBER.findall(text):
        value = -_float(digits) if sign else _float(digits)
        found.append(Number(sign + digits, value, bool(sign), bool(percent)))
    return found


@cache
def prose(text: str) -> str:
    """Markdown without what holds digits but is no number; powers of ten as 1e-8."""
    for rule in RULES:
        if rule.why.startswith("an exponent"):
            times = r"(?:(?<=\d) ?(?:×|\\times|\\cdot) ?)"
            text = re.sub(rf"{times}10(?:\^|\*\*)\{{?([-−]?\d+)\}}?", r"e\1", text)
            text = re.sub(r"\b10(?:\^|\*\*)\{?([-−]?\d+)\}?", r"1e\1", text)
        text = re.sub(rule.pattern, " ", text, flags=re.M | re.S if "```" in rule.pattern else re.M)
    return unescape(text.replace("$", ""))


def printed(output: NotebookNode) -> str:
    """What a reader sees of an output, as text; of a picture, the words in it."""
    data = output.get("data", {})
    drawn = re.findall(r"<(?:text|li|strong)\b[^>]*>([^<]*)", data.get("text/html", ""))
    return "\n".join([output.get("text", ""), data.get("text/plain", ""), *map(unescape, drawn)])


def typed(source: str) -> str:
    """Code without the lines that only place things in a figure: no input stands in those."""
    return re.sub(r"^ *(?:ax|axes|fig|plt|top|bottom)\b.*$", "", source, flags=re.M)


def values(text: str) -> set[float]:
    """Every number in an output or in code, fractions such as 143/10 among them."""
    found = {n.value for n in numbers(text)}
    for above, below in re.findall(r"(?<![\w./])(-?\d+)/(\d+)(?![\w./])", text):
        if int(below):
            found.add(int(above) / int(below))
    return found


SUM = re.compile(
    rf"(\(?[-−]?(?:{DIGITS})\)?(?:\s*[-+−×·*/]\s*\(?[-−]?(?:{DIGITS})\)?)+)"
    rf"(?:\s*(?:=|is|makes|gives|, which is|, so|comes to|, in all|, or)\s*([-−]?(?:{DIGITS})))?"
)


def worked_out(text: str) -> Iterator[tuple[str, float, str | None]]:
    """Arithmetic in a passage: what is written, what it comes to, and the result given, if any."""
    for written, given in SUM.findall(text):
        code = re.sub("[×·]", "*", written).replace("−", "-").replace(",", "")
        try:
            yield written, float(eval(code, {"__builtins__": {}})), given or None
        except (SyntaxError, ZeroDivisionError, TypeError):  # "3 - (4", 1/0, "3 (4)"
            continue


@dataclass(frozen=True)
class Passage:
    """A piece of prose below one heading, where it stands, and what backs it up."""

    cell: str
    room: str
    section: str
    text: str
    outputs: set[float] = field(default_factory=set)
    inputs: set[float] = field(default_factory=set)

    @property
    def place(self) -> str:
        """The section, or the room where it has none."""
        return self.section or self.room

    def backs(self, number: Number) -> bool:
        """Whether an output, an input, or arithmetic in the passage says the same."""
        if any(map(number.fits, self.outputs)) or number.value in self.inputs:
            return True
        if not number.signed and -number.value in self.inputs:
            return True
        for written, result, given in worked_out(prose(self.text)):
            if number.fits(result):
                return True
            # A number that is worked with is right where what comes out is, and not by rounding.
            exact = given is not None and abs(_float(given) - result) <= 1e-9
            if number in numbers(written) and (exact or self.has(result)):
                return True
        return False

    def has(self, value: float) -> bool:
        """Whether an output nearby holds a value, to nine digits."""
        return any(abs(value - v) <= 1e-9 * max(abs(v), 1e-300) for v in self.outputs)

    def numbers(self) -> list[Number]:
        """The numbers that have to be backed, each as often as it is written."""
        return numbers(prose(self.text))

    def unbacked(self) -> list[Number]:
        """Those that nothing here backs; an entry in the list may still."""
        return [n for n in self.numbers() if not self.backs(n)]


def split(text: str) -> list[tuple[int, str, str]]:
    """Markdown cut before each heading of level two and three: level, heading, text."""
    pieces = []
    for piece in re.split(r"^(?=##{1,2} )", text, flags=re.M):
        heading = re.match(r"(##+) (.+)", piece)
        pieces.append((len(heading[1]), heading[2], piece) if heading else (0, "", piece))
    return [p for p in pieces if p[2].strip()]


def passages(nb: NotebookNode, asked: Any = None) -> list[Passage]:
    """All prose of a notebook, each passage with the values of the code cells nearby.

    `asked` gives the code of a question by its name, as in `predict("P4.a")`.
    """
    room = section = ""
    found: list[tuple[int, str, str, str]] = []
    places: list[tuple[str, str]] = []
    for i, cell in enumerate(nb.cells):
        if cell.cell_type == "markdown":
            for level, heading, text in split(cell.source):
                if level == 2:
                    room, section = heading, ""
                elif level == 3:
                    section = heading
                found.append((i, room, section, text))
        places.append((room, section))
    code = [i for i, cell in enumerate(nb.cells) if cell.cell_type == "code"]
    made = []
    for i, room, section, text in found:
        near = {j for j in code if places[j] == (room, section)}
        near |= {j for j in code if j < i and j == max(k for k in code if k < i)}
        near |= {j for j in code if j > i and j == min(k for k in code if k > i)}
        outputs: set[float] = set()
        inputs: set[float] = set()
        for j in near:
            source = typed(nb.cells[j].source)
            if asked:
                for name in re.findall(r'predict\("(P\d\.\w+)"\)', source):
                    source += "\n" + asked(name)
            inputs |= values(source)
            for output in nb.cells[j].outputs:
                outputs |= values(printed(output))
        made.append(Passage(nb.cells[i].id, room, section, text, outputs, inputs))
    return made


def page_passages(text: str, ran: dict[str, str]) -> list[Passage]:
    """The passages of a page, backed by its blocks of code, by what is generated into it, and by
    what `ran` gives for a heading: the output of a piece of code that stands in the list.

    Below one heading of the second level everything is nearby.
    """
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    made, room = [], ""
    whole = re.split(r"^(?=## )", text, flags=re.M)
    for block in whole:
        outputs = set()
        for generated in re.findall(r"<!-- begin\b.*?-->(.*?)<!-- end", block, flags=re.S):
            outputs |= values(generated)
        inputs = values("\n".join(re.findall(r"^```.*?^```", block, flags=re.M | re.S)))
        bare = re.sub(r"<!-- begin\b.*?-->.*?<!-- end.*?-->", "", block, flags=re.S)
        for level, heading, piece in split(bare):
            if level == 2:
                room, section = heading, ""
            else:
                section = heading
            said = outputs | values(ran.get(heading, "")) | values(ran.get(room, ""))
            made.append(Passage(section or room, room, section, piece, said, inputs))
    return made
