package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/shell"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// shardOptions are the flags of run about parts of a script and the scheduler that runs them.
type shardOptions struct {
	store, shard, on, image, volume, manifest string

	shards int
	extend bool
	part   dsl.Shard // value of --shard
}

// schedulers maps each value of --on to a function that runs parts of a script. The function returns when all parts have
// ended. When the context ends, it stops the parts and returns. Whether a part has failed is seen in the store.
var schedulers = map[string]func(ctx context.Context, j shardJob) error{
	"local": startLocal, "parallel": startParallel, "slurm": startSlurm, "kubernetes": startKubernetes,
}

func (o *shardOptions) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.store, "store", "", "`FOLDER` that keeps the results of all runs; runs whose results it has are not made again")
	f.StringVar(&o.shard, "shard", "", "make only the runs of part K of N, given as `K/N`, and show nothing; needs --store")
	f.IntVar(&o.shards, "shards", 0, "divide the runs into `N` parts, which --on runs; then show the results")
	f.StringVar(&o.on, "on", "local", "`SCHEDULER` of --shards: local, parallel (GNU parallel), slurm (an array job) "+
		"or kubernetes (an indexed job)")
	f.BoolVar(&o.extend, "extend", false, "reuse the store of another script: the results that this script still needs")
	f.StringVar(&o.image, "image", "", "`IMAGE` of the container with this program; for --on kubernetes")
	f.StringVar(&o.volume, "volume", "",
		"volume `CLAIM` with the current folder, which has script, data and store; for --on kubernetes")
	f.StringVar(&o.manifest, "manifest", "", "write the Kubernetes job to this `FILE` and end (untested on a cluster)")
}

// check returns an error for flags that contradict each other.
func (o *shardOptions) check(c *cobra.Command, script string, writes bool) (err error) {
	if o.shard != "" {
		if o.part, err = dsl.ParseShard(o.shard); err != nil {
			return usageError{fmt.Errorf("--shard: %w", err)}
		}
	}
	given := func(name string) bool { return c.Flags().Changed(name) }
	switch _, known := schedulers[o.on]; {
	case given("shards") && o.shard != "":
		return usageError{errors.New("--shards runs all parts and --shard one of them: give one of these flags")}
	case (o.shard != "" || given("shards") || o.extend) && o.store == "":
		return usageError{errors.New("--shard, --shards and --extend need a folder for the results: --store FOLDER")}
	case o.shard != "" && writes:
		return usageError{errors.New("a part shows nothing, so -o has no effect: give it to gonb-cope run --store, after all parts")}
	case given("shards") && (o.shards < 1 || o.shards > dsl.MaxShards):
		return usageError{fmt.Errorf("--shards must be from 1 to %d, got %d", dsl.MaxShards, o.shards)}
	case given("shards") && script == "-":
		return usageError{errors.New("--shards needs a script in a file, which all parts read")}
	case !known:
		return usageError{fmt.Errorf("--on must be local, parallel, slurm or kubernetes, got %q", o.on)}
	case !given("shards") && (given("on") || o.image+o.volume+o.manifest != ""):
		return usageError{errors.New("--on, --image, --volume and --manifest need a number of parts: --shards N")}
	case o.on == "kubernetes" && (o.image == "" || o.volume == ""):
		return usageError{errors.New("--on kubernetes needs --image IMAGE and --volume CLAIM")}
	case o.on != "kubernetes" && o.image+o.volume+o.manifest != "":
		return usageError{errors.New("--image, --volume and --manifest are for --on kubernetes")}
	}
	return nil
}

// shardJob describes the parts that a scheduler must run.
type shardJob struct {
	*shardOptions
	missing []string // parts to run, for example "3/16"
	workers int      // cores for each part; 0 if the user does not say
	run     []string // arguments of this program for one part, without --shard
}

// indices returns K for each missing part K/N.
func (j shardJob) indices() []string {
	return lists.Map(j.missing, func(part string) string { k, _, _ := strings.Cut(part, "/"); return k })
}

