// Package shell writes command lines.
package shell

import "strings"

// Line is a command line that calls this program.
type Line string

// NewLine returns the line "gonb-cope COMMAND ARGUMENT".
func NewLine(command, argument string) Line {
	return Line("gonb-cope " + command + " " + Quote(argument))
}

// With appends the flag with each value that is not empty.
func (l Line) With(flag string, values ...string) Line {
	for _, v := range values {
		if v != "" {
			l += Line(" " + flag + " " + Quote(v))
		}
	}
	return l
}

// On appends the flag if on is true.
func (l Line) On(flag string, on bool) Line {
	if on {
		l += Line(" " + flag)
	}
	return l
}

// Quote quotes an argument if necessary. It prefers double quotes, which work in cmd.exe, PowerShell and POSIX shells. It
// uses the single quotes of POSIX shells if a character has a special meaning inside double quotes.
func Quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+-:,") == "" {
		return s
	}
	if !strings.ContainsAny(s, "\"$`!") && !strings.Contains(s, `\\`) && !strings.HasSuffix(s, `\`) {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
