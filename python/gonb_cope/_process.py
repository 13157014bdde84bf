"""The gonb-cope process and the messages to and from it; docs/reference/json.md describes them."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from ._errors import CopeError, Interrupted, Note, ProcessEnded
from ._own import Runs

PROTOCOL = 1


class Function:
    """A Python function in a message, which sends its number."""

    def __init__(self, function: Callable[..., Any], label: str, digest: str = "") -> None:
        self.function, self.label = function, label
        self.digest = digest  # of the code of a class that is an algorithm


def command() -> str:
    """Return the path of the gonb-cope command: this package's, or the first on the PATH."""
    import shutil
    import sysconfig

    name = "gonb-cope.exe" if os.name == "nt" else "gonb-cope"
    given = os.environ.get("GONB_COPE")
    if given:
        return given
    schemes = [None, "nt_user" if os.name == "nt" else "osx_framework_user" if sys.platform == "darwin" else "posix_user"]
    for scheme in schemes:
        try:
            folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        except KeyError:
            continue
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    found = shutil.which("gonb-cope")
    if found:
        return found
    raise CopeError(f"there is no {name}: install the wheel of your platform, or set GONB_COPE to the path of the command", "request")


class _Call:
    """A request that was sent and has no answer yet."""

    def __init__(self, number: str, generation: int) -> None:
        self.number, self.generation = number, generation
        self.failed: BaseException | None = None  # what a function of Python raised
        self.cancelled = False


