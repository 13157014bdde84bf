"""%%cope in the ordinary Python kernel."""

import os
import signal
import threading

import pytest
from conftest import REPOSITORY

import gonb_cope as cope

IPython = pytest.importorskip("IPython")


@pytest.fixture
def shell(machines):
    from IPython.core.interactiveshell import InteractiveShell

    ip = InteractiveShell.instance()
    ip.run_line_magic("load_ext", "gonb_cope")
    ip.user_ns["df"] = machines
    return ip


def test_cell(shell, capsys):
    text = 'p = problem(df, task="Machine", arm=["Temp °C", "Speed"], reward="Throughput")\na = best(p, epsilon=eps)\nn = 2*3\na'
    shell.user_ns["eps"] = 1
    shell.run_cell_magic("cope", "", text)
    assert isinstance(shell.user_ns["a"], cope.Answer)
    assert shell.user_ns["n"] == 6
    assert set(shell.user_ns["a"].json["picks"][0]["features"]) == {"Temp °C", "Speed"}
    shell.run_cell_magic("cope", "", "b = best(p, epsilon=2*n)")
    assert shell.user_ns["b"].epsilon == 12
    shell.user_ns["mine"] = cope.paper(case=2, gap=0.4)
    shell.run_cell_magic("cope", "", "r = fc(mine, runs=2)\ns = sweep(r, gap=[0.4, 0.8])")
    assert len(shell.user_ns["s"].json["rows"]) == 2
    with pytest.raises(cope.CopeError) as e:
        shell.run_cell_magic("cope", "", "k = rbf(1)\n\nq = linaer()")
    assert e.value.line == 4  # of the cell, with %%cope
    interrupt = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
    interrupt.start()
    with pytest.raises(cope.Interrupted):
        shell.run_cell_magic("cope", "", "half = 0.5\nlong = fc(paper(case=2, gap=0.02), runs=100000)")
    assert shell.user_ns["half"] == 0.5
    assert 1 <= shell.user_ns["long"].runs < 100_000
    capsys.readouterr()
    shell.run_cell_magic("cope", "", "fc?")
    assert "delta" in capsys.readouterr().out


def test_a_cell_sees_what_is_there_now(shell, capsys):
    def cell(text):
        capsys.readouterr()
        shell.run_cell_magic("cope", "", text)
        return capsys.readouterr().out.strip()

    shell.user_ns["eps"] = 0.5
    assert cell('print("{eps}")') == "0.5"
    for value, now in [(None, "None"), ({"a": 1}, "of type dict"), ([1] * 300_000, "a list of 300,000 values"), (float("nan"), "nan"), (max, "of type")]:
        shell.user_ns["eps"] = value
        with pytest.raises(cope.CopeError, match=f"eps is {now}.* in Python now; its earlier value, 0.5, is no longer used"):
            cell('print("{eps}")')
    del shell.user_ns["eps"]
    with pytest.raises(cope.CopeError, match=r"eps was deleted in Python; its earlier value, 0\.5"):
        cell("x = 2*eps")
    assert cell('eps = 3\nprint("{eps}")') == "3"  # bound in the cell itself
    assert cell('print("{eps + 1}")') == "4"
    for value, shown in [(0.7, "0.7"), ("high", "high"), (True, "1"), ([1, 2], "[1, 2]")]:
        shell.user_ns["eps"] = value
        assert cell('print("{eps}")') == shown
    shell.user_ns["runs"] = None  # a name that the cell only gives to an argument
    assert cell('r = fc(paper(case=2, gap=0.4), runs=3)\nprint("{r.runs}")') == "3"
    cell('p = problem(df, task="Machine", arm=["Temp °C", "Speed"], reward="Throughput")\na = best(p, epsilon=1)')
    before = shell.user_ns["a"]
    shell.user_ns["df"] = None
    with pytest.raises(cope.CopeError, match="df is None in Python now; its earlier value, a table, is no longer used"):
        cell('p = problem(df, task="Machine", arm="Speed", reward="Throughput")')
    assert cell("a = best(p, epsilon=2)") == ""
    assert shell.user_ns["a"].epsilon == 2
    with pytest.raises(cope.CopeError, match="this answer was a, which a later script bound again"):
        before.to_columns()
    del shell.user_ns["p"]
    with pytest.raises(cope.CopeError, match="p was deleted in Python"):
        cell("best(p)")


def test_names_of_any_letters(shell, capsys):
    for name in ("größe", "ärger", "Δ", "変数"):
        shell.user_ns[name] = 0.5
        shell.run_cell_magic("cope", "", f"{name}_2 = 2*{name}")
        assert shell.user_ns[f"{name}_2"] == 1
    shell.user_ns["maße"] = [{"arm": "x", "y": 1.0}, {"arm": "z", "y": 2.0}]
    shell.run_cell_magic("cope", "", 'p = problem(maße, arm="arm", reward="y")')
    assert shell.user_ns["p"].name == "maße"


def test_a_table_is_not_a_problem(shell):
    for text, message in [
        ("best(df)", r"p is a table, but must be a problem[\s\S]*read it with p = problem\(df, task=…, arm=…, reward=…\)"),
        ("y = df.Speed", "df is a table. Give functions the names of its columns, in quotes"),
        ('y = df["Speed"]', "df is a table. Give functions the names of its columns, in quotes"),
        ("y = df[0]", "a table has no elements here"),
        ("df + 1", r"a table is read by problem\(df"),
    ]:
        with pytest.raises(cope.CopeError, match=message):
            shell.run_cell_magic("cope", "", text)


