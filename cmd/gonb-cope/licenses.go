package main

import _ "embed"

// licenses holds the licences and notices of all code that is linked into a binary, on
// any system. make licenses writes it, and a test tells when it is out of date.
//
//go:embed THIRD_PARTY_LICENSES
var licenses string
