package problem

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// made is a column of a table that is made: its name, and its cell in each row.
type made struct {
	name string
	cell func(r int, rng *rand.Rand) string
}

// by is a column of levels in turn, each in this many rows at a time.
func by(name string, each int, levels ...string) made {
	return made{name, func(r int, _ *rand.Rand) string { return levels[r/each%len(levels)] }}
}

// many returns levels G1, G2 and so on.
func many(prefix string, n int) []string {
	out := make([]string, n)
	for k := range out {
		out[k] = prefix + strconv.Itoa(k+1)
	}
	return out
}

// real is a column of different numbers, and drawn one of levels at random, the first ones more often.
func real(name string, lo, hi float64) made {
	return made{name, func(_ int, rng *rand.Rand) string { return strconv.FormatFloat(lo+(hi-lo)*rng.Float64(), 'f', 4, 64) }}
}

func drawn(name string, levels ...string) made {
	return made{name, func(_ int, rng *rand.Rand) string {
		return levels[int(float64(len(levels))*rng.Float64()*rng.Float64())]
	}}
}

// counter is a column that counts rows.
func counter(name string, from int) made {
	return made{name, func(r int, _ *rand.Rand) string { return strconv.Itoa(from + r) }}
}

// of is a column that a function gives.
func of(name string, f func(r int) any) made {
	return made{name, func(r int, _ *rand.Rand) string { return fmt.Sprint(f(r)) }}
}

