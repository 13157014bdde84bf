package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/kernelspec"
)

func installCommand() *cobra.Command {
	var o kernelspec.Options
	c := &cobra.Command{
		Use:   "install",
		Short: "Make this program a kernel of Jupyter",
		Long: `Make this program a kernel of Jupyter: the kernelspec with its logo, and colours for
%%cope cells in JupyterLab 4, Notebook 7 and the classic Notebook. What was installed
before is replaced; a kernelspec of another program is not.`,
		Example: `  gonb-cope install
  gonb-cope install --prefix /usr/local
  gonb-cope install --prefix "$VIRTUAL_ENV" --name cope-next`,
		Args: none,
		RunE: func(*cobra.Command, []string) error {
			if err := onePlace(o); err != nil {
				return err
			}
			return install(o)
		},
	}
	placeFlags(c, &o)
	return c
}

func uninstallCommand() *cobra.Command {
	var o kernelspec.Options
	c := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove what 'gonb-cope install' installed",
		Long: "Remove the kernelspec that 'gonb-cope install' wrote with the same flags. The colours of cells are removed with " +
			"the last kernelspec.",
		Args: none,
		RunE: func(*cobra.Command, []string) error {
			if err := onePlace(o); err != nil {
				return err
			}
			dir, err := kernelspec.Uninstall(o)
			if err != nil {
				return err
			}
			fmt.Printf("removed %s\n", dir)
			return nil
		},
	}
	placeFlags(c, &o)
	return c
}

// placeFlags adds the flags that say which installation is meant.
func placeFlags(c *cobra.Command, o *kernelspec.Options) {
	f := c.Flags()
	f.BoolVar(&o.User, "user", false, "in your own folder of Jupyter, JUPYTER_DATA_DIR (the default)")
	f.StringVar(&o.Prefix, "prefix", "", "in PREFIX/share/jupyter")
	f.StringVar(&o.Name, "name", kernelspec.DefaultName, "name by which notebooks ask for the kernel")
}

// onePlace refuses two places at once.
func onePlace(o kernelspec.Options) error {
	if o.User && o.Prefix != "" {
		return usageError{fmt.Errorf("--user and --prefix %s exclude each other", o.Prefix)}
	}
	return nil
}

func install(o kernelspec.Options) error {
	o.Version, o.Words = buildOf().version, words()
	done, err := kernelspec.Install(o)
	if err != nil {
		return err
	}
	fmt.Printf("kernel     %s\n           in %s\n", kernelspec.DisplayName, done.Dir)
	if done.Copied {
		fmt.Printf("starts     %s,\n           a copy, since this program is in a temporary folder; install again after changes\n",
			done.Executable)
	} else {
		fmt.Printf("starts     %s\n", done.Executable)
	}
	fmt.Printf("colours    %s\n", done.LabExtension)
	fmt.Println("next       gonb-cope doctor --build, so that the first Go cell is quick")
	return nil
}

// words returns the names of the language that get a colour, from the catalogue.
func words() kernelspec.Words {
	var w kernelspec.Words
	for _, f := range dsl.Functions() {
		if f.Section == dsl.SectionKernels {
			w.Kernels = append(w.Kernels, f.Name)
		} else {
			w.Functions = append(w.Functions, f.Name)
		}
	}
	return w
}
