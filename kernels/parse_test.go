package kernels_test

import (
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// A text makes the kernel that prints as it. The tests of package dsl compare random kernels with the script language.
func TestParse(t *testing.T) {
	wave := kernels.Func("wave", func(x, y []float64) float64 { return x[0] * y[0] })
	for _, text := range []string{
		"0.5*rbf(lengthscale=[0.5, 2], dims=[\"x_1\", \"{{curly}}\"]) + linear()", "(linear() + 2)^2 * wave", "matern(nu=2.5)",
		"table([[1, 0.5], [0.5, 1]], names=[\"oslo\", \"rome\"])", "rbf(lengthscale=free(2, min=1, max=4, name=\"l\"))", "free(2) * identity()",
	} {
		k, err := kernels.Parse(text, wave)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		again, err := kernels.Parse(k.String(), wave)
		if err != nil || !kernels.Equal(k, again) {
			t.Errorf("%s printed as %s: %v", text, k, err)
		}
	}
	for _, text := range []string{"task(rbf(lengthscale=0.7)) * arm(linear()) + 10*identity()", "2", "0.5*task(identity()) * arm(wave)", "arm(linear())^2 + 3"} {
		j, err := kernels.ParseJoint(text, wave)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if again, err := kernels.ParseJoint(j.String(), wave); err != nil || !j.Equal(again) {
			t.Errorf("%s printed as %s: %v", text, j, err)
		}
	}
}

// A text that is not a kernel is an error with its place, never a panic.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "column 1: a number or a kernel is missing before the end",
		"rbf(":                     "missing",
		"rbf() +":                  "missing before the end",
		"linear() linear()":        `column 10: "linear" is not expected`,
		"gauss()":                  `unknown kernel "gauss"; the kernels are linear`,
		"rbf(lengthscale=-1)":      "lengthscale is -1",
		"rbf(ell=1)":               `has no parameter "ell"`,
		"rbf(1, lengthscale=1)":    "lengthscale is given twice",
		"linear()^0.5":             "0.5 is not a whole number",
		"(-2)*linear()":            "-2",
		"task(linear())":           "is a joint kernel",
		"task(task(linear()))":     "task(...) takes a kernel of one space",
		"table([[1, \"a\"]])":      "is not a number",
		"rbf(dims=[\"x)":           "literal not terminated",
		strings.Repeat("(", 10000): "inside each other",
		"linear(é=1)":              "has no parameter",
	} {
		if _, err := kernels.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30s: error %.300v, want %q", text, err, want)
		}
	}
	if _, err := kernels.ParseJoint("linear()"); err == nil || !strings.Contains(err.Error(), "Write task(linear()) or arm(linear())") {
		t.Errorf("a kernel of one space: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("task(rbf(0.7)) * arm(table([[1]], names=[\"a\"])) + free(2, min=1)^2")
	f.Fuzz(func(t *testing.T, text string) {
		j, err := kernels.ParseJoint(text)
		if err != nil {
			return
		}
		if again, err := kernels.ParseJoint(j.String()); err != nil || !j.Equal(again) {
			t.Errorf("%q printed as %s: %v", text, j, err)
		}
	})
}