// line returns the shell command that runs one part. index is the scheduler's placeholder for the number of the part.
func (j shardJob) line(program, index string) string {
	return shell.Quote(program) + " " + strings.Join(lists.Map(j.run, shell.Quote), " ") + fmt.Sprintf(" --shard %s/%d", index, j.shards)
}

// runShards runs the parts of a script that are not finished, and shows the progress.
func (o *runOptions) runShards(ctx context.Context, src source) error {
	by := madeBy{Script: scriptIdentity(src, o.set, o.seed), Name: src.name}
	if err := claimStore(o.shard.store, by, o.shard.extend); err != nil {
		return err
	}
	j := shardJob{shardOptions: &o.shard, workers: o.workers, run: []string{"run", src.name, "--store", o.shard.store}}
	for _, set := range o.set {
		j.run = append(j.run, "--set", set)
	}
	if o.seed != "" {
		j.run = append(j.run, "--seed", o.seed)
	}
	if o.workers > 0 {
		j.run = append(j.run, "--workers", fmt.Sprint(o.workers))
	}
	var err error
	state := func() (finished int) {
		var parts []string
		parts, _, err = finishedParts(o.shard.store)
		j.missing = missingParts(parts, o.shard.shards)
		return o.shard.shards - len(j.missing)
	}
	bar := newProgress(os.Stderr)
	defer bar.clear()
	tell := func() {
		bar.update(dsl.Activity{Label: "parts on " + o.shard.on, Done: state(), Total: o.shard.shards})
	}
	if tell(); err != nil || len(j.missing) == 0 {
		return err
	}
	if o.shard.manifest != "" {
		return j.writeManifest()
	}
	ended := make(chan error, 1)
	go func(j shardJob) { ended <- schedulers[o.shard.on](ctx, j) }(j)
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			tell()
			continue
		case err = <-ended:
		}
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted. The store %s keeps all finished experiments: the same command continues", o.shard.store)
		}
		if failed := err; state() < o.shard.shards {
			return errors.Join(failed, err, fmt.Errorf("parts of %s that are not finished: %s. The same command runs them again",
				src.name, sentence.List(j.missing, 8)))
		}
		return err
	}
}

// runScheduler runs a scheduler's program and returns its output. An interrupt stops the program.
func runScheduler(ctx context.Context, input []byte, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	var said bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(input), &said, os.Stderr
	err := c.Run()
	if errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("%s is not installed here: install it, or choose another --on", name)
	} else if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return strings.TrimSpace(said.String()), err
}

// startLocal runs the parts on this machine, as many at a time as there are cores.
func startLocal(ctx context.Context, j shardJob) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cores := runtime.GOMAXPROCS(0)
	if j.workers == 0 {
		j.workers = max(1, cores/len(j.missing))
		j.run = append(j.run, "--workers", fmt.Sprint(j.workers))
	}
	free := make(chan struct{}, max(1, cores/j.workers))
	failed := make(chan error, len(j.missing))
	for _, part := range j.missing {
		free <- struct{}{}
		go func() {
			_, err := runScheduler(ctx, nil, self, append(slices.Clone(j.run), "--shard", part)...)
			failed <- err
			<-free
		}()
	}
	for range j.missing {
		err = errors.Join(err, <-failed)
	}
	return err
}

// startParallel runs the parts by GNU parallel, which reads the hosts from its own files and from $PARALLEL. This program
// sets the number of jobs per host.
func startParallel(ctx context.Context, j shardJob) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if j.workers == 0 {
		j.run = append(j.run, "--workers", "1")
	}
	args := []string{"--will-cite", "--halt", "soon,fail=1", "--jobs", fmt.Sprintf("%d%%", 100/max(1, j.workers)), j.line(self, "{}"), ":::"}
	_, err = runScheduler(ctx, nil, "parallel", append(args, j.indices()...)...)
	return err
}

