// Package shell writes lines for a shell.
package shell

import "strings"

// Line is a line of a shell that calls this program.
type Line string

// NewLine returns a line with a command and its argument.
func NewLine(command, argument string) Line {
	return Line("gonb-cope " + command + " " + Quote(argument))
}

// With adds the flag once per non-empty value.
func (l Line) With(flag string, values ...string) Line {
	for _, v := range values {
		if v != "" {
			l += Line(" " + flag + " " + Quote(v))
		}
	}
	return l
}

// On adds a flag if it is set.
func (l Line) On(flag string, on bool) Line {
	if on {
		l += Line(" " + flag)
	}
	return l
}

// Quote quotes an argument if a shell needs it. Double quotes work in cmd.exe, PowerShell and POSIX shells. Only an argument with
// a character that a shell changes inside them gets the single quotes of a POSIX shell.
func Quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+-:,") == "" {
		return s
	}
	if !strings.ContainsAny(s, "\"$`!") && !strings.Contains(s, `\\`) && !strings.HasSuffix(s, `\`) {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
