"""What is wrong is said in the words of the language, and nothing hangs."""

import asyncio
import gc
import multiprocessing.pool
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

import gonb_cope as cope
from gonb_cope._process import process


def interrupt(after):
    threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)).start()


def test_argument():
    with pytest.raises(cope.CopeError) as e:
        cope.rbf(lenghtscale=1)
    assert e.value.hint == 'did you mean "lengthscale"?'
    assert e.value.mistakes[0]["argument"] == "lenghtscale"
    with pytest.raises(cope.CopeError, match="greater than 0"):
        cope.rbf(-1)
    with pytest.raises(ValueError, match="lengthscale is nan; it must be a finite number"):
        cope.rbf(float("nan"))
    with pytest.raises(ValueError, match="lengthscale is nan"):
        cope.rbf([1.0, float("nan")])
    with pytest.raises(TypeError, match="cannot be used in a script"):
        cope.rbf(object())
    with pytest.raises(cope.CopeError, match="p is a table, but must be a problem"):
        cope.best([{"arm": "p", "y": 1.0}])


def test_column(machines):
    with pytest.raises(cope.CopeError, match='no column "Machin"') as e:
        cope.problem(machines, task="Machin", arm="Speed", reward="Throughput")
    assert e.value.hint == 'did you mean "Machine"?'


def test_script():
    with pytest.raises(cope.CopeError) as e:
        cope.script("k = rbf(1)\nq = k * linaer()")
    assert (e.value.line, e.value.column) == (2, 9)
    assert "^^^^^^" in str(e.value)


def test_own_exception():
    with pytest.raises(ZeroDivisionError):
        cope.paper(case=2).with_kernel(cope.arm(lambda x, y: 1 / 0))
    with pytest.raises(ValueError, match=r"must be \(6, 6\)|shape"):
        cope.paper(case=2).with_kernel(cope.arm(lambda x, y: [1.0]))
    assert cope.mean([1, 2]) == 1.5


def test_interrupt_keeps_what_is_finished():
    p = cope.paper(case=2, gap=0.02)
    interrupt(0.7)
    with pytest.raises(cope.Interrupted) as e:
        p.fc(runs=100_000)
    assert 1 <= e.value.partial.runs < 100_000
    assert cope.mean([1, 2]) == 1.5


def test_interrupt_in_a_function_of_python():
    def slow(task, arm, count):
        time.sleep(0.05)
        return 0.0

    interrupt(0.4)
    with pytest.raises(KeyboardInterrupt):
        cope.paper(case=2, gap=0.4).fb(budget=10_000, rewards=slow)
    assert cope.mean([1, 2]) == 1.5


def test_interrupt_of_minimize():
    def slow(arm):
        time.sleep(0.03)
        return (arm - 3) ** 2

    interrupt(1)
    with pytest.raises(cope.Interrupted) as e:
        cope.minimize(slow, arms=list(range(10)), budget=100_000)
    assert e.value.partial.arm in range(10)


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), "high", (1.0, 0.2), {"mean": 1.0}])
def test_rewards_that_are_no_numbers(value):
    """The arm and its task are named, and the next call works."""
    with pytest.raises((ValueError, TypeError), match=r"for arm '\{1,2\}' of task|arm '\{1,2\}' of task"):
        cope.paper(case=2, gap=0.4).fb(budget=60, rewards=lambda task, arm, count: value if arm == "{1,2}" else 1.0)
    assert cope.mean([1, 2]) == 1.5


def test_rewards_of_one_element():
    np = pytest.importorskip("numpy")
    r = cope.paper(case=2, gap=0.4).fb(budget=60, rewards=lambda task, arm, count: np.array([float(arm == "{3,4}")]))
    assert {a["leader"] for a in r.json["answers"]} == {"{3,4}"}


def in_a_thread(work):
    found = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def in_a_pool(work):
    with ThreadPoolExecutor(2) as pool:
        return pool.submit(work).result()


def by_queues(work, kind=queue.Queue):
    """Ask a thread that takes work from a queue and puts the result into another."""
    asked, given = kind(), kind()
    threading.Thread(target=lambda: given.put(asked.get()()), daemon=True).start()
    asked.put(work)
    return given.get()


def by_a_lock(work):
    """Wait for a lock that a thread releases when it has the result."""
    found, done = [], threading.Lock()
    done.acquire()
    threading.Thread(target=lambda: (found.append(work()), done.release()), daemon=True).start()
    with done:
        return found[0]


