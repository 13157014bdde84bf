import pandas as pd
from IPython.core.interactiveshell import InteractiveShell

import gonb_cope as cope

shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "gonb_cope")
shell.user_ns["df"] = pd.DataFrame({"s": ["a"] * 4, "arm": ["p", "p", "q", "q"], "y": [1, 1.1, 3, 3.2]})
said = []
for cell in ("best(df)", "y = df.y"):
    try:
        shell.run_cell_magic("cope", "", cell)
    except cope.CopeError as e:
        said.append(str(e))
