package dsl

import "github.com/gonb-cope/gonb-cope/kernels"

// spaceFunctions returns the functions that say which space a kernel compares.
func spaceFunctions() []Function {
	param := func(doc string) []Param { return []Param{{Name: "k", Types: []Type{Kernel}, Doc: doc}} }
	return []Function{
		{
			Name: "task", Section: SectionSpaces, Doc: "a joint kernel that compares tasks by their features z_*",
			Params: param("kernel of two tasks"), Result: Joint, Example: "task(rbf(lengthscale=0.7))", pure: true,
			eval: func(c *call) (any, error) { return kernels.LiftTask(c.args[0].Data.(kernels.Kernel)), nil },
		},
		{
			Name: "arm", Section: SectionSpaces, Doc: "a joint kernel that compares arms by their features x_*",
			Params: param("kernel of two arms"), Result: Joint, Example: "arm(linear())", pure: true,
			eval: func(c *call) (any, error) { return kernels.LiftArm(c.args[0].Data.(kernels.Kernel)), nil },
		},
	}
}
