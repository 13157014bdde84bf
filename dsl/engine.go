package dsl

func engineFunctions() []Function { return nil }
