// Package clocktest builds programs for tests in which the wall clock can jump while they run.
//
// The package copies the standard library's package time and changes time.Now: it adds an offset to the wall clock and
// leaves the monotonic clock unchanged, like a change of the machine's clock. go build -overlay compiles the program
// and all its libraries with the copy. The program maps a file with the offset into memory. The environment variable
// GONB_COPE_TEST_CLOCK names this file. The test writes the offset; each process has its own file.
package clocktest
