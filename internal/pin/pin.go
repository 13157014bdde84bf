package pin
import (
 _ "gonum.org/v1/gonum/mat"
 _ "gonum.org/v1/gonum/stat/distuv"
 _ "gonum.org/v1/plot"
 _ "gonum.org/v1/plot/vg/vgsvg"
 _ "gonum.org/v1/plot/vg/vgpdf"
 _ "gonum.org/v1/plot/vg/vgimg"
 _ "gonum.org/v1/plot/plotter"
 _ "github.com/expr-lang/expr"
 _ "github.com/expr-lang/expr/parser"
 _ "github.com/spf13/cobra"
 _ "github.com/jedib0t/go-pretty/v6/table"
 _ "github.com/schollz/progressbar/v3"
 _ "github.com/google/go-cmp/cmp"
 _ "pgregory.net/rapid"
 _ "github.com/rogpeppe/go-internal/testscript"
)
