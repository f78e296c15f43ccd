package cmd

import (
	"io"
	"os"

	"golang.org/x/term"
)

// screen is the device that shows the standard output. The zero screen is not a terminal.
type screen struct {
	width    int // in columns; 0 means any
	coloured bool
}

// screen returns the screen of the standard output. It is not coloured if NO_COLOR is set (see
// no-color.org), or if the terminal does not support colours.
func (a *app) screen() screen {
	f, ok := a.Stdout.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return screen{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	noColour, _ := a.LookupEnv("NO_COLOR")
	kind, _ := a.LookupEnv("TERM")
	return screen{width: width, coloured: noColour == "" && kind != "dumb" && enableColour(f)}
}

// terminal reports whether w is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