def by_looking(work):
    """Look again and again whether a thread has the result."""
    found = []
    threading.Thread(target=lambda: found.append(work()), daemon=True).start()
    while not found:
        time.sleep(0.01)
    return found[0]


def in_a_thread_pool(work):
    """Ask a pool that hands its results on in a thread of its own."""
    with multiprocessing.pool.ThreadPool(2) as pool:
        return pool.apply(work)


def in_an_event_loop(work):
    """Ask a coroutine in the event loop of another thread."""

    async def find():
        return work()

    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    try:
        return asyncio.run_coroutine_threadsafe(find(), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)


def from_an_event_loop(work):
    """Ask a thread that an event loop of this one waits for."""

    async def find():
        return (await asyncio.gather(asyncio.to_thread(work), asyncio.sleep(0.01)))[0]

    return asyncio.run(find())


@pytest.mark.parametrize(
    "where",
    [
        lambda work: work(),
        in_a_pool,
        in_a_thread,
        by_queues,
        lambda work: by_queues(work, queue.SimpleQueue),
        by_a_lock,
        by_looking,
        in_a_thread_pool,
        in_an_event_loop,
        from_an_event_loop,
    ],
)
def test_a_call_inside_a_function(where):
    """It works, however the function waits for it, and its value can be used later."""
    p, found = cope.paper(case=2, gap=0.4), []
    alone = p.fc(runs=2).json["answers"]

    def rewards(task, arm, count):
        if not found:
            found.append(where(lambda: p.fc(runs=2)))
        return float(arm == "{3,4}")

    def kernel(x, y):
        if not found:
            found.append(where(lambda: cope.script("inside = mean([1, 2])\nother = rbf(inside)")["other"]))
        return [[float(list(a) == list(b)) for b in y] for a in x]

    r = p.fb(budget=60, rewards=rewards)
    assert {a["leader"] for a in r.json["answers"]} == {"{3,4}"}
    assert found.pop().json["answers"] == alone
    q = p.with_kernel(cope.task(cope.rbf(1)) * cope.arm(kernel))
    assert q.fc(runs=2).json["runs"] == 2
    assert p.with_kernel(cope.arm(found[0])).fc(runs=2).json["runs"] == 2
    assert cope.script("again = inside + 1")["again"] == 2.5


def test_a_call_inside_a_call_inside_a_function():
    """Calls nest, in parallel runs too, and an exception is raised where it belongs."""
    p = cope.paper(case=2, gap=0.4)

    def reward(task, arm, count):
        return float(arm == "{3,4}")

    def nests(task, arm, count):
        inner = in_a_thread(lambda: p.fb(budget=12, rewards=reward))
        return inner.json["answers"][0]["leader"] == arm

    r = p.fb(budget=12, runs=3, rewards=lambda *asked: in_a_thread(lambda: float(nests(*asked))))
    assert r.json["errors"]["count"] == 0

    def fails(*_):
        raise ZeroDivisionError

    def catches(task, arm, count):
        with pytest.raises(ZeroDivisionError):
            p.fb(budget=60, rewards=fails)
        with pytest.raises(cope.CopeError, match="unknown name"):
            cope.script("nothing + 1")
        return reward(task, arm, count)

    assert {a["leader"] for a in p.fb(budget=60, rewards=catches).json["answers"]} == {"{3,4}"}


def test_interrupt_of_a_call_inside_a_function():
    """The inner call ends at once, and with it the outer one."""
    start = time.monotonic()
    interrupt(1)
    with pytest.raises(cope.Interrupted):
        cope.paper(case=2, gap=0.4).fb(budget=60, rewards=lambda *_: cope.paper(case=2, gap=0.02).fc(runs=100_000))
    assert time.monotonic() - start < 5
    assert cope.mean([1, 2]) == 1.5


def test_a_kernel_function_that_needs_itself():
    """Its values are not known yet: the inner call is refused at once."""
    p, kernels = cope.paper(case=2, gap=0.4), []

    def kernel(x, y):
        if kernels:
            in_a_pool(lambda: p.with_kernel(kernels[0]))
        return [[float(list(a) == list(b)) for b in y] for a in x]

    kernels.append(cope.arm(kernel))
    with pytest.raises(cope.CopeError, match="kernel calls gonb_cope with a value that is made with kernel: its own result is not known yet"):
        p.with_kernel(kernels[0])
    assert cope.mean([1, 2]) == 1.5


