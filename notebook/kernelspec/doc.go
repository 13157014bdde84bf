// Package kernelspec installs this program as a Jupyter kernel, and removes it
// again. It knows no bandits and no wire.
//
//	DATA/kernels/NAME/kernel.json           what Jupyter starts: gonb-cope kernel {connection_file}
//	DATA/kernels/NAME/logo-*                the mark, drawn when it is installed
//	DATA/kernels/NAME/kernel.js             colours for the classic Notebook
//	DATA/kernels/NAME/quarto_setup_cell     the cell that Quarto puts before a document
//	DATA/kernels/NAME/gonb-cope             a copy of the program, when its own file is temporary
//	DATA/labextensions/gonb-cope            colours for JupyterLab 4 and Notebook 7
//
// DATA is the user's folder of Jupyter or PREFIX/share/jupyter.
//
// Colours need a front end that knows cells with %%cope: assets/mode.js reads them,
// and Go cells, for CodeMirror 5 (classic) and 6 (JupyterLab) alike. The kernel asks
// for it by sending
//
//	"codemirror_mode": {"name": "gonb-cope", "mime": "text/x-go"}
//
// in its language_info: JupyterLab looks for the name, and where the extension is
// not installed takes the colours of Go by the MIME type. The classic Notebook
// looks for the name, which kernel.js defines.
//
// There is no quarto_cleanup_cell: Quarto keeps a kernel that has one for the next
// document, which would then start with the values of the one before.
package kernelspec
