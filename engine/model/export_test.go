package model

// NewTruncated is newModel, for tests that use algorithms.
var NewTruncated = newModel

// OnFeatures is onFeatures, likewise.
var OnFeatures = onFeatures
