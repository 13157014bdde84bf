"""``%load_ext gonb_cope``: cells of the language in the ordinary Python kernel."""

from __future__ import annotations

import re
import sys
import time
from typing import Any

from . import _script
from ._errors import CopeError, Interrupted
from ._process import process
from ._values import Value

_QUESTION = re.compile(r"^\s*(?:\?\s*(\w+)|(\w+)\s*\?)\s*$")
_given: dict[str, Any] = {}  # names in the user's namespace that cells bound or read
_generation = 0  # of the process that has these names
_SEEN = object()


def load_ipython_extension(ip: Any) -> None:
    """Register ``%%cope``, its completion and its help."""
    ip.register_magic_function(lambda line, cell: _cell(ip, line, cell), "cell", "cope")
    _complete(ip)
    _inspect(ip)
    process.on_progress = _Meter(ip)


def _cell(ip: Any, line: str, cell: str) -> None:
    """Evaluate a script. It reads Python variables by their names, and its own names become Python variables."""
    if line.strip():
        raise CopeError(f"nothing may follow %%cope, got {line.strip()!r}. The script begins in the next line", "request")
    from IPython.core.page import page

    asked = []
    lines = cell.split("\n")
    for i, text in enumerate(lines):
        found = _QUESTION.match(text)
        if found:
            asked.append(found.group(1) or found.group(2))
            lines[i] = ""
    text = "\n" + "\n".join(lines)  # the first line is the magic's
    global _generation
    if not process.pid or process.generation != _generation:
        _given.clear()
    names, gone = _script.names_in(text, ip.user_ns, _given)
    _given.update(dict.fromkeys(names, _SEEN))
    process.on_display = _display
    bound: dict[str, Any] = {}
    try:
        bound = _script.run(text, f"cell {ip.execution_count}", names, gone)
    except (CopeError, Interrupted) as e:
        bound = e.bound
        raise
    finally:
        process.on_display = None
        _generation = process.generation
        _given.update(bound)
        ip.user_ns.update(bound)
    for name in asked:
        help_ = process.request("inspect", {"text": name, "cursor": len(name)})
        page({"text/plain": help_.get("text") or f"there is nothing named {name}"})


def _display(params: dict[str, Any]) -> None:
    from IPython.display import clear_output, publish_display_data

    if params:
        publish_display_data(params["bundle"])
    else:
        clear_output()


class _Meter:
    """Shows the progress of calls longer than a second: as a line on a terminal, as a display in a notebook."""

    def __init__(self, ip: Any) -> None:
        self._terminal = not hasattr(ip, "kernel")
        self._since = 0.0
        self._shown: Any = None

    def __call__(self, params: dict[str, Any]) -> None:
        if not params["label"]:
            self._show("")
            self._since, self._shown = 0.0, None
            return
        now = time.monotonic()
        self._since = self._since or now
        if now - self._since < 1:
            return
        share = (params["done"] + params["share"]) / max(params["total"], 1)
        note = f", {params['note']}" if params["note"] else ""
        self._show(f"{params['label']}: {params['done']}/{params['total']} ({100 * share:.0f} %){note}")

    def _show(self, text: str) -> None:
        if self._terminal:
            if text or self._shown:
                sys.stderr.write(f"\r\x1b[K{text}")
                sys.stderr.flush()
                self._shown = True
            return
        from IPython.display import display

        if self._shown is not None:
            self._shown.update({"text/plain": text}, raw=True)
        elif text:
            self._shown = display({"text/plain": text}, raw=True, display_id=True)


def _script_at(text: str, cursor: int) -> tuple[str, int] | None:
    """Return the script of a ``%%cope`` cell and the cursor in it; None in other cells."""
    found = re.match(r"\s*%%cope[^\n]*(\n|$)", text)
    if not found or cursor < found.end():
        return None
    return text[found.end() :], cursor - found.end()


def _complete(ip: Any) -> None:
    from IPython.core.completer import SimpleCompletion, context_matcher

    @context_matcher()  # type: ignore[untyped-decorator,unused-ignore]
    def cope(context: Any) -> dict[str, Any]:
        at = _script_at(context.full_text, _offset(context))
        if at is None:
            return {"completions": []}
        named = {name: value for name, value in ip.user_ns.items() if name in at[0] and not isinstance(value, Value)}
        frames = {name: [str(c) for c in value.columns] for name, value in named.items() if hasattr(value, "columns")}
        found = process.request("complete", {"text": at[0], "cursor": at[1], "columns": frames})
        items = [SimpleCompletion(item["text"], type=item["type"]) for item in found["items"]]
        return {"completions": items, "matched_fragment": at[0][found["from"] : at[1]], "suppress": True}

    ip.Completer.custom_matchers = [m for m in ip.Completer.custom_matchers if getattr(m, "__name__", "") != "cope"] + [cope]


def _offset(context: Any) -> int:
    lines = context.full_text.split("\n")
    return sum(len(line) + 1 for line in lines[: context.cursor_line]) + int(context.cursor_position)


def _inspect(ip: Any) -> None:
    kernel = getattr(ip, "kernel", None)
    if kernel is None or getattr(kernel.do_inspect, "_cope", False):
        return
    before = kernel.do_inspect

    def do_inspect(code: str, cursor_pos: int, *args: Any, **named: Any) -> Any:
        at = _script_at(code, cursor_pos)
        if at is None:
            return before(code, cursor_pos, *args, **named)
        found = process.request("inspect", {"text": at[0], "cursor": at[1]})
        data = {"text/plain": found["text"], "text/html": found["html"]} if found.get("text") else {}
        return {"status": "ok", "found": bool(data), "data": data, "metadata": {}}

    do_inspect._cope = True  # type: ignore[attr-defined]
    kernel.do_inspect = do_inspect
