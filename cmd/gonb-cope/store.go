package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/atomicfile"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A store is a folder with the results of one script. Each program that runs the script, or a part of it, writes two files
// of its own there, so that parts can run at the same time. NAME.jsonl contains results (see sim.Store), and NAME.json
// describes the script that made them. NAME is part-K-of-N for a part, and results for a whole script or a merged store.

// madeBy describes the script that made a store; it is the content of NAME.json.
type madeBy struct {
	Script string   `json:"script"`          // hash of the script, see scriptIdentity
	Name   string   `json:"name"`            // file name of the script, for people
	Parts  []string `json:"parts,omitempty"` // finished parts, for example "3/16"; "1/1" is the whole script
}

// scriptIdentity returns a hash of the script's text and of the flags --set and --seed, which change its runs.
func scriptIdentity(src source, set []string, seed string) string {
	text, _ := json.Marshal([]any{src.text, slices.Sorted(slices.Values(set)), seed})
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// ownName matches the names of files that belong to a store.
var ownName = regexp.MustCompile(`^(results|part-\d+-of-\d+)\.jsonl?$`)

// storeFiles returns the paths of the store's files with the given extension. It returns none if the folder does not
// exist.
func storeFiles(dir, ending string) (paths []string) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if ownName.MatchString(f.Name()) && filepath.Ext(f.Name()) == ending {
			paths = append(paths, filepath.Join(dir, f.Name()))
		}
	}
	return paths
}

// scriptsOf returns the descriptions in a store, by the path of their file.
func scriptsOf(dir string) (map[string]madeBy, error) {
	all := map[string]madeBy{}
	for _, path := range storeFiles(dir, ".json") {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var by madeBy
		if err := json.Unmarshal(text, &by); err != nil {
			return nil, fmt.Errorf("%s does not describe a store: %w", path, err)
		}
		all[path] = by
	}
	return all, nil
}

func (m madeBy) write(path string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(text, '\n'), 0o666, true)
}

// claimStore makes the folder of a store. It returns an error if another script made the store. With extend, it makes the
// store belong to script m instead.
func claimStore(dir string, m madeBy, extend bool) (err error) {
	defer try.Caught(&err)
	all := try.Of(scriptsOf(dir))
	for path, by := range all {
		switch {
		case by.Script == m.Script:
		case !extend:
			return fmt.Errorf("the store %s was made by another script: %s with another text, --set or --seed. The store may lack results of %s. "+
				"Choose another store, or use --extend to keep all results that %[3]s still needs", dir, by.Name, m.Name)
		default:
			try.To(m.write(path))
		}
	}
	return os.MkdirAll(dir, 0o777)
}

// scriptStore is the open store of a script, or of a part of it.
type scriptStore struct {
	*sim.Store
	by   madeBy
	path string // path of the description NAME.json
	part string
}

// openScriptStore opens the store in folder dir for a script, or for one part of it.
func openScriptStore(dir string, by madeBy, part dsl.Shard, extend bool) (_ *scriptStore, err error) {
	defer try.Caught(&err)
	try.To(claimStore(dir, by, extend))
	name := "results"
	if part.N > 0 {
		name = fmt.Sprintf("part-%d-of-%d", part.K, part.N)
	} else {
		part = dsl.Shard{K: 1, N: 1}
	}
	own := filepath.Join(dir, name)
	others := lists.Where(storeFiles(dir, ".jsonl"), func(path string) bool { return path != own+".jsonl" })
	s := try.Of(sim.OpenStore(own+".jsonl", others...))
	out := &scriptStore{s, by, own + ".json", part.String()}
	if all, err := scriptsOf(dir); err != nil || all[out.path].Script == by.Script {
		out.by.Parts = all[out.path].Parts
		return out, err
	}
	return out, by.write(out.path)
}

// finish records in the description that the part is finished.
func (s *scriptStore) finish() error {
	s.by.Parts = lists.Add(s.by.Parts, s.part)
	return s.by.write(s.path)
}

// finishedParts returns the finished parts K/N of a store, and the parts of the largest N that are missing. None are
// missing if the whole script is finished.
func finishedParts(dir string) (finished, missing []string, err error) {
	all, err := scriptsOf(dir)
	for _, by := range all {
		for _, part := range by.Parts {
			finished = lists.Add(finished, part)
		}
	}
	if slices.Contains(finished, "1/1") {
		return finished, nil, err
	}
	n := lists.Max(finished, func(part string) int {
		shard, _ := dsl.ParseShard(part)
		return shard.N
	})
	return finished, missingParts(finished, n), err
}

// missingParts returns the parts K/n that are not in finished.
func missingParts(finished []string, n int) []string {
	all := lists.Make(n, func(k int) string { return dsl.Shard{K: k + 1, N: n}.String() })
	return lists.Where(all, func(part string) bool { return !slices.Contains(finished, part) })
}

func storeCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "store", Short: "Merge results of a script that ran in parts", Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var extend bool
	merge := &cobra.Command{
		Use:   "merge OUT IN...",
		Short: "Merge results of a script that ran in parts",
		Long: `Merge stores, which gonb-cope run --shard K/N --store IN has made, into the store OUT.
gonb-cope run SCRIPT --store OUT then shows the script's results without making its runs again.`,
		Example: `  gonb-cope run sweep.cope --shard 1/2 --store a
  gonb-cope run sweep.cope --shard 2/2 --store b
  gonb-cope store merge all a b
  gonb-cope run sweep.cope --store all`,
		Args: arguments(2, -1, "a store to make and the stores to merge"),
		RunE: func(_ *cobra.Command, args []string) error { return mergeStores(args[0], args[1:], extend) },
	}
	merge.Flags().BoolVar(&extend, "extend", false, "also merge stores of other scripts; OUT then belongs to the script of the last store")
	c.AddCommand(merge)
	return c
}

// mergeStores copies the results of the stores in to the store out, and prints which parts are missing.
func mergeStores(out string, in []string, extend bool) (err error) {
	defer try.Caught(&err)
	var by madeBy
	var files []string
	for _, dir := range in {
		found := try.Of(scriptsOf(dir))
		if len(found) == 0 {
			return fmt.Errorf("%s is not a store: it has no results of gonb-cope run --store. Give the folder that --store named", dir)
		}
		for _, own := range found {
			parts := by.Parts
			if by.Script != "" && by.Script != own.Script && !extend {
				return fmt.Errorf("the stores were made by different scripts: %s and %s with another text, --set or --seed. Their results "+
					"may not belong together. Leave out %s, or use --extend to merge all results", by.Name, own.Name, dir)
			}
			if by.Script != own.Script {
				by, parts = own, nil
			}
			by.Parts = parts
			for _, part := range own.Parts {
				by.Parts = lists.Add(by.Parts, part)
			}
		}
		files = append(files, storeFiles(dir, ".jsonl")...)
	}
	try.To(claimStore(out, by, extend))
	before, _ := try.Two(finishedParts(out))
	for _, part := range before {
		by.Parts = lists.Add(by.Parts, part)
	}
	results, err := sim.MergeStores(filepath.Join(out, "results.jsonl"), files...)
	try.To(errors.Join(err, by.write(filepath.Join(out, "results.json"))))
	line := fmt.Sprintf("%s has %s of %s", out, sentence.Count(results, "result"), by.Name)
	_, missing, err := finishedParts(out)
	if len(missing) > 0 {
		line += fmt.Sprintf(". Parts that are not finished: %s; gonb-cope run --store makes their runs", sentence.List(missing, 8))
	}
	fmt.Println(line)
	return err
}
