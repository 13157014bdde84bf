package model

import "github.com/gonb-cope/gonb-cope/engine/internal/canon"

// Memory keeps what models have computed before any data: designs, roundings and estimators, each
// under all the numbers that it follows from. Models that share one (Model.Share) solve each design
// once, also when they ask for it at once, and no result depends on what was remembered.
//
// The zero value is ready; it is safe for concurrent use and bounded at 256 MiB.
type Memory = canon.Memory
