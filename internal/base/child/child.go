// Package child starts child processes. Each has its own process group, which ends when this process ends.
package child
