from IPython.core.interactiveshell import InteractiveShell

import gonb_cope as cope

shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "gonb_cope")
said = []
for change in ("eps = 0.5", "del eps", "eps = None", 'eps = {"a": 1}', "eps = [1] * 300000", "eps = 0.25"):
    exec(change, shell.user_ns)
    try:
        shell.run_cell_magic("cope", "", 'x = 2 * eps')
        said.append(shell.user_ns["x"])
    except cope.CopeError as e:
        said.append("eps" in str(e))
