package cmd

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Environment variables set properties of an installation: the data folder, its server and its
// providers. The input of a single command is on its command line alone, so that no variable
// confirms anything.

const environmentPrefix = "STOREFRONT_"

// keyVariable has no flag, because other users of the machine can read a process's arguments.
const keyVariable = environmentPrefix + "KEY"

// variables lists the flags with an environment variable that is not derived from the flag's name.
var variables = map[string]string{
	"public-url": "STOREFRONT_API_PUBLIC_URL",
}

// variable returns the environment variable of a flag: STOREFRONT_MAX_OPEN_TENANTS for
// --max-open-tenants.
func variable(flag string) string {
	if name, ok := variables[flag]; ok {
		return name
	}
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// variableAnnotation marks the flags that have an environment variable.
const variableAnnotation = "storefront_variable"

// bindEnvironment adds environment variables to the named flags, or to all flags if there are no
// names, and appends these variables to the usage texts.
func bindEnvironment(flags *pflag.FlagSet, names ...string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if len(names) > 0 && !slices.Contains(names, f.Name) {
			return
		}
		cobra.CheckErr(flags.SetAnnotation(f.Name, variableAnnotation, []string{variable(f.Name)}))
		f.Usage += " [$" + variable(f.Name) + "]"
	})
}

// addPublicURL adds --public-url to a command other than serve.
func (a *app) addPublicURL(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVar(&a.publicURL, "public-url", "", usage)
	bindEnvironment(cmd.Flags(), "public-url")
}

// applyEnvironment sets the flags of cmd that are not on the command line from their variables.
func (a *app) applyEnvironment(cmd *cobra.Command) error {
	var failed error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if failed != nil || f.Changed || f.Annotations[variableAnnotation] == nil {
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

// serviceVariable matches the variables that Kubernetes sets in every container for a service named
// storefront.
var serviceVariable = regexp.MustCompile(`^STOREFRONT_(SERVICE_(HOST|PORT)|PORT)(_|$)`)

// unknownVariables returns the names that look like variables of this program, but are read by no
// command below root.
func unknownVariables(root *cobra.Command, names []string) []string {
	known := map[string]bool{keyVariable: true, tenantVariable: true}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		collect := func(f *pflag.Flag) {
			if f.Annotations[variableAnnotation] != nil {
				known[variable(f.Name)] = true
			}
		}
		cmd.Flags().VisitAll(collect)
		cmd.PersistentFlags().VisitAll(collect)
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
	unknown := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !strings.HasPrefix(name, environmentPrefix) || known[name] || serviceVariable.MatchString(name)
	})
	slices.Sort(unknown)
	return slices.Compact(unknown)
}

// environmentNames returns the names of the environment variables.
func (p Program) environmentNames() []string {
	names := make([]string, 0, len(p.Environ))
	for _, assignment := range p.Environ {
		name, _, _ := strings.Cut(assignment, "=")
		names = append(names, name)
	}
	return names
}

// warnUnknown prints a warning about each unknown variable.
func warnUnknown(w io.Writer, unknown []string) {
	for _, name := range unknown {
		fmt.Fprintf(w, "storefront: warning: environment variable %s is unknown and has no effect\n", printable(name))
	}
}
