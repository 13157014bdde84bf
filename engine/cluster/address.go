package cluster

import (
	"fmt"
	"strings"
)

const lowerCase = "abcdefghijklmnopqrstuvwxyz0123456789-"

// CheckRun reports an id that no run can have: it is 1 to 40 lower-case letters, digits and -, and
// begins with a letter.
func CheckRun(id string) error {
	if len(id) < 1 || len(id) > 40 || id[0] < 'a' || id[0] > 'z' || strings.Trim(id, lowerCase) != "" {
		return fmt.Errorf("the name of a run has 1 to 40 lower-case letters, digits and -, and begins with a letter, got %q", id)
	}
	return nil
}

// CheckFact reports a fact that nobody can publish: its name has 1 to 80 letters, digits and -, its
// round is not negative and its body has at most MaxBody bytes.
func CheckFact(f Fact) error {
	if err := CheckRun(f.Run); err != nil {
		return err
	}
	if err := checkName("fact", f.Name); err != nil {
		return err
	}
	if f.Round < 0 {
		return fmt.Errorf("the round of a fact is 0 or more, got %d at %s", f.Round, f.Address())
	}
	return checkBody(f.Address(), f.Body)
}

// CheckWork reports work that nobody can offer: its id has 1 to 80 letters, digits and -, and its
// body at most MaxBody bytes.
func CheckWork(w Work) error {
	if err := CheckRun(w.Run); err != nil {
		return err
	}
	if err := checkName("piece of work", w.ID); err != nil {
		return err
	}
	return checkBody(w.Run+"/"+w.ID, w.Body)
}

func checkName(what, name string) error {
	if len(name) < 1 || len(name) > 80 || strings.Trim(name, lowerCase+"ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return fmt.Errorf("the name of a %s has 1 to 80 letters, digits and -, got %q", what, name)
	}
	return nil
}

func checkBody(address string, body []byte) error {
	if len(body) > MaxBody {
		return fmt.Errorf("%s has %d bytes, the most is %d: keep it as a file and publish its hash", address, len(body), MaxBody)
	}
	return nil
}
