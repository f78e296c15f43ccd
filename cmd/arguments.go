package cmd

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/db"
	"storefront/shop/timezone"
	"storefront/tenants"
)

// The arguments of a command are declared by its usage line, in cobra's notation: "show UID ORDER",
// "export UID [FILE]", "set UID KEY=VALUE…". They precede the flags.

// shopArgument is the name of the argument that may be left out; see [app.withDefaultShop].
const shopArgument = "UID"

// tenantVariable contains the default shop of commands.
const tenantVariable = environmentPrefix + "TENANT"

// namedShopAnnotation marks a command that requires a UID.
const namedShopAnnotation = "storefront_named_shop"

// argumentTexts lists how messages call arguments. Others are called by their own name.
var argumentTexts = map[string]string{
	shopArgument: "a shop", "ORDER": "an order", "PRODUCT": "a product", "COLLECTION": "a collection", "CODE": "a coupon's code",
	"VARIANT": "a variant", "CUSTOMER": "a customer", "PAYMENT": "a payment", "PROVIDER": "a provider", "USER": "a staff member", "JOB": "a job",
	"FILE": "a file", "FILE.csv": "a CSV file", "PHONE": "a phone number", "ADDRESS": "an e-mail address", "EVENT": "an event",
	"OPERATION": "an operation",
}

// argument is a positional argument of a command.
type argument struct {
	name               string
	optional, repeated bool
}

func (p argument) text() string {
	if text, ok := argumentTexts[p.name]; ok {
		return text
	}
	return p.name
}

// arguments are the positional arguments of a command in their order.
type arguments []argument

// parseArguments returns the arguments of a usage line.
func parseArguments(use string) (args arguments) {
	for _, word := range strings.Fields(use)[1:] {
		name := strings.TrimSuffix(strings.TrimPrefix(word, "["), "]")
		if strings.HasPrefix(name, "-") || strings.ContainsAny(name[:1], "{|") {
			break
		}
		text, repeated := strings.CutSuffix(name, "…")
		args = append(args, argument{name: text, optional: name != word, repeated: repeated})
	}
	return args
}

// count returns the least and the largest number of arguments; a largest number of -1 means any.
func (p arguments) count() (least, most int) {
	most = len(p)
	for _, arg := range p {
		if !arg.optional {
			least++
		}
		if arg.repeated {
			most = -1
		}
	}
	return least, most
}

func (p arguments) beginWithShop() bool {
	return len(p) > 0 && p[0] == argument{name: shopArgument}
}

// completeCommands derives the validation of arguments from the usage lines, for commands below
// root without a validation of their own.
func (a *app) completeCommands(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		a.completeCommands(cmd)
		if cmd.Args != nil || cmd.RunE == nil {
			continue
		}
		args := parseArguments(cmd.Use)
		mayOmitShop := args.beginWithShop() && cmd.Annotations[namedShopAnnotation] == ""
		cmd.Args = func(cmd *cobra.Command, given []string) error { return args.check(cmd, given, mayOmitShop) }
		if run := cmd.RunE; mayOmitShop {
			cmd.RunE = func(cmd *cobra.Command, given []string) error {
				given, err := a.withDefaultShop(cmd, args, given)
				if err != nil {
					return err
				}
				return run(cmd, given)
			}
		}
	}
}

// exactArguments validates the arguments of a command without optional ones.
func exactArguments(cmd *cobra.Command, given []string) error {
	return parseArguments(cmd.Use).check(cmd, given, false)
}

// validate is the validation of a command for which a shop that is left out is not the only one.
func (p arguments) validate(cmd *cobra.Command, given []string) error {
	return p.check(cmd, given, false)
}

// check validates the number of arguments. mayOmitShop permits one less.
func (p arguments) check(cmd *cobra.Command, given []string, mayOmitShop bool) error {
	least, most := p.count()
	if mayOmitShop {
		least--
	}
	if len(given) < least {
		return p.missing(cmd)
	}
	if most >= 0 && len(given) > most {
		return fmt.Errorf("unexpected argument %q: %s", given[most], usageLine(cmd))
	}
	return nil
}

// missing returns the error for a command line without the required arguments.
func (p arguments) missing(cmd *cobra.Command) error {
	var texts []string
	for _, arg := range p {
		if !arg.optional {
			texts = append(texts, arg.text())
		}
	}
	last := len(texts) - 1
	text := texts[last]
	if last > 0 {
		text = strings.Join(texts[:last], ", ") + " and " + text
	}
	name := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	return fmt.Errorf("%s needs %s: %s", name, text, usageLine(cmd))
}

