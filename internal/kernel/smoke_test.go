package kernel

import (
	"fmt"
	"testing"
	"time"
)

func TestSmoke(t *testing.T) {
	f := start(t)
	b := time.Now()
	r := f.execute("%%cope\nk = linear() + 0.5*rbf(lengthscale=2)\nk")
	fmt.Println(time.Since(b), r.reply, kinds(r.outputs))
	r = f.execute("%%cope\nk = linaer()")
	fmt.Println(r.reply)
	for _, code := range []string{"%%\nfmt.Println(\"hello\")", "%%\nfmt.Println(\"hello2\")", "%%\npanic(\"boo\")", "%%\nx := 1", "!true", "%env A B", "import \"github.com/gonb-cope/gonb-cope/kernels\"\n%%\nfmt.Println(kernels.RBF{Lengthscale: 1})", "func f() {\n", "%%\nos.Exit(3)"} {
		b = time.Now()
		r = f.execute(code)
		fmt.Println(time.Since(b), r.reply, kinds(r.outputs), r.text(t, "stdout"), "ERR", r.text(t, "stderr"))
	}
}
