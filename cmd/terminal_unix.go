//go:build !windows

package cmd

import "os"

// enableColour reports whether a terminal shows colours.
func enableColour(*os.File) bool { return true }
