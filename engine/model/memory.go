package model

import "github.com/gonb-cope/gonb-cope/engine/internal/canon"

// Memory keeps what models have computed before any data: designs, roundings and estimators, each
// under all the numbers that it follows from. Models that share one (Model.Share) solve each design
// once, also when they ask for it at once, and no result depends on what was remembered.
//
// The zero value is ready; it is safe for concurrent use and bounded at 256 MiB. Save writes what is costly
// and small to a file, and Load reads it back.
type Memory = canon.Memory

// ErrMemoryFile is wrapped by errors of Memory.Load about files that are no memory, are damaged or are of
// another build.
var ErrMemoryFile = canon.ErrMemoryFile
