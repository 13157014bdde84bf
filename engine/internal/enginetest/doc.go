// Package enginetest provides problems, rewards and runs for the tests of engine's packages. It does not import package
// model, so that the tests of model can use it.
package enginetest
