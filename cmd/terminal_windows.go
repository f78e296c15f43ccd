package cmd

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableColour makes a console interpret escape sequences, and reports whether it does.
func enableColour(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