// table writes rows of columns.
func tableOfMade(separator string, rows int, columns []made) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for r := -1; r < rows; r++ {
		for k, c := range columns {
			if k > 0 {
				b.WriteString(separator)
			}
			if r < 0 {
				b.WriteString(c.name)
			} else {
				b.WriteString(c.cell(r, rng))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// The meaning of columns is guessed from their names, kinds and counts alone. Each table has the columns of a public file, or of what a
// program exports, with as many rows and levels; its cells are made here. The table can be read with the guesses, no option
// is lost, and no column that lays the rows out is an option.
func TestGuessesOnPublicTables(t *testing.T) {
	const tab = "\t"
	text := func(of string, r int, n int) any { return fmt.Sprintf("%s%d", of, r%n+1) }
	for _, c := range []struct {
		file, separator string
		rows            int
		columns         []made
		want            string
	}{
		{"benchm-ml, random forests", ",", 20, []made{by("Tool", 4, "R", "Python", "H2O", "xgboost", "Spark"), by("n", 1, "0.01", "0.1", "1", "10"),
			real("Time", 2, 4000), drawn("RAM", "5", "10", "20", "30"), real("AUC", 65, 80)}, "task n, arm Tool, reward Time, lower, single"},
		{"edbo, a round of results", ",", 5, []made{of("", func(r int) any { return 57524 + 9311*(r*r%5) }), of("fluoride_SMILES_index", func(r int) any { return text("CC", r, 4) }),
			by("base_SMILES_index", 5, "CN1"), of("solvent_SMILES_index", func(r int) any { return text("C1CC", r/2, 2) }), by("temperature_index", 1, "20", "60", "90"), real("yield", 0, 100)},
			"task , arm fluoride_SMILES_index solvent_SMILES_index temperature_index, reward yield, single"},
		{"edbo, Suzuki couplings", ",", 4 * 3 * 11 * 7 * 4, []made{counter("entry", 1), by("Electrophile_SMILES", 924, many("ClC", 4)...), by("Nucleophile_SMILES", 308, many("OB", 3)...),
			by("Ligand_SMILES", 28, many("P", 11)...), by("Base_SMILES", 4, many("[Na+]", 7)...), by("Solvent_SMILES", 1, many("CO", 4)...), real("yield", 0, 100)},
			"task Electrophile_SMILES, arm Nucleophile_SMILES Ligand_SMILES Base_SMILES Solvent_SMILES, reward yield, single"},
		{"edbo, arylations", ",", 4 * 12 * 4 * 3 * 3, []made{counter("entry", 0), by("Base_SMILES", 432, many("B", 4)...), by("Ligand_SMILES", 36, many("P", 12)...), by("Solvent_SMILES", 9, many("CC", 4)...),
			by("Concentration", 3, "0.057", "0.1", "0.153"), by("Temp_C", 1, "90", "105", "120"), real("yield", 0, 100)},
			"task , arm Base_SMILES Ligand_SMILES Solvent_SMILES Concentration Temp_C, reward yield, single"},
		{"agridat bridges.cucumber", tab, 32, []made{by("loc", 16, "Clemson", "Tifton"), of("gen", func(r int) any { return text("G", r/4+r%4, 4) }), by("row", 4, "1", "2", "3", "4"),
			by("col", 1, "1", "2", "3", "4"), real("yield", 20, 60)}, "task loc, arm gen, reward yield"},
		{"agridat edwards.oats", tab, 5 * 7 * 3 * 12, []made{of("eid", func(r int) any { return r/36 + 1 }), of("year", func(r int) any { return 1997 + r/36%7 }), by("loc", 252, many("L", 5)...), by("block", 12, "B1", "B2", "B3"),
			by("gen", 1, many("G", 12)...), real("yield", 50, 200), real("testwt", 30, 40)}, "task loc, arm gen, reward yield, blocks year block"},
		{"agridat shafii.rapeseed", tab, 648, []made{by("year", 216, "87", "88", "89"), by("loc", 24, many("L", 9)...), by("rep", 1, "R1", "R2", "R3", "R4"), by("gen", 4, many("V", 6)...), real("yield", 100, 5000)},
			"task loc, arm gen, reward yield, blocks year rep"},
		{"agridat adugna.sorghum", tab, 12 * 24, []made{by("gen", 1, many("G", 24)...), of("trial", func(r int) any { return text("T", r%24/12, 2) }), by("env", 24, many("E", 12)...), real("yield", 500, 6000),
			of("year", func(r int) any { return 2001 + r/24%3 }), of("loc", func(r int) any { return text("Loc", r/24/3, 4) })}, "task env, arm gen, reward yield, single"},
		{"agridat gomez.multilocsplitplot", tab, 108, []made{by("loc", 36, "L1", "L2", "L3"), by("nitro", 1, "0", "30", "60", "90", "120", "150"), by("rep", 6, "R1", "R2", "R3"), by("gen", 18, "G1", "G2"), real("yield", 1000, 9000)},
			"task loc, arm nitro gen, reward yield, blocks rep"},
		{"agridat carlson.germination", tab, 120, []made{by("gen", 1, many("V", 15)...), drawn("germ", many("9", 9)...), by("nacl", 15, "0", "0.5", "1", "1.5", "2", "2.5", "3", "3.5")}, "task gen, arm nacl, reward germ, single"},
		{"agridat john.alpha", tab, 72, []made{counter("plot", 1), by("rep", 24, "R1", "R2", "R3"), by("block", 4, many("B", 6)...), by("gen", 1, many("G", 24)...), real("yield", 3, 6), counter("row", 1), by("col", 72, "1")},
			"task , arm gen, reward yield, blocks rep block"},
		{"agridat besag.met", tab, 3 * 3 * 16, []made{by("county", 48, "C1", "C2", "C3"), by("row", 1, many("", 16)...), by("col", 16, many("", 9)...), by("rep", 16, "R1", "R2", "R3"), by("block", 4, "B1", "B2", "B3", "B4"), real("yield", 90, 180), by("gen", 1, many("G", 16)...)},
			"task county, arm gen, reward yield, blocks rep block"},
		{"agridat archbold.apple", tab, 120, []made{by("rep", 24, many("R", 5)...), by("row", 12, many("", 10)...), by("pos", 1, many("", 12)...), by("spacing", 1, "6", "10", "14"), by("stock", 3, "Seedling", "MM111"), by("gen", 6, "Redspur", "Golden", "Empire", "Gala"), real("yield", 50, 200),
			of("trt", func(r int) any { return 100*(r%3) + 10*(r/3%2) + r/6%4 })}, "task , arm spacing stock gen, reward yield, blocks rep"},
		{"agridat beall.webworms", tab, 400, []made{by("row", 1, many("", 25)...), by("col", 25, many("", 16)...), drawn("y", "0", "1", "2", "3", "4"), by("block", 40, many("B", 10)...), of("trt", func(r int) any { return text("T", r/10%4, 4) }), by("spray", 10, "N", "Y"), by("lead", 20, "N", "Y")},
			"task lead, arm spray, reward y, blocks block"},
		{"agridat vargas.wheat1.traits", tab, 126, []made{by("year", 21, many("199", 6)...), by("rep", 7, "R1", "R2", "R3"), by("gen", 1, many("G", 7)...), real("yield", 3000, 9000), drawn("ANT", many("8", 9)...), drawn("MAT", many("12", 9)...), real("TKW", 30, 60)},
			"task , arm gen, reward yield, blocks year rep"},
		{"agridat theobald.covariate", tab, 210, []made{by("year", 70, "1990", "1991", "1992"), by("env", 10, many("E", 7)...), by("gen", 1, many("G", 10)...), real("yield", 3, 10), of("chu", func(r int) any { return 2.5 + float64(r/10)/100 })},
			"task env, arm gen, reward yield, blocks year"},
		{"agridat cochran.latin", tab, 36, []made{by("row", 6, many("", 6)...), by("col", 1, many("", 6)...), of("operator", func(r int) any { return string(rune('a' + (r/6+r%6)%6)) }), real("diff", 0, 10)}, "task , arm operator, reward diff"},
		{"agridat mead.germination", tab, 64, []made{by("temp", 16, "T1", "T2", "T3", "T4"), by("rep", 4, "R1", "R2", "R3", "R4"), by("conc", 1, "0", "0.1", "1", "10"), drawn("germ", many("", 40)...), by("seeds", 64, "50")},
			"task temp, arm conc, counts germ seeds, blocks rep"},

		{"repeats in columns", ",", 6, []made{by("site", 3, "A", "B"), by("variety", 1, "p", "q", "r"), real("yield_1", 20, 30), real("yield_2", 20, 30), real("yield_3", 20, 30)},
			"task site, arm variety, reward yield_1, single"},
		{"clicks as truths", ",", 24, []made{by("site", 12, "A", "B"), by("page", 1, "p", "q", "r"), drawn("clicked", "False", "True")}, "task site, arm page, reward clicked"},
		{"settings as truths", ",", 24, []made{by("site", 12, "A", "B"), by("shuffle", 1, "False", "True"), real("speed", 20, 30)}, "task site, arm shuffle, reward speed"},
		{"milligrams and grams", ",", 12, []made{by("site", 6, "A", "B"), by("variety", 1, "p", "q", "r"), real("yield", 20, 30), by("unit", 3, "mg", "g")}, "task site, arm variety, reward yield"},
		{"molten", ",", 24, []made{by("site", 12, "A", "B"), by("variety", 2, "p", "q", "r"), by("variable", 1, "yield", "height"), real("value", 20, 30)}, "task site, arm variety, reward value"},
		{"training and validation", ",", 18, []made{by("model", 9, "A", "B"), by("lr", 3, "0.1", "0.01", "0.001"), real("train_loss", 1, 2), real("val_acc", 0, 1)}, "task model, arm lr, reward val_acc"},
		{"seconds of threads", ",", 18, []made{by("node", 9, "A", "B"), by("threads", 3, "1", "2", "4"), real("seconds", 20, 30)}, "task node, arm threads, reward seconds, lower"},
		{"times of programs", ",", 24, []made{by("benchmark", 12, "fft", "sort"), by("compiler", 6, "gcc", "clang"), by("flags", 3, "-O2", "-O3"), by("run", 1, "0", "1", "2"), real("ns_per_op", 60, 90)},
			"task benchmark, arm compiler flags, reward ns_per_op, lower"},
		{"a crossover trial", ",", 16, []made{of("subject", func(r int) any { return r/2 + 1 }), by("period", 1, "1", "2"), of("sequence", func(r int) any { return []string{"AB", "BA"}[r/2%2] }),
			of("treatment", func(r int) any { return []string{"A", "B"}[(r+r/2)%2] }), real("auc", 80, 120)}, "task subject, arm treatment, reward auc, single"},

		{"R warpbreaks", ",", 54, []made{counter("rownames", 1), drawn("breaks", many("", 60)...), by("wool", 27, "A", "B"), by("tension", 9, "L", "M", "H")}, "task wool, arm tension, reward breaks"},
		{"R npk", ",", 24, []made{counter("", 1), by("block", 4, many("", 6)...), of("N", func(r int) any { return r % 2 }), of("P", func(r int) any { return r / 2 % 2 }), of("K", func(r int) any { return (r + r/2 + r/4) % 2 }), real("yield", 40, 70)}, "task , arm N P K, reward yield, blocks block"},
		{"R ChickWeight", ",", 576, []made{counter("", 1), drawn("weight", many("", 200)...), by("Time", 1, "0", "2", "4", "6", "8", "10", "12", "14", "16", "18", "20", "21"), of("Chick", func(r int) any { return r/12 + 1 }), of("Diet", func(r int) any { return r/144 + 1 })}, "task , arm Diet, reward weight"},
		{"R ToothGrowth", ",", 60, []made{counter("", 1), real("len", 4, 34), by("supp", 30, "VC", "OJ"), by("dose", 10, "0.5", "1", "2")}, "task supp, arm dose, reward len"},
		{"R iris", ",", 150, []made{counter("", 1), drawn("Sepal.Length", many("4.", 9)...), drawn("Sepal.Width", many("3.", 9)...), drawn("Petal.Length", many("1.", 30)...), drawn("Petal.Width", many("0.", 9)...), by("Species", 50, "setosa", "versicolor", "virginica")}, "task , arm Species, reward Petal.Length"},
		{"R PlantGrowth", ",", 30, []made{counter("", 1), real("weight", 3, 7), by("group", 10, "ctrl", "trt1", "trt2")}, "task , arm group, reward weight"},
		{"R sleep", ",", 20, []made{counter("", 1), drawn("extra", "-1.6", "-0.2", "0.7", "1.9", "0.8", "3.4", "5.5"), by("group", 10, "1", "2"), by("ID", 1, many("", 10)...)}, "task , arm group, reward extra"},
		{"lme4 sleepstudy", ",", 180, []made{counter("", 1), real("Reaction", 200, 460), by("Days", 1, "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"), by("Subject", 10, many("3", 18)...)}, "task , arm Subject, reward Reaction, blocks Days"},
		{"lattice barley", ",", 120, []made{counter("", 1), real("yield", 14, 66), by("variety", 12, many("V", 10)...), by("year", 6, "1931", "1932"), by("site", 1, many("S", 6)...)}, "task site, arm variety, reward yield, blocks year"},
		{"lme4 cake", ",", 270, []made{counter("", 1), by("replicate", 18, many("", 15)...), by("recipe", 6, "A", "B", "C"), by("temperature", 1, "175", "185", "195", "205", "215", "225"), drawn("angle", many("", 60)...), by("temp", 1, "175", "185", "195", "205", "215", "225")}, "task recipe, arm temperature, reward angle"},
		{"nlme Machines", ",", 54, []made{counter("", 1), by("Worker", 3, many("", 6)...), by("Machine", 18, "A", "B", "C"), real("score", 40, 70)}, "task , arm Machine, reward score"},
		{"MASS oats", ",", 72, []made{counter("", 1), by("B", 12, "I", "II", "III", "IV", "V", "VI"), by("V", 4, "Victory", "Golden.rain", "Marvellous"), by("N", 1, "0.0cwt", "0.2cwt", "0.4cwt", "0.6cwt"), drawn("Y", many("", 90)...)}, "task V, arm N, reward Y, blocks B"},
		{"R OrchardSprays", ",", 64, []made{counter("", 1), drawn("decrease", many("", 70)...), by("rowpos", 1, many("", 8)...), by("colpos", 8, many("", 8)...), of("treatment", func(r int) any { return string(rune('A' + (r/8+r%8)%8)) })}, "task , arm treatment, reward decrease"},

		{"agridat fan.stability", tab, 5 * 13 * 2, []made{of("gen", func(r int) any { return []any{"HaiHe", 801, 802, "Jinmian", 12, 14, "Xin1", 3, 4, "CK", 5, 6, 7}[r%13] }), by("maturity", 130, "80"), by("year", 65, "2003", "2004"),
			by("loc", 13, many("L", 5)...), real("yield", 4, 9)}, "task loc, arm gen, reward yield, blocks year, text gen"},
		{"agridat kenward.cattle", tab, 60 * 11, []made{of("animal", func(r int) any { return r/11 + 1 }), by("trt", 330, "A", "B"), of("day", func(r int) any { return r % 11 * 14 }), drawn("weight", many("3", 90)...)}, "task , arm trt, reward weight, blocks day"},
		{"Optuna trials_dataframe", ",", 60, []made{counter("", 0), counter("number", 0), real("value", 0, 1), of("datetime_start", func(r int) any { return fmt.Sprintf("2025-01-01 10:%02d:00", r) }), of("duration", func(r int) any { return fmt.Sprintf("0 days 00:00:%02d", r%50) }),
			real("params_lr", 0, 1), drawn("params_optimizer", "adam", "sgd"), of("user_attrs_note", func(r int) any { return "n" + strconv.Itoa(r) }), of("state", func(r int) any { return map[bool]string{true: "FAIL", false: "COMPLETE"}[r%9 == 8] })},
			"task , arm params_lr params_optimizer, reward value, single"},
		{"MLflow runs", ",", 40, []made{of("run_id", func(r int) any { return fmt.Sprintf("a%031d", r*r) }), by("experiment_id", 40, "3"), of("status", func(r int) any { return map[bool]string{true: "FAILED", false: "FINISHED"}[r%7 == 6] }), of("start_time", func(r int) any { return fmt.Sprintf("2025-01-%02dT10:00", r%28+1) }),
			by("params.model", 20, "rf", "gbm"), by("params.depth", 1, "2", "4", "8", "16"), real("metrics.val_acc", 0, 1), by("tags.mlflow.user", 3, "ann", "bob")}, "task , arm params.model params.depth, reward metrics.val_acc"},
		{"wandb export", ",", 48, []made{of("Name", func(r int) any { return "sweep-" + strconv.Itoa(r) }), of("State", func(r int) any { return map[bool]string{true: "crashed", false: "finished"}[r%11 == 5] }), by("User", 24, "ann", "bob"), by("Tags", 48, ""), of("Created", func(r int) any { return fmt.Sprintf("2025-01-01T10:%02d:00Z", r) }),
			real("Runtime", 10, 90), by("lr", 1, "0.001", "0.01", "0.1"), by("batch_size", 3, "16", "32"), by("epoch", 48, "10"), real("val_accuracy", 0, 1), real("train_loss", 0, 1)}, "task , arm lr batch_size, reward val_accuracy"},
		{"a plate reader", ",", 96, []made{by("Plate", 48, "P1", "P2"), of("Well", func(r int) any { return fmt.Sprintf("%c%d", 'A'+r%48/12, r%12+1) }), of("Well Row", func(r int) any { return string(rune('A' + r%48/12)) }), by("Well Col", 1, many("", 12)...), by("Compound", 4, many("cpd-", 6)...), by("Dose uM", 1, "0.1", "1", "10", "100"), real("Signal", 0, 1e5)},
			"task Compound, arm Dose uM, reward Signal, blocks Plate"},
		{"a diary of measurements", ";", 40, []made{counter("Nr", 1), of("Datum", func(r int) any { return fmt.Sprintf("%02d.07.2025", r/8+1) }), of("Uhrzeit", func(r int) any { return fmt.Sprintf("%02d:%02d", 8+r%8, r) }), by("Anlage", 20, "A1", "A2"), by("Druck", 1, "1", "2", "4", "8"), real("Ausbeute", 50, 90), by("Bemerkung", 40, "")},
			"task Anlage, arm Druck, reward Ausbeute, blocks Datum"},
	} {
		data := tableOfMade(c.separator, c.rows, c.columns)
		opt := LoadOptions{Read: func(string) ([]byte, error) { return []byte(data), nil }}
		d, err := Describe("t.csv", opt)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		got := fmt.Sprintf("task %s, arm %s", d.Task, strings.Join(d.Arm, " "))
		if d.Counts != nil {
			got += ", counts " + strings.Join(d.Counts, " ")
		} else {
			got += ", reward " + d.Reward
		}
		if d.Lower {
			got += ", lower"
		}
		if d.Blocks != nil {
			got += ", blocks " + strings.Join(d.Blocks, " ")
		}
		if 10*d.Single >= 9*d.Options {
			got += ", single"
		}
		if d.Text != nil {
			got += ", text " + strings.Join(d.Text, " ")
		}
		if d.Failed != "" {
			got += ", failed " + d.Failed
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.file, got, c.want)
		}
		l := d.Long()
		opt.Long, opt.Text = &l, d.Text
		p, err := Load("t.csv", kernels.Joint{}, opt)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if p.N() < d.Options {
			t.Errorf("%s: %d options of %d", c.file, p.N(), d.Options)
		}
		for _, x := range c.columns { // each column has a part, or is left out for a reason
			parts := 0
			name := x.name
			if name == "" {
				name = "Unnamed: 0"
			}
			for _, part := range append(append(append([]string{d.Task, d.Reward}, d.Arm...), d.Blocks...), d.Counts...) {
				if part == name {
					parts++
				}
			}
			for _, u := range d.Unused {
				if u.Name == name && u.Why != "" {
					parts++
				}
			}
			if parts != 1 {
				t.Errorf("%s: column %q has %d parts", c.file, name, parts)
			}
		}
	}
}

// Numbers with a unit or a mark in each cell are not options: the column is named, with a remedy.
func TestNumbersWithUnits(t *testing.T) {
	for _, format := range []string{"%.1f kg", "%.1f%%", "$%.2f", "(%.1f)", "%.1fab", "%.1f ± 0.5"} {
		text := "site,variety,yield\n"
		for r := range 12 {
			text += fmt.Sprintf("%s,v%d,"+format+"\n", []string{"A", "B"}[r/6], r%3, 20+1.7*float64(r))
		}
		d := try.Of(Describe("t.csv", LoadOptions{Read: func(string) ([]byte, error) { return []byte(text), nil }}))
		if len(d.Arm) != 1 || len(d.Unused) != 1 || !strings.Contains(d.Unused[0].Why, "Write only the numbers") {
			t.Errorf("%s: arm %v, left out %v", format, d.Arm, d.Unused)
		}
	}
}

// A cost is not an option, unless it is crossed with the other options.
func TestCosts(t *testing.T) {
	for _, header := range []string{"base,ligand,Cost €,yield", "base,ligand,gpu_hours,yield", "base,ligand,Kosten (EUR),yield"} {
		for _, c := range []struct {
			costs []int
			left  int
		}{{[]int{10, 12, 100, 105}, 1}, {[]int{10, 10, 100, 100}, 0}} {
			text := header + "\n"
			for r := range 16 {
				cost := c.costs[r%4]
				if c.left == 0 {
					cost = c.costs[r/4]
				}
				text += fmt.Sprintf("b%d,l%d,%d,%d.%d\n", r%4/2, r%2, cost, 50+7*r%30, r%10)
			}
			d := try.Of(Describe("t.csv", LoadOptions{Read: func(string) ([]byte, error) { return []byte(text), nil }}))
			if len(d.Unused) != c.left || c.left > 0 && d.Unused[0].Why != costReason {
				t.Errorf("%s %v: left out %v", header, c.costs, d.Unused)
			}
		}
	}
}