class Process:
    """A child process, started by the first call.

    It serves one call at a time, from any thread. While a call waits for a function of Python, other calls are served inside it.
    """

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._turn = threading.Condition()  # guards the next three
        self._owner: int | None = None  # the thread whose call is served
        self._held = 0  # how often it asked for that
        self._lent = 0  # how many calls wait for functions of Python, each inside the one before
        self._pid = 0
        self._buffer = bytearray()
        self._blocks: dict[int, bytearray] = {}
        self._next = 0
        self._block = itertools.count(1)
        self._functions: dict[int, Callable[..., Any]] = {}  # which the child may call
        self._numbered = 0
        self._runs = Runs()
        self._folder = ""
        self._log: Any = None
        self._end: ProcessEnded | None = None  # of the last process
        self.generation = 0  # counts processes: a value belongs to one
        self.freed: deque[tuple[int, str]] = deque()
        self.on_progress: Callable[[dict[str, Any]], None] | None = None
        self.on_display: Callable[[dict[str, Any]], None] | None = None
        self._open: list[_Call] = []
        self._answers: dict[str, dict[str, Any]] = {}  # that another call has read
        self._writing = threading.Lock()
        self._cancels: list[str] = []  # numbers of requests to cancel
        self._handler: Any = None  # of interrupts during a call of the main thread, and the one before
        self._before: Any = None

    # Starting and ending.

    @property
    def pid(self) -> int:
        """The process id of the child; 0 when none runs."""
        return self._child.pid if self._child and self._child.poll() is None else 0

    def _start(self) -> None:
        if self._child is not None:
            if self._pid == os.getpid() and self._child.poll() is None:
                return
            self._forget()
        self._pid = os.getpid()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        options: dict[str, Any] = {}
        if os.name == "nt":
            options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP  # type: ignore[attr-defined,unused-ignore]
        else:
            options["start_new_session"] = True  # an interrupt is for this process, which passes it on
        self._folder = os.getcwd()
        self._child = subprocess.Popen(
            [command(), "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, bufsize=0, pipesize=1 << 20, **options
        )
        self.generation += 1
        self._functions.clear()
        self._runs = Runs()
        self._buffer.clear()
        self._blocks.clear()
        self._answers.clear()
        self._request("hello", {"protocol": PROTOCOL, "folder": self._folder})

    def _forget(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        for stream in (child.stdin, child.stdout, self._log):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()

    def close(self) -> None:
        """End the child. Values of it cannot be used any more."""
        with self.alone():
            child = self._child
            if child is None:
                return
            self._forget()
            if self._pid != os.getpid():
                return
            try:
                child.wait(2)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def _ended(self, call: _Call) -> ProcessEnded:
        if self._end is not None and (self._child is None or self.generation != call.generation):  # a call inside this one has found it
            return ProcessEnded(str(self._end), "ended")
        status, said = None, ""
        child = self._child
        if child is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = child.wait(2)
            with contextlib.suppress(OSError, ValueError):
                self._log.seek(0)
                said = self._log.read()[-2000:].decode("utf-8", "replace").strip()
        self._forget()
        how = f"by signal {-status}" if status is not None and status < 0 else f"with status {status}"
        text = f"the gonb-cope process ended {how}; the next call starts another. Values of it are lost, campaigns are on the disk"
        self._end = ProcessEnded(f"{text}\n{said}" if said else text, "ended")
        return self._end

    # Requests.

    def request(self, method: str, params: Any, blocks: Sequence[Any] = ()) -> Any:
        """Send a request, answer its questions, and return its result.

        Blocks are bytes; params refer to them by number. The caller takes numbers from ``number_blocks``.
        A ``Function`` in params is one that the process may ask for.
        """
        with self.alone():
            self._start()
            if os.getcwd() != self._folder:
                self._folder = os.getcwd()
                self._request("folder", {"path": self._folder})
            return self._request(method, params, blocks)

    @contextlib.contextmanager
    def alone(self) -> Any:
        """Hold the lock, so that no table is released before the call that uses it."""
        own = threading.get_ident()
        self._take_turn(own, 1, lambda: self._owner in (None, own))
        try:
            # Inside another call nothing is released: that call may need it.
            if self._held == 1 and not self._lent and self.pid and (len(self.freed) > 32 or (self.freed and self._functions)):
                self._release()
            yield
        finally:
            with self._turn:
                self._held -= 1
                if not self._held:
                    self._owner = None
                    self._turn.notify_all()

    def _take_turn(self, own: int, times: int, free: Callable[[], bool]) -> None:
        with self._turn:
            while not self._turn.wait_for(free, 0.5):  # Windows hears no interrupt during a wait
                pass
            self._owner = own
            self._held += times

    @contextlib.contextmanager
    def _lend(self) -> Any:
        """Let calls be served while a function of Python runs, then wait for their end."""
        with self._turn:
            held, self._held, self._owner = self._held, 0, None
            self._lent += 1
            level = self._lent
            self._turn.notify_all()
        try:
            yield
        finally:
            self._take_turn(threading.get_ident(), held, lambda: self._owner is None and self._lent == level)
            self._lent -= 1

    def number_blocks(self, count: int) -> list[int]:
        """Return numbers for blocks to come."""
        return [next(self._block) for _ in range(count)]

    def _numbers(self, given: Any) -> dict[str, Any]:
        """Return a function as messages have it: its number, the same for the same function."""
        if not isinstance(given, Function):
            raise TypeError(f"a {type(given).__name__} cannot be sent")
        number = next((n for n, known in self._functions.items() if known is given.function), None)
        if number is None:
            number = self._numbered
            self._numbered += 1
            self._functions[number] = given.function
        return {"function": number, "label": given.label, "digest": given.digest}

    def _release(self) -> None:
        names = []
        while self.freed:
            generation, name = self.freed.popleft()
            if generation == self.generation:
                names.append(name)
        gone = self._request("release", {"names": names})
        for number in gone["functions"]:  # that nothing is defined by any more
            self._functions.pop(number, None)

    def _request(self, method: str, params: Any, blocks: Sequence[Any] = ()) -> Any:
        self._next += 1
        call = _Call(f"p{self._next}", self.generation)  # numbers are the server's
        self._open.append(call)
        try:
            with self._interrupts(call):
                for block, content in blocks:
                    self._write(b"Content-Length: %d\r\nBlock: %d\r\n\r\n" % (len(content), block), content)
                self._send({"jsonrpc": "2.0", "id": call.number, "method": method, "params": params})
                answer = self._await(call)
        except (OSError, EOFError) as e:
            raise self._ended(call) from e
        finally:
            self._open.remove(call)
        if call.failed is not None:
            raise call.failed
        if "error" in answer:
            raise self._error(answer["error"], call)
        if call.cancelled and method in ("call", "run"):
            raise Interrupted("interrupted when all was finished", answer.get("result"))
        return answer.get("result")

    def _error(self, error: dict[str, Any], call: _Call) -> BaseException:
        found = error.get("data")
        data = found if isinstance(found, dict) else {}
        kind = data.get("kind", "request")
        if kind == "interrupted" or call.cancelled:
            interrupted = Interrupted("interrupted", data.get("partial"))
            interrupted.bound = data.get("bound") or []
            return interrupted
        failed = CopeError(error.get("message", ""), kind, data.get("mistakes"), data.get("html", ""))
        failed.bound = data.get("bound") or []
        return failed

    def _await(self, call: _Call) -> dict[str, Any]:
        while call.number not in self._answers:
            message = self._read()
            method = message.get("method")
            if method is None:
                self._answers[str(message.get("id"))] = message
            elif method == "evaluate":
                self._evaluate(message, call)
                if self.generation != call.generation:  # a call inside the function started another process
                    raise EOFError
            else:
                self._notified(method, message.get("params") or {})
        return self._answers.pop(call.number)

    def _notified(self, method: str, params: dict[str, Any]) -> None:
        if method == "notice":
            _note(str(params.get("text", "")))
        elif method == "progress" and self.on_progress:
            self.on_progress(params)
        elif method in ("display", "clear") and self.on_display:
            self.on_display(params if method == "display" else {})

    # Functions of Python.

    def _evaluate(self, message: dict[str, Any], call: _Call) -> None:
        """Answer a question, which may also be one of a call around this one."""
        params = message["params"]
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        if params.get("request") not in [json.dumps(one.number) for one in self._open] or call.failed is not None:
            answer["error"] = {"code": 3, "message": "the call is over"}
            self._blocks.clear()
            self._send(answer)
            return
        try:
            with self._lend(), self._own_interrupts():
                if params["kind"] == "kernel":
                    block, content = self._kernel(params)
                    answer["result"] = {"block": block}
                elif params["kind"] == "algorithm":
                    gram = self._blocks.pop(params["x"]) if params.get("x") else None
                    answer["result"] = self._runs.answer(params["function"], self._functions[params["function"]], params["algorithm"], gram)
                else:
                    draw = self._functions[params["function"]]
                    asked = zip(params["tasks"], params["arms"], params["counts"])
                    answer["result"] = {"means": [_reward(draw(task, arm, count), task, arm) for task, arm, count in asked]}
        except BaseException as e:
            call.failed = e  # raised when the call is over
            answer["error"] = {"code": 3, "message": f"the Python function failed: {type(e).__name__}: {e}"}
        if self.generation != call.generation:
            return
        if call.failed is None and params["kind"] == "kernel":
            self._write(b"Content-Length: %d\r\nBlock: %d\r\n\r\n" % (len(content), block), content)
        self._send(answer)
        if call.failed is not None:
            self._cancel(call.number)

    def _kernel(self, params: dict[str, Any]) -> tuple[int, bytes]:
        """Return a block of kernel values with its number."""
        from ._blocks import evaluate

        x, y = self._blocks.pop(params["x"]), self._blocks.pop(params["y"])
        (number,) = self.number_blocks(1)
        return number, evaluate(self._functions[params["function"]], x, y, params["rows"], params["width"])

    # Interrupts.

    @contextlib.contextmanager
    def _interrupts(self, call: _Call) -> Any:
        """Turn an interrupt into a cancellation of the request; a second one ends the process."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.getsignal(signal.SIGINT)

        def interrupt(_signum: int, _frame: Any) -> None:
            if not call.cancelled:
                call.cancelled = True
                self._cancel(call.number)
            elif self._child is not None:
                self._child.kill()

        if not callable(before):
            yield
            return
        around = self._before, self._handler
        self._before, self._handler = before, interrupt
        signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            self._before, self._handler = around

    @contextlib.contextmanager
    def _own_interrupts(self) -> Any:
        """While a function of Python runs, an interrupt is raised in it."""
        before, handler = self._before, self._handler
        if threading.current_thread() is not threading.main_thread() or handler is None or signal.getsignal(signal.SIGINT) is not handler:
            yield
            return
        signal.signal(signal.SIGINT, before)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)

    def _cancel(self, number: str) -> None:
        self._cancels.append(number)
        self._send_cancels()

    def _send_cancels(self) -> None:
        """Cancel requests, unless a message is being written: this is called again after it."""
        while self._cancels and self._writing.acquire(blocking=False):
            try:
                with contextlib.suppress(OSError, EOFError):
                    self._put(self._framed({"jsonrpc": "2.0", "method": "cancel", "params": {"id": self._cancels.pop()}}))
            finally:
                self._writing.release()

    # Bytes.

    def _framed(self, message: dict[str, Any]) -> bytes:
        content = json.dumps(message, separators=(",", ":"), allow_nan=False, default=self._numbers).encode()
        return b"Content-Length: %d\r\n\r\n%b" % (len(content), content)

    def _send(self, message: dict[str, Any]) -> None:
        self._write(self._framed(message))

    def _write(self, *contents: Any) -> None:
        with self._writing:
            for content in contents:
                self._put(content)
        self._send_cancels()

    def _put(self, content: Any) -> None:
        child = self._child
        if child is None or child.stdin is None:
            raise EOFError
        left = memoryview(content).cast("B")
        while len(left):
            left = left[child.stdin.write(left) :]

    def _read(self) -> dict[str, Any]:
        """Return the next message; blocks before it are kept."""
        while True:
            end = self._buffer.find(b"\r\n\r\n")
            while end < 0:
                self._fill()
                end = self._buffer.find(b"\r\n\r\n")
            length, block = 0, 0
            for line in bytes(self._buffer[:end]).split(b"\r\n"):
                key, _, value = line.partition(b":")
                if key == b"Content-Length":
                    length = int(value)
                elif key == b"Block":
                    block = int(value)
            del self._buffer[: end + 4]
            content = self._take(length)
            if block:
                self._blocks[block] = content
            else:
                message: dict[str, Any] = json.loads(content)
                return message

    def _fill(self) -> None:
        child = self._child
        if child is None or child.stdout is None:
            raise EOFError
        more = os.read(child.stdout.fileno(), 1 << 16)
        if not more:
            raise EOFError
        self._buffer += more

    def _take(self, length: int) -> bytearray:
        if length <= len(self._buffer):
            content = self._buffer[:length]
            del self._buffer[:length]
            return content
        content = bytearray(length)
        at = len(self._buffer)
        content[:at] = self._buffer
        self._buffer.clear()
        child = self._child
        if child is None or child.stdout is None:
            raise EOFError
        view = memoryview(content)
        while at < length:
            got = child.stdout.readinto(view[at:])  # type: ignore[attr-defined]
            if not got:
                raise EOFError
            at += got
        return content


def _reward(value: Any, task: str, arm: str) -> float:
    """Return the value of a reward function as a finite number."""
    from ._strategy import Trial, outcome

    number, reason = outcome(value, Trial(arm, task))
    if reason:
        raise ValueError(f"the reward function gave {value!r} for arm {arm!r} of task {task!r}; a simulation needs a number for every arm")
    return number


def _note(text: str) -> None:
    """Show a note: grey below a cell of a notebook, elsewhere as a warning, unless notes are ignored."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None  # type: ignore[attr-defined,unused-ignore]
    if not hasattr(shell, "kernel"):
        warnings.warn_explicit(text, Note, "gonb_cope", 0, registry={})
        return
    with warnings.catch_warnings(record=True) as wanted:
        warnings.warn_explicit(text, Note, "gonb_cope", 0, registry={})
    if wanted:
        from html import escape

        from IPython.display import publish_display_data

        grey = f'<div style="color: grey; font-size: small">{escape(text)}</div>'
        publish_display_data({"text/plain": text, "text/html": grey})


process = Process()