def test_threads_wait_for_functions():
    """Calls of other threads wait for a call whose function takes long, and are not refused."""
    p, found = cope.paper(case=2, gap=0.4), []

    def slow(task, arm, count):
        time.sleep(0.01)
        return float(arm == "{3,4}")

    threads = [threading.Thread(target=lambda: found.append(p.fb(budget=60, rewards=slow).json["answers"][0]["leader"])) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert cope.mean([1, 2]) == 1.5
    for thread in threads:
        thread.join()
    assert found == ["{3,4}"] * 3


def test_threads_wait_for_functions_that_wait():
    """A function that waits for a thread which does not call the package is no reason to refuse another call."""
    p, found, measured = cope.paper(case=2, gap=0.4), [], queue.Queue()
    asked = queue.Queue()

    def measure():
        while (arm := asked.get()) is not None:
            time.sleep(0.01)
            measured.put(float(arm == "{3,4}"))

    def slow(task, arm, count):
        asked.put(arm)
        return measured.get()

    def run():
        found.append(p.fb(budget=60, rewards=slow).json["answers"][0]["leader"])

    laboratory, caller = threading.Thread(target=measure), threading.Thread(target=run)
    laboratory.start()
    caller.start()
    time.sleep(0.2)
    assert cope.mean([1, 2]) == 1.5
    caller.join()
    asked.put(None)
    laboratory.join()
    assert found == ["{3,4}"]


def test_stop_iteration():
    """It is raised as any other exception: generators must not take it for their end."""

    def ends(*_):
        raise StopIteration("no more")

    with pytest.raises(StopIteration, match="no more"):
        cope.paper(case=2, gap=0.4).fb(budget=60, rewards=ends)
    with pytest.raises(StopIteration, match="no more") as e:
        cope.minimize(ends, arms=[1, 2, 3], budget=6)
    assert e.value.partial is None
    with pytest.raises(StopIteration, match="no more"):
        cope.minimize(ends, arms=[1, 2, 3], budget=6, parallel=2)
    with pytest.raises(cope.CopeError, match="all 6 measurements failed"):
        cope.minimize(ends, arms=[1, 2], budget=9, catch=StopIteration)


def test_functions_are_released():
    p, others = cope.paper(case=2, gap=0.4), len(process._functions)

    def run():
        def draw(task, arm, count):
            return float(arm == "{3,4}")

        return p.fb(budget=60, rewards=draw), weakref.ref(draw)

    kept, of_kept = run()
    _, dropped = run()
    del _
    for _ in range(50):
        run()
    gc.collect()
    cope.rbf(1)
    cope.mean([1])
    gc.collect()
    assert dropped() is None
    assert len(process._functions) < others + 5
    assert of_kept() is not None
    assert len(kept.sweep(budget=[60, 80]).table) == 2


def test_killed(machines, folder):
    p = cope.problem(machines, task="Machine", arm=["Temp °C", "Speed"], reward="Throughput")
    c = cope.Campaign.start("days", p.protocol(budget=100, runs=0))
    todo = c.ask(8).to_dict("records") if hasattr(c.ask(8), "to_dict") else c.ask(8)
    c.tell([{**row, "reward": 40.0} for row in todo])
    before = c.json["events"]
    pid = process.pid
    threading.Timer(0.5, os.kill, (pid, signal.SIGKILL)).start()
    with pytest.raises(cope.ProcessEnded, match="ended by signal 9"):
        cope.paper(case=2, gap=0.02).fc(runs=100_000)
    with pytest.raises(cope.ProcessEnded, match="this problem was lost"):
        p.best()
    assert process.pid == 0
    assert c.json["events"] == before
    assert len(c.ask(8)) == 8
    assert process.pid not in (0, pid)


def test_ends_with_python():
    code = "import gonb_cope as c; c.mean([1]); from gonb_cope._process import process; print(process.pid)"
    pid = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=os.path.dirname(os.path.dirname(__file__))).stdout)
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("the process goes on when Python has ended")


def test_folder(folder):
    (folder / "small.csv").write_text("task,arm,x_1,mean\na,u,0,1\na,v,1,2\n")
    assert cope.problem("small.csv", kernel=cope.arm(cope.linear(1)), noise=1).json["tasks"][0]["task"] == "a"


def test_values_are_released():
    for _ in range(100):
        cope.rbf(1)
    cope.script("n = 1")
    assert len(process.freed) < 100
