// Package gonb prepares what Go cells of a notebook need: GoNB, the kernel that compiles and runs them; goimports,
// which GoNB calls for each cell; and modules that resolve without a network.
//
//	Provision          builds GoNB and goimports, once, in the user's cache
//	FindSource         finds the source of this library
//	Module.CellModule  returns go.mod and go.sum for cells, with pinned versions
//	Preparation        returns the first, silent request to GoNB, which installs these files
//	ImportsOf, Imports find the imports of a cell that need no go get
//	Module.Prebuild    fills Go's build cache, which makes the first cell faster
//
// The pinned versions are in pins/. They equal the versions in the module's go.mod, which a test checks. After a change
// of go.mod, update them with
//
//	go test ./notebook/gonb -run TestPins -update
//
// By default GoNB runs "go get" before it compiles a cell. This takes time and requests modules without a version from
// the network. The kernel switches it off (%noautoget). It switches it on again at the first cell with an import that
// is not pinned. Measured with a warm build cache on two cores, this saves time in the first cell: 0.29 s (was 0.65 s)
// with an import of gonbui, and 0.22 s (was 0.35 s) with an import of engine.
package gonb
