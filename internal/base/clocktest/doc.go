// Package clocktest builds programs for tests whose wall clock can be made to jump while they run.
//
// A program reads the wall clock by time.Now. The package makes a copy of the standard library's time package in which time.Now
// adds an offset to the wall part of its result, and leaves the monotonic part unchanged, like a change of the machine's clock. go
// build -overlay gives the copy to the compiler, so that the whole program with its libraries sees the jump. The program maps the
// offset from a file into memory; the variable GONB_COPE_TEST_CLOCK names the file. Each process has its own file, which the test
// writes.
package clocktest
