// Package cores shares the processor's cores: a computation on many rows uses as many as its context allows. Its blocks depend on
// nothing else, so that the bits of a result do not depend on the number of cores.
package cores
