package model

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Noise that cannot be is reported for a problem that was put together by hand.
func TestNoiseOfProblems(t *testing.T) {
	for want, change := range map[string]func(*problem.NoiseModel){
		"noise can be known as":     func(m *problem.NoiseModel) { m.Known = "measured" },
		"noise can be unknown by":   func(m *problem.NoiseModel) { m.UnknownBy = "agent" },
		"but 2 standard deviations": func(m *problem.NoiseModel) { m.SD = []float64{1, 1} },
	} {
		p := enginetest.Paper(t, 1, 0.5)
		change(&p.Noise)
		if _, err := New(p, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// K_Z, the rewards and ‖θ*‖ of the family follow its definition, and its ends are the paper's cases
// 3 and 1.
func TestPaperFamily(t *testing.T) {
	const gap, v = 0.2, 5
	theta := 0.0 // ‖θ*‖² of case 1, from its definition
	for k := range 4 {
		theta += math.Pow(0.1+float64(k)*gap, 2)
	}
	one := enginetest.Paper(t, 1, gap)
	for _, lengthscale := range []float64{0, 1e-3, 0.4, 1, 3, math.Inf(1)} {
		p := try.Of(problem.PaperFamily(lengthscale, gap))
		similar := math.Exp(-1 / (lengthscale * lengthscale)) // IEEE: 0 at 0, 1 at infinity
		gram := try.Of(p.Kernel.On(context.Background(), p.Tasks, p.Arms, p.TaskOf))
		k := kernels.Dense(gram)
		for i, vi := range p.TaskOf {
			for j, vj := range p.TaskOf {
				want := 0.0
				for c := range 4 {
					want += p.Arms.Point(i).X[c] * p.Arms.Point(j).X[c]
				}
				if vi != vj {
					want *= similar
				}
				if math.Abs(k.At(i, j)-want) > 1e-12 {
					t.Fatalf("lengthscale %g: k(%d, %d) = %g, want %g", lengthscale, i, j, k.At(i, j), want)
				}
			}
		}
		if !slices.Equal(p.Mean, one.Mean) {
			t.Errorf("lengthscale %g: rewards are not case 1's", lengthscale)
		}
		m := model(t, p)
		norm := try.Of(m.Truth().Norm())
		if want := math.Sqrt(theta * v / (1 + (v-1)*similar)); math.Abs(norm-want) > 1e-9 {
			t.Errorf("lengthscale %g: norm %g, want %g", lengthscale, norm, want)
		}
		if m.Truth().Fidelity(0) != Faithful {
			t.Errorf("lengthscale %g: the kernel cannot represent the rewards", lengthscale)
		}
	}
	// ω of case 1 is 12, of case 3 is 60 [known values of bounds.TestKnownValues at ξ → 0].
	for lengthscale, want := range map[float64]float64{0: 60, math.Inf(1): 12} {
		p, _ := problem.PaperFamily(lengthscale, gap)
		m := model(t, p)
		d, err := m.Designs().Design(0, p.Groups())
		if err != nil || math.Abs(d.Value-want) > 1e-6 {
			t.Errorf("lengthscale %g: rho_1 = %g, %v, want %g", lengthscale, d.Value, err, want)
		}
	}
}

// The kinds of noise on the coupling data: 20 measurements a cell, pooled sd of
// a task from 3.6 to 21.7 as its README says.
func TestCouplingNoise(t *testing.T) {
	load := func(noise problem.NoiseModel) *problem.Problem {
		return try.Of(problem.Load("../../notebooks/data/cn_coupling.csv", enginetest.Identity, problem.LoadOptions{Rewards: "../../notebooks/data/cn_coupling_raw.csv", Noise: noise}))
	}
	p := load(problem.NoiseModel{Known: problem.NoiseTask})
	if p.V() != 15 || p.N() != 180 || p.Noise.Environment != problem.EnvironmentResampled || len(p.Rewards[179]) != 20 {
		t.Fatalf("%d tasks, %d arms, environment %s", p.V(), p.N(), p.Noise.Environment)
	}
	lowest := math.Inf(1)
	for _, s := range p.Noise.Scales {
		lowest = min(lowest, s)
	}
	if math.Abs(lowest-3.6) > 0.05 || math.Abs(p.LargestNoise()-21.7) > 0.05 {
		t.Errorf("task noise from %.3f to %.3f, want 3.6 to 21.7", lowest, p.LargestNoise())
	}
	m := model(t, p)
	// Smallest gap between best and second arm: 0.46, in task 3Py-I (README of the data).
	gap, err := m.Truth().DeltaMin()
	if err != nil || math.Abs(gap*m.Unit-0.46) > 0.005 {
		t.Errorf("smallest gap %.4f, want 0.46 (error %v)", gap*m.Unit, err)
	}
	if p := load(problem.NoiseModel{Scales: []float64{7}}); p.Noise.Scales[100] != 7 || p.Noise.Estimated() {
		t.Errorf("noise %g, estimated %v; want 7, given", p.Noise.Scales[100], p.Noise.Estimated())
	}
	if _, err := problem.Load("../../notebooks/data/cn_coupling.csv", enginetest.Identity, problem.LoadOptions{Noise: problem.NoiseModel{Scales: []float64{-1}}}); err == nil {
		t.Error("a negative noise was accepted")
	}
}
