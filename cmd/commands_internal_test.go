package cmd

import (
	goflag "flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var update = goflag.Bool("update", false, "write the list of commands")

// The list of commands and flags is that of the file that compatibility compares with
// earlier releases.
func TestCommands_Recorded(t *testing.T) {
	t.Parallel()
	const file = "testdata/commands.txt"
	var list strings.Builder
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Runnable() {
			fmt.Fprintln(&list, c.CommandPath())
		}
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Name != "help" {
				fmt.Fprintf(&list, "%s --%s %s\n", c.CommandPath(), f.Name, f.Value.Type())
			}
		})
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	root := newRootCommand(&app{})
	walk(root)
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { fmt.Fprintf(&list, "every command: --%s %s\n", f.Name, f.Value.Type()) })
	if *update {
		if err := os.WriteFile(file, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if diff := cmp.Diff(string(want), list.String()); err != nil || diff != "" {
		t.Errorf("got other commands than %s has (-update writes it): %v\n%s", file, err, diff)
	}
}
