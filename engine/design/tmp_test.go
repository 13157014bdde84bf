package design
import ("testing";"time";"os";"strconv";"syscall")
func cpu() float64 { var u syscall.Rusage; syscall.Getrusage(0,&u); return float64(u.Utime.Sec+u.Stime.Sec)+1e-6*float64(u.Utime.Usec+u.Stime.Usec)}
func TestTmp(t *testing.T) {
	n,_ := strconv.Atoi(os.Getenv("N")); xi,_ := strconv.ParseFloat(os.Getenv("XI"),64); tol,_:=strconv.ParseFloat(os.Getenv("TOL"),64); rho,_ := strconv.ParseFloat(os.Getenv("RHO"),64); side,_:=strconv.ParseFloat(os.Getenv("SIDE"),64)
	k := smoothArms(5, n/5, side, 1)
	c0 := cpu()
	for _, r := range []float64{1e-2,1e-3} { f := factored(n,k,r); t.Log(r, len(f.Arms)) }
	t.Log("factor", cpu()-c0); c0=cpu()
	p := factored(n, k, rho*xi); p.Ridge = xi
	t.Log("factor", len(p.Arms), cpu()-c0); c0=cpu()
	st := time.Now()
	d, err := MinimaxOnPivots(p, taskGroups(5,n/5), Options{Tolerance: tol})
	t.Log(d.Value, d.Reached, d.Lower, d.DualityGap(), d.Status, d.Iterations, err, "cpu", cpu()-c0, time.Since(st)); c0=cpu()
	if os.Getenv("FULL") != "" {
	dd, err := Minimax(p.Space, taskGroups(5,n/5), Options{Tolerance: tol})
	t.Log(dd.Value, dd.Lower, dd.Status, dd.Iterations, err, "cpu", cpu()-c0)
	}
}
