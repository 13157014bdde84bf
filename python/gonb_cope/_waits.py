"""Whether a thread can never go on, because a call of this package waits for it.

A function of Python that the process calls may wait for another thread. If that thread calls this package, its call waits for the
function, and both wait for ever. This is read from the frames of all threads: what one of them waits for, and what another can reach.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Collection
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

_WAITING = ("threading", "queue", "concurrent.", "asyncio.", "selectors", "multiprocessing.")  # modules whose functions wait
_PLAIN = (type(None), bool, int, float, str, bytes, type, ModuleType, CodeType, FrameType)
_HUBS = ("gonb_cope._process", "ipykernel", "IPython", "traitlets", "zmq", "tornado")  # packages whose objects reach everything
_MOST = 3_000  # objects that are looked at in a thread


def stuck_at(function: int, own: int, callers: Collection[int]) -> FrameType | None:
    """Return the frame in which the thread of a function waits for this one; None if another thread can wake it.

    Threads go on while they are looked at: only a thread that is found in the same frame again is stuck.
    """
    frames = sys._current_frames()
    awaited = {one: _awaited(frame, one == function) for one, frame in frames.items() if one not in callers}
    waiting = {one: found for one, found in awaited.items() if found}
    able = [one for one in awaited if one not in waiting and not _serves(frames[one])]  # threads that can go on
    while able:
        frame = frames[able.pop()]
        woken = [one for one, found in waiting.items() if _reaches(frame, found)]
        able += woken
        for one in woken:
            del waiting[one]
    left, seen = [function] if function in waiting else [], {function}
    while left:
        found = waiting[left.pop()]
        if _reaches(frames[own], found):
            return frames[function]
        further = [one for one in waiting if one not in seen and _reaches(frames[one], found)]
        left += further
        seen.update(further)
    return None


def _serves(frame: FrameType | None) -> bool:
    """Report whether a notebook started the thread for its own messages: it wakes no function of the user."""
    first = ""
    while frame is not None:
        module = _module(frame)
        first, frame = (first if module == "threading" else module), frame.f_back
    return first.startswith(("ipykernel", "IPython"))


def _awaited(frame: FrameType | None, selects: bool) -> set[int]:
    """Return the objects that a thread waits for: the variables of its newest frames, as far as these are of modules that wait."""
    found: set[int] = set()
    while frame is not None and _module(frame).startswith(_WAITING):
        if _module(frame) == "selectors":
            if not selects and not _module(frame.f_back).startswith("multiprocessing"):  # which waits for its own threads
                return set()  # what it waits for may come from outside
        elif (frame.f_locals.get("timeout") or -1) > 0:
            return set()  # the wait ends by itself
        found.update(id(value) for value in frame.f_locals.values() if not isinstance(value, _PLAIN))
        frame = frame.f_back
    return found


def _reaches(frame: FrameType | None, wanted: set[int]) -> bool:
    """Report whether a thread can reach one of some objects from its frames outside of this package."""
    found: list[Any] = []
    while frame is not None:
        if not _module(frame).startswith("gonb_cope"):
            found += [*frame.f_locals.values(), *_globals(frame.f_code, frame.f_globals)]
        frame = frame.f_back
    seen = set()
    for value in found:  # which grows: the nearest come first
        if id(value) in wanted:
            return True
        if id(value) in seen or isinstance(value, _PLAIN) or hasattr(type(value), "call_soon") or str(type(value).__module__).startswith(_HUBS):
            continue  # an event loop is a hub, too
        seen.add(id(value))
        if len(seen) == _MOST:
            break
        if isinstance(value, FunctionType):
            found += [value.__closure__, value.__defaults__, *_globals(value.__code__, value.__globals__)]
        else:
            found += gc.get_referents(value)
    return False


def _globals(code: CodeType, space: dict[str, Any]) -> list[Any]:
    return [space[name] for name in code.co_names if name in space and not isinstance(space[name], FunctionType)]


def _module(frame: FrameType | None) -> str:
    return str(frame.f_globals.get("__name__", "")) if frame else ""
