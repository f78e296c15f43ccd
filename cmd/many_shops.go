package cmd

import (
	"fmt"
	"strings"
)

const (
	// mostProblems limits the problems that a command prints.
	mostProblems = 20
	// mostNames limits the shops that a preview prints.
	mostNames = 5
)

// firstProblems returns the first lines, and the number of the others.
func firstProblems(lines []string) string {
	if more := len(lines) - mostProblems; more > 0 {
		return strings.Join(lines[:mostProblems], "\n") + fmt.Sprintf("\nand %d more", more)
	}
	return strings.Join(lines, "\n")
}

// firstNames returns the first shops in brackets, "" if there are none.
func firstNames(uids []string) string {
	switch more := len(uids) - mostNames; {
	case len(uids) == 0:
		return ""
	case more > 0:
		return fmt.Sprintf(" (%s and %d more)", strings.Join(uids[:mostNames], ", "), more)
	}
	return " (" + strings.Join(uids, ", ") + ")"
}

// printFailedShops prints the first failures, and the number of the others.
func printFailedShops(w *table, failed []failedShop) {
	if len(failed) == 0 {
		return
	}
	lines := make([]string, len(failed))
	for i, f := range failed {
		lines[i] = f.UID + ": " + printable(f.Error)
	}
	fmt.Fprintln(w, firstProblems(lines))
}
