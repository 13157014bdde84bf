// Package filelock locks files between programs, where the system has such locks.
package filelock
