//go:build !linux

package folder

// networks are none that are known here.
var networks map[int64]string

// networkOf knows no file systems here.
func networkOf(string) string { return "" }
