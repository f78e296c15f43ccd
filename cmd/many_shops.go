package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop/fault"
	"storefront/tenants"
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

// manyShops are the shops of a command line: UIDs, or all shops.
type manyShops struct {
	all, yes bool
	change   string // what the command does to shops, such as "suspend"; "" if it only reads
}

// flags adds the flags that select all shops, and confirm a change of them.
func (m *manyShops) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&m.all, "all", false, "select all shops; a failure of one does not affect the others")
	if m.change != "" {
		cmd.Flags().BoolVar(&m.yes, "yes", false, "confirm the change of all shops")
	}
}

// completeUIDs completes any number of UIDs.
func (a *app) completeUIDs(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	left := slices.DeleteFunc(a.uids(cmd), func(uid string) bool { return slices.Contains(args, uid) })
	return left, cobra.ShellCompDirectiveNoFileComp
}

// checkUIDs validates the arguments of a command that has only UIDs.
func (m *manyShops) checkUIDs(cmd *cobra.Command, args []string) error {
	if m.all && len(args) > 0 {
		return fmt.Errorf("--all cannot be combined with the UID %q: %s", args[0], usageLine(cmd))
	}
	return nil
}

// withShops runs fn with the UIDs of the selected shops, which exist. An omitted UID is as in
// [app.withDefaultShop]. A change of all shops must be confirmed.
func (a *app) withShops(cmd *cobra.Command, m *manyShops, given []string, fn func(t *tenants.Tenants, uids []string) error) error {
	if !m.all && len(given) == 0 {
		var err error
		if given, err = a.withDefaultShop(cmd, arguments{{name: shopArgument}}, nil); err != nil {
			return err
		}
	}
	return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
		uids, err := m.find(cmd.Context(), a, t, given)
		if err != nil {
			return err
		}
		return fn(t, uids)
	})
}

// find returns the UIDs of the selected shops.
func (m *manyShops) find(ctx context.Context, a *app, t *tenants.Tenants, given []string) ([]string, error) {
	if !m.all && len(given) == 1 { // the command reports an unknown one
		return given, nil
	}
	known, err := t.UIDs(ctx)
	if err != nil {
		return nil, err
	}
	if m.all {
		return known, m.confirm(known)
	}
	var uids []string
	for _, uid := range given {
		if _, found := slices.BinarySearch(known, uid); !found {
			return nil, withHint(fault.Errorf(fault.CodeTenantNotFound, "No shop has the UID %s. Nothing was done.", printable(uid)),
				"list the shops with %s", a.command("tenant list"))
		}
		if !slices.Contains(uids, uid) {
			uids = append(uids, uid)
		}
	}
	return uids, nil
}

// confirm returns an error that shows the selected shops, unless the change is confirmed.
func (m *manyShops) confirm(uids []string) error {
	if m.change == "" || m.yes || len(uids) == 0 {
		return nil
	}
	return withHint(fmt.Errorf("this would %s shops: %d%s", m.change, len(uids), firstNames(uids)), "add --yes to confirm; nothing was changed")
}

// shopResults are the results of a command for shops.
type shopResults[T any] struct {
	Shops  []T          `json:"shops"`
	Failed []failedShop `json:"failed"`
}

// eachShop runs do for each shop and shows the progress. The failure of one shop does not stop the
// others. The error of the only shop is returned.
func eachShop[T any](
	ctx context.Context, a *app, description string, uids []string, do func(uid string) (T, error),
) (*shopResults[T], error) {
	results := shopResults[T]{Shops: []T{}, Failed: []failedShop{}}
	var bar progress
	if len(uids) > 1 {
		bar = a.progress(description)
	}
	defer bar.end()
	for i, uid := range uids {
		done, err := do(uid)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && len(uids) == 1:
			return nil, err
		case err != nil:
			results.Failed = append(results.Failed, failedShop{uid, message(err)})
		default:
			results.Shops = append(results.Shops, done)
		}
		bar.set(i+1, len(uids))
	}
	return &results, nil
}

// failure returns an error with the number of shops for which something was not done, nil if there
// are none.
func (r *shopResults[T]) failure(what string) error {
	if n := len(r.Failed); n > 0 {
		return fmt.Errorf("shops not %s: %d of %d", what, n, n+len(r.Shops))
	}
	return nil
}

// areMany reports whether a command that was given these UIDs prints a list of results.
func (m *manyShops) areMany(uids []string) bool { return m.all || len(uids) > 1 }

// printShops prints the results by write, and the failures. what is what was done to the shops.
// Unless many is set, the JSON form is the only result.
func printShops[T any](a *app, many bool, r *shopResults[T], what string, write func(w *table, result T)) error {
	var printed any = r
	if !many {
		printed = r.Shops[0]
	}
	err := a.print(printed, func(w *table) {
		for _, result := range r.Shops {
			write(w, result)
		}
		printFailedShops(w, r.Failed)
		if len(r.Shops)+len(r.Failed) == 0 {
			fmt.Fprintln(w, "No shops.")
		}
	})
	return errors.Join(err, r.failure(what))
}
