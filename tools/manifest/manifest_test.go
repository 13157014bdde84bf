// Package manifest tests the Kubernetes job that run --on kubernetes --manifest writes.
package manifest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/json"
)

// The job has only fields of the Kubernetes API, with the types and the case of letters that it states, and runs one part for each index.
func TestJob(t *testing.T) {
	folder := t.TempDir()
	command := filepath.Join(folder, "gonb-cope")
	build := exec.Command("go", "build", "-o", command, "./cmd/gonb-cope")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	script := `runs = 2
sweep(fc(paper(case=1), runs=runs), gap=[0.1, 0.2])
`
	if err := os.WriteFile(filepath.Join(folder, "s.cope"), []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(command, "run", "s.cope", "--set", "runs=3", "--workers", "2", "--shards", "4", "--store", "results", "--on", "kubernetes",
		"--image", "lab/gonb-cope:1", "--volume", "data", "--manifest", "job.json")
	run.Dir = folder
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(folder, "job.json"))
	if err != nil {
		t.Fatal(err)
	}
	var job batchv1.Job
	strict, err := json.UnmarshalStrict(text, &job)
	if err != nil || len(strict) > 0 {
		t.Fatalf("%v, %v in\n%s", err, strict, text)
	}
	if job.APIVersion != "batch/v1" || job.Kind != "Job" || job.Name == "" {
		t.Errorf("%s %s %q, want batch/v1 Job with a name", job.APIVersion, job.Kind, job.Name)
	}
	if m := job.Spec.CompletionMode; m == nil || *m != batchv1.IndexedCompletion {
		t.Error("the job is not indexed")
	}
	if n := job.Spec.Completions; n == nil || *n != 4 {
		t.Errorf("%v completions, want 4", n)
	}
	pod := job.Spec.Template.Spec
	if len(pod.Containers) != 1 || len(pod.Volumes) != 1 {
		t.Fatalf("%d containers and %d volumes, want 1 each", len(pod.Containers), len(pod.Volumes))
	}
	container, volume := pod.Containers[0], pod.Volumes[0]
	if args := strings.Join(container.Args, " "); !strings.HasPrefix(args, "run s.cope") || !strings.HasSuffix(args, "--shard $(JOB_COMPLETION_INDEX)/4") {
		t.Errorf("the container runs %q", args)
	}
	if cpu := container.Resources.Requests.Cpu(); cpu.Value() != 2 {
		t.Errorf("the container asks for %s cores, want 2", cpu)
	}
	if c := volume.PersistentVolumeClaim; c == nil || c.ClaimName != "data" || len(container.VolumeMounts) != 1 || container.VolumeMounts[0].Name != volume.Name {
		t.Errorf("%+v is mounted as %+v", volume, container.VolumeMounts)
	}
}

// A field that the Kubernetes API does not have is noticed, and so is one in other letters.
func TestStrict(t *testing.T) {
	for _, text := range []string{`{"spec": {"completionsMode": "Indexed"}}`, `{"spec": {"Completions": 4}}`} {
		var job batchv1.Job
		if strict, err := json.UnmarshalStrict([]byte(text), &job); err != nil || len(strict) != 1 {
			t.Errorf("%s: %v, %v", text, strict, err)
		}
	}
}
