// Package child starts child processes, each with a process group that ends with its parent.
package child
