// Package client starts Jupyter kernels and executes notebooks with them. It needs
// no Python and knows no bandits.
//
//	Find, List   the kernelspecs that are installed, in the folders where Jupyter looks
//	Start        a kernel of a kernelspec, with a new connection file
//	Kernel       one running kernel: Execute, Request, Interrupt, Shutdown
//	Run          all code cells of a notebook, outputs and counts written into it
//
// A program that executes a notebook:
//
//	spec, err := client.Find(nb.KernelName())
//	kernel, err := client.Start(ctx, spec, client.StartOptions{Dir: folder})
//	defer kernel.Shutdown(context.Background())
//	err = client.Run(ctx, nb, kernel, client.RunOptions{Timeout: time.Minute})
//
// The meaning of outputs, tags and options follows nbclient, Jupyter's own executor, except for three
// points: outputs of a cell that is not reached are removed, so that no old output follows a failure;
// a stream is one output however the kernel cut it; and a cell that takes too long is always
// interrupted, which keeps the kernel's state.
//
// Nothing here waits for ever. The process of the kernel is watched, so that a
// request to a kernel that has died ends with an error that quotes what it wrote last.
package client
