//go:build !linux

package memlimit

import "runtime"

// process and machine report no limits on this system.
func process(*runtime.MemStats, func(float64, string)) {}
func machine(*runtime.MemStats, func(float64, string)) {}

// Program returns 0, because the value is unknown on this system.
func Program() float64 { return 0 }

// Machine returns 0, because the value is unknown on this system.
func Machine() float64 { return 0 }
