package sim

import "errors"

// SpeedupOf measures the speedup β of [Du23, eq. (4)] of an algorithm over a sweep
// that has it and the algorithm of one agent alone.
func SpeedupOf(s Sweep, algorithm, alone string) (Speedup, error) {
	return Speedup{}, errors.New("speedups are not there yet")
}
