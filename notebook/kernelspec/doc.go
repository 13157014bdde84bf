// Package kernelspec installs this program as a Jupyter kernel and uninstalls it. It writes these files:
//
//	DATA/kernels/NAME/kernel.json           command line of the kernel: gonb-cope kernel {connection_file}
//	DATA/kernels/NAME/logo-*                logo
//	DATA/kernels/NAME/kernel.js             syntax colours for the classic Notebook
//	DATA/kernels/NAME/quarto_setup_cell     the cell that Quarto runs before a document
//	DATA/kernels/NAME/gonb-cope             a copy of the program, if its own file is temporary
//	DATA/labextensions/gonb-cope            syntax colours for JupyterLab 4 and Notebook 7
//
// DATA is the user's Jupyter data folder or PREFIX/share/jupyter.
//
// assets/mode.js has the syntax colours of Go cells and %%cope cells. It works with CodeMirror 5 (classic Notebook) and
// CodeMirror 6 (JupyterLab). The kernel selects it in language_info:
//
//	"codemirror_mode": {"name": "gonb-cope", "mime": "text/x-go"}
//
// JupyterLab looks for the name. If the extension is not installed, JupyterLab uses the colours of Go because of the
// MIME type. The classic Notebook looks for the name, which kernel.js defines.
//
// There is no quarto_cleanup_cell: if a kernel has one, Quarto uses the same kernel process for the next document. That
// document would then begin with the values of the previous one.
package kernelspec
