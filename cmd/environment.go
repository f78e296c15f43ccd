package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const environmentPrefix = "STOREFRONT_"

// variables lists the flags whose environment variable is not derived from the flag's name.
var variables = map[string]string{
	"public-url": "STOREFRONT_API_PUBLIC_URL",
}

// variable returns the environment variable of a flag: STOREFRONT_MAX_OPEN_TENANTS for --max-open-tenants.
func variable(flag string) string {
	if name, ok := variables[flag]; ok {
		return name
	}
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// bound reports whether a flag has a variable: all flags but --help.
func bound(f *pflag.Flag) bool { return f.Name != "help" }

// applyEnvironment sets the flags of cmd that are not on the command line from their variables.
func (a *app) applyEnvironment(cmd *cobra.Command) error {
	var failed error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if failed != nil || f.Changed || !bound(f) {
			return
		}
		value, ok := a.LookupEnv(variable(f.Name))
		if !ok || value == "" {
			return
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			failed = fmt.Errorf("%s: %w", variable(f.Name), err)
		}
	})
	return failed
}

// describeEnvironment appends each flag's variable to its usage text.
func describeEnvironment(cmd *cobra.Command) {
	describe := func(f *pflag.Flag) {
		if bound(f) {
			f.Usage += " [$" + variable(f.Name) + "]"
		}
	}
	cmd.PersistentFlags().VisitAll(describe)
	cmd.LocalNonPersistentFlags().VisitAll(describe)
	for _, sub := range cmd.Commands() {
		describeEnvironment(sub)
	}
}
