// Package await waits for a computation or for input until a context ends. It is for computations that cannot check a
// context, and for files such as pipes that may never deliver data.
package await
