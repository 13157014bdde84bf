// Package client starts Jupyter kernels and executes notebooks with them. It does not need Python.
//
//	Find, List   find the installed kernelspecs in Jupyter's folders
//	Start        starts a kernel from a kernelspec, with a new connection file
//	Kernel       is a running kernel: Execute, Request, Interrupt, Shutdown
//	Run          executes all code cells of a notebook and stores their outputs and counts in it
//
// A program that executes a notebook:
//
//	spec, err := client.Find(nb.KernelName())
//	kernel, err := client.Start(ctx, spec, client.StartOptions{Dir: folder})
//	defer kernel.Shutdown(context.Background())
//	err = client.Run(ctx, nb, kernel, client.RunOptions{Timeout: time.Minute})
//
// Outputs, tags and options have the same meaning as in nbclient, Jupyter's own executor, with three exceptions:
//
//   - Outputs of cells that are not reached are removed, so that no old output follows a failure.
//   - The pieces of a stream are joined to one output.
//   - A cell that takes too long is always interrupted, which keeps the kernel's state.
//
// No function waits for ever. The package watches the process of the kernel. A request to a kernel that has died ends
// with an error that quotes the kernel's last output.
package client
