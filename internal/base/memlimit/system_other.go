//go:build !linux

package memlimit

import "runtime"

// process and machine report no limit here.
func process(*runtime.MemStats, func(float64, string)) {}
func machine(*runtime.MemStats, func(float64, string)) {}

// Program returns 0, since the memory of the program's file is unknown here.
func Program() float64 { return 0 }

// Machine returns 0, since the memory of the machine is unknown here.
func Machine() float64 { return 0 }