// startSlurm submits the parts as an array job. The job takes its partition and limits from the variables of sbatch, such
// as SBATCH_PARTITION.
func startSlurm(ctx context.Context, j shardJob) (err error) {
	defer try.Caught(&err)
	self := try.Of(os.Executable())
	if j.workers == 0 {
		j.run = append(j.run, "--workers", "1")
	}
	id := try.Of(runScheduler(ctx, nil, "sbatch", "--parsable", "--job-name", "gonb-cope", "--array", strings.Join(j.indices(), ","),
		"--cpus-per-task", fmt.Sprint(max(1, j.workers)), "--output", filepath.Join(j.store, "slurm-%a.log"), "--wrap",
		"exec "+j.line(self, "$SLURM_ARRAY_TASK_ID")))
	id, _, _ = strings.Cut(id, ";") // after a semicolon, sbatch prints the name of the cluster
	for {
		left, err := runScheduler(context.WithoutCancel(ctx), nil, "squeue", "--noheader", "--jobs", id)
		if err != nil || left == "" {
			return nil // the job has ended, or Slurm has forgotten it
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			_, err := runScheduler(context.WithoutCancel(ctx), nil, "scancel", id)
			return err
		}
	}
}

// jobName returns the name of the Kubernetes job, which the script and the store determine.
func (j shardJob) jobName() string {
	return "gonb-cope-" + scriptIdentity(source{text: j.run[1] + "\n" + j.store}, nil, "")[:10]
}

// jobManifest returns an indexed Kubernetes job as JSON. Its index 0 is the last part.
func (j shardJob) jobManifest() ([]byte, error) {
	folder, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	type object = map[string]any
	args := append(slices.Clone(j.run), "--shard", fmt.Sprintf("$(JOB_COMPLETION_INDEX)/%d", j.shards))
	container := object{"name": "part", "image": j.image, "args": args, "workingDir": folder,
		"volumeMounts": []object{{"name": "folder", "mountPath": folder}}}
	if j.workers > 0 {
		container["resources"] = object{"requests": object{"cpu": fmt.Sprint(j.workers)}}
	}
	return json.MarshalIndent(object{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": j.jobName()},
		"spec": object{
			"completionMode": "Indexed", "completions": j.shards, "parallelism": j.shards, "backoffLimit": j.shards,
			"template": object{"spec": object{
				"restartPolicy": "Never", "containers": []object{container},
				"volumes": []object{{"name": "folder", "persistentVolumeClaim": object{"claimName": j.volume}}},
			}},
		},
	}, "", "  ")
}

// writeManifest writes the Kubernetes job to a file and does not submit it.
func (j shardJob) writeManifest() error {
	text, err := j.jobManifest()
	if err == nil {
		err = os.WriteFile(j.manifest, append(text, '\n'), 0o666)
	}
	if err == nil {
		fmt.Printf("wrote %s. Submit it with kubectl apply -f %[1]s; afterwards gonb-cope run %s --store %s shows the results\n",
			j.manifest, shell.Quote(j.run[1]), shell.Quote(j.store))
	}
	return err
}

// startKubernetes submits an indexed job with kubectl, and deletes the job afterwards. If kubectl fails to report its
// state, the job is not deleted.
func startKubernetes(ctx context.Context, j shardJob) error {
	text, err := j.jobManifest()
	if err == nil {
		_, err = runScheduler(ctx, text, "kubectl", "apply", "-f", "-")
	}
	if err != nil {
		return err
	}
	for {
		state, err := runScheduler(context.WithoutCancel(ctx), nil, "kubectl", "get", "job", j.jobName(), "-o",
			"jsonpath={.status.conditions[*].type}")
		if err != nil {
			return fmt.Errorf("the job %s may still run: %w. The same command continues with the finished results", j.jobName(), err)
		}
		if strings.Contains(state, "Complete") || strings.Contains(state, "Failed") || ctx.Err() != nil {
			break
		}
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
		}
	}
	_, err = runScheduler(context.WithoutCancel(ctx), nil, "kubectl", "delete", "job", j.jobName(), "--ignore-not-found")
	return err
}