// usageLine returns the usage line of a command with the names of its parents.
func usageLine(cmd *cobra.Command) string { return cmd.Parent().CommandPath() + " " + cmd.Use }

// withDefaultShop returns the arguments with the shop's UID first. An omitted UID is the one in
// STOREFRONT_TENANT, or the data folder's only shop. If the number of arguments varies, the first
// one is a UID if a shop has it.
func (a *app) withDefaultShop(cmd *cobra.Command, args arguments, given []string) ([]string, error) {
	least, most := args.count()
	if len(given) >= least && (most == least || a.isShop(cmd.Context(), args, given[0])) {
		return given, nil
	}
	uid, ok := a.LookupEnv(tenantVariable)
	if ok && uid != "" {
		return slices.Insert(slices.Clone(given), 0, uid), nil
	}
	if err := a.requireDataDir(); err != nil {
		return nil, err
	}
	uids, err := a.shopUIDs(cmd.Context())
	switch {
	case err != nil:
		return nil, err
	case len(uids) == 1:
		return slices.Insert(slices.Clone(given), 0, uids[0]), nil
	case len(given) >= least:
		return given, nil // with a UID that no shop has
	}
	missing := &usageError{err: args.missing(cmd), command: cmd.CommandPath()}
	if len(uids) == 0 {
		return nil, withHint(missing, "create a shop with %s", a.command("tenant create UID --name NAME"))
	}
	return nil, withHint(missing, "the data folder has several shops (%d), which %s shows; set %s to leave the UID out", len(uids),
		a.command("tenant list"), tenantVariable)
}

// isShop reports whether the first argument of a command is the UID of a shop. Before an optional
// file, it is checked by its form only: a mistyped UID must not become the name of a file.
func (a *app) isShop(ctx context.Context, args arguments, text string) bool {
	if _, err := db.ParseID(text); err != nil {
		return false
	}
	if strings.HasPrefix(args[1].name, "FILE") {
		return true
	}
	uids, err := a.shopUIDs(ctx)
	return err != nil || slices.Contains(uids, text)
}

// shopUIDs returns the UIDs of all shops.
func (a *app) shopUIDs(ctx context.Context) (uids []string, err error) {
	err = a.withTenants(ctx, func(t *tenants.Tenants) (err error) {
		uids, err = t.UIDs(ctx)
		return err
	})
	return uids, err
}

// checkSubcommand returns an error with suggestions for an unknown subcommand.
func checkSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
	suggestions := cmd.SuggestionsFor(args[0])
	if len(suggestions) == 0 {
		return err
	}
	for i, name := range suggestions {
		suggestions[i] = cmd.CommandPath() + " " + name
	}
	return withHint(err, "did you mean %s?", strings.Join(suggestions, " or "))
}

// flagGroup matches cobra's errors about flags that are required, or that exclude each other.
var flagGroup = regexp.MustCompile(`^(required flag|at least one of|if any flags).*?(?:\[|")(.*?)(?:\]|" not)[^\[]*(?:\[(.*?)\])?`)

// checkFlags validates the required flags and the groups of flags. Its errors contain the command.
func checkFlags(cmd *cobra.Command) error {
	err := errors.Join(cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups())
	if err == nil {
		return nil
	}
	match := flagGroup.FindStringSubmatch(err.Error())
	if match == nil {
		return err
	}
	name := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	flags := func(list, word string) string {
		return "--" + strings.Join(strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(`", `, r) }), word+"--")
	}
	switch match[1] {
	case "required flag":
		return fmt.Errorf("%s needs %s", name, flags(match[2], " and "))
	case "at least one of":
		return fmt.Errorf("%s needs %s", name, flags(match[2], " or "))
	}
	return fmt.Errorf("%s cannot be combined; choose one", flags(match[3], " and "))
}

// dayUsage documents the time zone of days.
const dayUsage = "(in the shop's time zone)"

// parseTime parses a day in the shop's time zone, or a time in RFC 3339. It returns nil for "". It
// must be called in [app.withShop].
func (a *app) parseTime(cmd *cobra.Command, flag, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	at, err := timezone.ParseDay(text, a.zone)
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		return nil, &usageError{
			err:     fmt.Errorf("--%s must be a day such as 2026-03-01, or a time such as 2026-03-01T18:00:00+06:00", flag),
			command: cmd.CommandPath(),
		}
	}
	return &at, nil
}
