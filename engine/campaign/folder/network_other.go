//go:build !linux

package folder

// networks is empty: this system's network file systems are not recognised.
var networks map[int64]string

// networkOf returns "": file systems are not recognised here.
func networkOf(string) string { return "" }
