package cmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// listFormat is the value of --format, a flag of lists with an identifier in each row.
type listFormat string

const (
	formatTable listFormat = "table"
	formatUID   listFormat = "uid" // identifiers only, one per line
)

// addFormat adds the flag --format to a list command. identifiers describes the output of --format
// uid, in the plural.
func (a *app) addFormat(cmd *cobra.Command, format *listFormat, identifiers string) {
	*format = formatTable
	cmd.Flags().Var(format, "format", fmt.Sprintf("output format: table, or uid for %s only, one per line", identifiers))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format",
		cobra.FixedCompletions([]string{string(formatTable), string(formatUID)}, cobra.ShellCompDirectiveNoFileComp)))
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if a.json && *format == formatUID {
			return &usageError{err: errors.New("--json and --format uid cannot be combined; choose one"), command: cmd.CommandPath()}
		}
		return nil
	}
}

// String, Set and Type implement [pflag.Value].
func (f *listFormat) String() string { return string(*f) }

func (f *listFormat) Set(text string) error {
	switch format := listFormat(text); format {
	case formatTable, formatUID:
		*f = format
		return nil
	}
	return errors.New("must be table or uid")
}

func (*listFormat) Type() string { return "string" }

// printList prints a list in the chosen format: result as JSON with --json, the identifiers of rows
// with --format uid, and otherwise the output of table.
func printList[T any](a *app, format listFormat, result any, rows []T, uid func(row *T) string, table func(w *table)) error {
	if format != formatUID {
		return a.print(result, table)
	}
	for i := range rows {
		if _, err := fmt.Fprintln(a.Stdout, uid(&rows[i])); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	return nil
}