def test_completion(shell):
    text = "%%cope\nk = matern(leng"
    found = shell.Completer.completions(text, len(text))
    from IPython.core.completer import provisionalcompleter

    with provisionalcompleter():
        assert [c.text for c in found][:1] == ["lengthscale="]
        pandas = pytest.importorskip("pandas")
        shell.user_ns["frame"] = pandas.DataFrame({"Machine": ["a"], "Speed": [1]})
        text = '%%cope\nq = problem(frame, task="Mach'
        assert [c.text for c in shell.Completer.completions(text, len(text))] == ["Machine"]


def test_quickstart_notebook(python3):
    """The notebook runs in the ordinary kernel by nbclient."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    book = nbformat.read(REPOSITORY / "python/quickstart.ipynb", 4)
    client = nbclient.NotebookClient(book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(REPOSITORY / "python")}})
    client.execute()
    outputs = [o for c in book.cells if c.cell_type == "code" for o in c.outputs]
    assert not [o for o in outputs if o.output_type in ("error", "stream")]
    assert any("text/html" in o.get("data", {}) for o in outputs)


def test_papermill(tmp_path, python3):
    """Parameters of papermill reach scripts in cells."""
    papermill, v4 = pytest.importorskip("papermill"), pytest.importorskip("nbformat.v4")
    cells = [
        v4.new_code_cell("gap = 0.1", metadata={"tags": ["parameters"]}),
        v4.new_code_cell("%load_ext gonb_cope"),
        v4.new_code_cell("%%cope\np = paper(case=2, gap=gap)\nprint(p)"),
    ]
    book = v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}})
    (tmp_path / "in.ipynb").write_text(v4.writes(book))
    done = papermill.execute_notebook(
        tmp_path / "in.ipynb", tmp_path / "out.ipynb", parameters={"gap": 0.4}, cwd=REPOSITORY / "python", progress_bar=False, kernel_name="python3"
    )
    assert "gap 0.4" in str(done.cells[-1].outputs)


def test_interrupt_of_a_cell(python3):
    """Jupyter's stop interrupts a call, and the kernel goes on."""
    client = pytest.importorskip("jupyter_client")
    pytest.importorskip("ipykernel")
    manager, kernel = client.manager.start_new_kernel(kernel_name="python3", env=os.environ | {"PYTHONPATH": str(REPOSITORY / "python")})
    try:
        import threading

        said = []
        threading.Timer(3, manager.interrupt_kernel).start()
        kernel.execute_interactive("import gonb_cope as cope\ncope.paper(case=2, gap=0.02).fc(runs=100_000)", output_hook=said.append, timeout=30)
        assert [m["content"]["ename"] for m in said if m["msg_type"] == "error"] == ["Interrupted"]
        said.clear()
        kernel.execute_interactive("print(cope.mean([1, 2]))", output_hook=said.append, timeout=30)
        assert [m["content"]["text"] for m in said if m["msg_type"] == "stream"] == ["1.5\n"]
    finally:
        kernel.stop_channels()
        manager.shutdown_kernel(now=True)


NESTED = """
import asyncio, queue, threading
import gonb_cope as cope
p = cope.paper(case=2, gap=0.4)
asked, given, loop = queue.SimpleQueue(), queue.SimpleQueue(), asyncio.get_running_loop()

def call():
    return p.fc(runs=2).json["runs"]

def work():
    while asked.get():
        given.put(call())

threading.Thread(target=work, daemon=True).start()

def by_a_worker(task, arm, count):
    asked.put(arm)
    return given.get() == 2 and arm == "{3,4}"

def by_a_lock(task, arm, count):
    found, done = [], threading.Lock()
    done.acquire()
    threading.Thread(target=lambda: (found.append(call()), done.release())).start()
    with done:
        return found == [2] and arm == "{3,4}"

async def later():
    return call()

def by_the_cell(task, arm, count):
    return asyncio.run_coroutine_threadsafe(later(), loop).result() == 2 and arm == "{3,4}"

for function in (by_a_worker, by_a_lock):
    print(p.fb(budget=24, rewards=function).json["answers"][0]["leader"])
found = await asyncio.to_thread(p.fb, budget=24, rewards=by_the_cell)
print(found.json["answers"][0]["leader"])
"""


def test_a_call_inside_a_function_of_a_cell(python3):
    """It works, whatever the cell waits for."""
    client = pytest.importorskip("jupyter_client")
    pytest.importorskip("ipykernel")
    manager, kernel = client.manager.start_new_kernel(kernel_name="python3", env=os.environ | {"PYTHONPATH": str(REPOSITORY / "python")})
    try:
        said = []
        kernel.execute_interactive(NESTED, output_hook=said.append, timeout=60)
        assert "".join(m["content"].get("text", str(m["content"])) for m in said if m["msg_type"] in ("stream", "error")) == "{3,4}\n" * 3
    finally:
        kernel.stop_channels()
        manager.shutdown_kernel(now=True)
