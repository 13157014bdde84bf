// Package enginetest makes problems, rewards and runs for the tests of engine's packages. It does
// not know models, so that the tests of package model can use it.
package enginetest
