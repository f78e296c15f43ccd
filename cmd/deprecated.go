package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// deprecatedName returns command under a former name. The name is absent from help, and its use is
// reported on stderr, so that what scripts read on stdout stays the same. Only a command without
// children and without a PreRun of its own can be passed.
func (a *app) deprecatedName(name string, command *cobra.Command) *cobra.Command {
	current, arguments, _ := strings.Cut(command.Use, " ")
	command.Use = name + " " + arguments
	command.Hidden = true
	command.Long = strings.TrimSpace(fmt.Sprintf("Deprecated: use %q.\n\n%s", current, command.Long))
	command.PreRun = func(cmd *cobra.Command, _ []string) {
		group := strings.TrimPrefix(cmd.Parent().CommandPath(), cmd.Root().Name()+" ")
		fmt.Fprintf(a.Stderr, "storefront: %q is deprecated; use %q\n", group+" "+name, group+" "+current)
	}
	return command
}
