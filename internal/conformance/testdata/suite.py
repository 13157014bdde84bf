"""The Jupyter project's suite for kernels, with cells for ours.

suite.py CLASS runs the checks of a class and prints {check: [state, reason]} as JSON.
"""
import json
import sys
import unittest

import jupyter_kernel_test
from jupyter_client.utils import run_sync


class Kernel(jupyter_kernel_test.KernelTests):
    language_name = "go"
    file_extension = ".go"
    code_hello_world = '%%\nfmt.Println("hello, world")'
    code_stderr = '%%\nfmt.Fprintln(os.Stderr, "hello, stderr")'
    supported_history_operations = ("tail", "range", "search")

    # Seconds for a message. The suite itself waits a tenth of a second for some, which a
    # busy machine passes, and for others without end.
    wait = 300

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for channel in (cls.kc.shell_channel, cls.kc.iopub_channel):
            channel.get_msg = patient(channel.get_msg, cls.wait)

    def flush_channels(self):
        """Read until the answer to a question of our own: all that was before it has come."""
        asked = self.kc.kernel_info()
        for channel, last in ((self.kc.shell_channel, "kernel_info_reply"), (self.kc.iopub_channel, "idle")):
            seen = ""
            while seen != last:
                message = run_sync(channel.get_msg)(timeout=0)
                if message["parent_header"].get("msg_id") == asked:
                    seen = message["content"].get("execution_state", message["msg_type"])


def patient(get, wait):
    """get_msg that waits at least so many seconds."""
    return lambda timeout=None: get(timeout=max(timeout or 0, wait))


class GonbCope(Kernel):
    kernel_name = "gonb-cope"
    code_execute_result = [
        {"code": "%%cope\n6*7", "result": "42"},
        {"code": "%%cope\nk = task(rbf(2)) * arm(linear())\nk", "result": "k = task(rbf(lengthscale=2)) * arm(linear())"},
        {"code": "%%cope\nk", "mime": "text/latex"},
        {"code": "%%cope\nb = bounds(paper(case=1, gap=0.4), xi=1e-3)\nb", "mime": "text/html"},
        {"code": "%%cope\nb ", "mime": "text/markdown"},
        {"code": "%%cope\n b", "mime": "application/vnd.gonb-cope+json"},
        {"code": "%%cope\nplot(b)", "mime": "image/png"},
    ]
    code_history_pattern = "*plot(?)"
    code_display_data = [
        {"code": "%%cope\nrbf(2)\nlinear()", "mime": "text/html"},
        {"code": "%%cope\nplot(bounds(paper(case=1, gap=0.4), xi=1e-3))\n1", "mime": "image/png"},
        {"code": 'import "github.com/janpfeifer/gonb/gonbui"\n%%\ngonbui.DisplayHTML("<b>x</b>")\ngonbui.Sync()', "mime": "text/html"},
    ]
    completion_samples = [
        {"text": "%%cope\nmate", "matches": {"matern"}},
        {"text": "%%cope\nrbf(lengths", "matches": {"lengthscale="}},
        {"text": '%%cope\nfc(paper(case=1), algorithm="CoK', "matches": {"CoKernelFC", "CoKernelFC-IndAlloc"}},
        {"text": "fmt.Pri"},
    ]
    complete_code_samples = ["%%cope\nk = rbf(2)", "%%cope\nfc(p,\n  delta=0.1)", "%%cope\nrbf?", "%%\nfmt.Println(1)", "func f() int { return 1 }"]
    incomplete_code_samples = ["%%cope\nk = rbf(", "%%cope\nplot(b, y=\"x\"", "%%\nfmt.Println(", "func f() {"]
    invalid_code_samples = ["%%cope\nk = rbf(2))", "%%cope\n= 2", "%%\nfmt.Println(1))"]
    code_page_something = "%%cope\nrbf?"
    code_generate_error = "%%cope\nk = rbf(0.5) * linaer()"
    code_inspect_sample = "%%cope\nrbf"
    code_clear_output = "%%cope\n1\nclear()"


class Table(unittest.TestResult):
    """One row for each check: the worst of its parts."""

    def __init__(self):
        super().__init__()
        self.rows = {}

    def note(self, test, state, reason=""):
        test = getattr(test, "test_case", test)
        order = ["ok", "skipped", "failed"]
        row = self.rows.setdefault(test.id().rsplit(".", 1)[-1], ["ok", ""])
        if order.index(state) > order.index(row[0]):
            row[:] = [state, reason]

    def addSuccess(self, test):
        self.note(test, "ok")

    def addSkip(self, test, reason):
        self.note(test, "skipped", reason)

    def addFailure(self, test, err):
        self.note(test, "failed", self._exc_info_to_string(err, getattr(test, "test_case", test)))

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.addFailure(test, err)


if __name__ == "__main__":
    table = Table()
    unittest.defaultTestLoader.loadTestsFromTestCase(globals()[sys.argv[1]]).run(table)
    for _, reason in table.errors:  # of the class itself, such as a kernel that does not start
        table.rows["setup"] = ["failed", reason]
    json.dump(table.rows, sys.stdout)
