package main

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// folderName returns a name that every file system takes. Where that is not the text itself, part of a
// hash of the text ends it, so that two tasks such as a/b and a_b share no folder.
func folderName(text string) string {
	out := strings.Map(func(c rune) rune {
		if c < ' ' || strings.ContainsRune(`/\:"*?<>|`, c) {
			return '_'
		}
		return c
	}, text)
	if out == text {
		return out
	}
	hash := sha256.Sum256([]byte(text))
	return out + "-" + hex.EncodeToString(hash[:4])
}
