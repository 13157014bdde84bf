package farm

import "time"

// BeatEach sets the time between two signs of life.
func (r *Runner) BeatEach(d time.Duration) { r.beatEach = d }

// SilentAfter sets the time until a runner counts as gone.
func (w *Worker) SilentAfter(d time.Duration) { w.silent = d }

// QuietAfter sets the time until it is reported that no worker answers.
func (r *Runner) QuietAfter(d time.Duration) { r.silence = d }
