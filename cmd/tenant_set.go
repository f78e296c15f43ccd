package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"storefront/db"
	"storefront/shop"
	"storefront/tenants"
)

// maxSettingBytes limits the size of the file of KEY=@FILE.
const maxSettingBytes = 1 << 20

func newTenantSetCommand(a *app) *cobra.Command {
	many := manyShops{change: "change settings of"}
	cmd := &cobra.Command{
		Use:   "set {UID… | --all} KEY=VALUE…",
		Short: "Change settings of shops",
		Long: `Change settings of a shop or of several. If any value is invalid for a shop, nothing is changed there.

A value is parsed as JSON if it is valid JSON for the setting's type, and is plain text otherwise. null
restores the default. KEY=@FILE reads the value from a file, KEY=@- from the standard input. Amounts
are in minor units: 7000 is 70.00.

Settings:
` + wrap(strings.Join(settingNames(), ", "), 100) + `.
docs/settings.md describes them.`,
		Example: `  storefront tenant set acme name="Acme Dhaka" autoConfirm=true
  storefront tenant set acme 'deliveryCharges=[{"name": "Inside Dhaka", "charge": 7000, "areas": ["Dhaka"]}]'
  storefront tenant set acme 'origins=["https://acme.example"]' storefrontUrl=https://acme.example
  storefront tenant set acme 'domains=["shop.acme.example"]'
  storefront tenant set acme legalPolicies=@policies.json
  storefront tenant set --all 'site={"announcement": "Closed on 16 December"}' --yes`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 && !many.all {
				return a.completeUID(cmd, args, typed)
			}
			var keys []string
			for _, name := range settingNames() {
				keys = append(keys, name+"=")
			}
			return keys, cobra.ShellCompDirectiveNoSpace
		},
		Args: func(cmd *cobra.Command, args []string) error {
			uids, assignments := splitAssignments(args)
			if last := len(uids) - 1; last > 0 && len(assignments) == 0 {
				_, _, err := a.readAssignment(uids[last])
				return err
			}
			if len(assignments) == 0 {
				return arguments{{name: shopArgument}, {name: "KEY=VALUE"}}.missing(cmd)
			}
			return many.checkUIDs(cmd, uids)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			uids, assignments := splitAssignments(args)
			changes := make(map[string]json.RawMessage, len(assignments))
			for _, assignment := range assignments {
				name, value, err := a.readAssignment(assignment)
				if err != nil {
					return err
				}
				if _, twice := changes[name]; twice {
					return &usageError{err: fmt.Errorf("%s is set twice", name), command: cmd.CommandPath()}
				}
				changes[name] = settingValue(name, value)
			}
			return a.setSettings(cmd, &many, uids, changes)
		},
	}
	many.flags(cmd)
	return cmd
}

// splitAssignments returns the UIDs at the beginning of arguments, and the rest.
func splitAssignments(args []string) (uids, assignments []string) {
	at := slices.IndexFunc(args, func(arg string) bool { return strings.Contains(arg, "=") || !db.ID(arg).IsValid() })
	if at < 0 {
		return args, nil
	}
	return args[:at], args[at:]
}

// setSettings changes settings of shops. It prints all settings of a single one.
func (a *app) setSettings(cmd *cobra.Command, many *manyShops, uids []string, changes map[string]json.RawMessage) error {
	ctx := cmd.Context()
	return a.withShops(cmd, many, uids, func(t *tenants.Tenants, uids []string) error {
		results, err := eachShop(ctx, a, "changing", uids, func(uid string) (shopView, error) {
			if _, err := t.SetSettings(ctx, a.caller(), uid, changes, nil); err != nil {
				return shopView{}, err
			}
			return viewShop(ctx, t, uid)
		})
		if err != nil {
			return err
		}
		if many.areMany(uids) {
			return printShops(a, true, results, "changed", func(w *table, v shopView) { fmt.Fprintf(w, "Settings of %s changed.\n", v.UID) })
		}
		s, err := t.FindIncludingSuspended(ctx, uids[0])
		if err != nil {
			return err
		}
		return a.printShop(ctx, s, "Settings changed.")
	})
}

// readAssignment parses KEY=VALUE. It reads the value of KEY=@FILE from the file, and of KEY=@-
// from the standard input.
func (a *app) readAssignment(assignment string) (name, value string, err error) {
	name, value, ok := strings.Cut(assignment, "=")
	if !ok || name == "" {
		return "", "", &usageError{err: fmt.Errorf("%s must have the form KEY=VALUE", printable(assignment)), command: "storefront tenant set"}
	}
	path, isFile := strings.CutPrefix(value, "@")
	if !isFile {
		return name, value, nil
	}
	source := a.Stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return "", "", fmt.Errorf("setting %s: %w", name, err)
		}
		defer file.Close()
		source = file
	}
	content, err := io.ReadAll(io.LimitReader(source, maxSettingBytes+1))
	if err != nil {
		return "", "", fmt.Errorf("setting %s: %w", name, err)
	}
	if len(content) > maxSettingBytes {
		return "", "", fmt.Errorf("setting %s: %w", name, errors.New("the file must not be larger than 1 MiB"))
	}
	return name, strings.TrimSpace(string(content)), nil
}

// readPairs returns the values of KEY=VALUE arguments by key. Errors call the arguments what.
func (a *app) readPairs(pairs []string, what, command string) (map[string]string, error) {
	values := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		if !strings.Contains(pair, "=") { // not quoted, because it may be a secret
			return nil, &usageError{err: errors.New(what + " must have the form KEY=VALUE"), command: command}
		}
		key, value, err := a.readAssignment(pair)
		if err != nil {
			return nil, err
		}
		values[key] = value
	}
	return values, nil
}

// settingValue returns text unchanged if it is valid JSON for the setting's type, or looks like the
// list or object that the type requires. Otherwise, and for an unknown setting, it returns text as
// a JSON string. The domain validates both.
func settingValue(name, text string) json.RawMessage {
	for field := range reflect.TypeFor[shop.Settings]().Fields() {
		if settingName(field) != name {
			continue
		}
		typ := field.Type
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		isList := typ.Kind() == reflect.Slice && strings.HasPrefix(text, "[")
		isObject := typ.Kind() == reflect.Struct && strings.HasPrefix(text, "{")
		if isList || isObject || json.Unmarshal([]byte(text), reflect.New(field.Type).Interface()) == nil {
			return json.RawMessage(text)
		}
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return quoted
}

func settingName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

func settingNames() []string {
	var names []string
	for field := range reflect.TypeFor[shop.Settings]().Fields() {
		names = append(names, settingName(field))
	}
	return names
}

type settingRow struct{ name, value string }

// settingRows returns the settings in their order, each in the form that tenant set accepts. ""
// stands for the default.
func settingRows(settings *shop.Settings) ([]settingRow, error) {
	var rows []settingRow
	value := reflect.ValueOf(*settings)
	for i, name := range settingNames() {
		field := value.Field(i)
		switch {
		case field.IsZero() && field.Kind() != reflect.Bool:
			rows = append(rows, settingRow{name, ""})
			continue
		case field.Kind() == reflect.String:
			rows = append(rows, settingRow{name, field.String()})
			continue
		}
		var text strings.Builder
		if err := encode(&text, field.Interface(), ""); err != nil {
			return nil, fmt.Errorf("setting %s: %w", name, err)
		}
		rows = append(rows, settingRow{name, strings.TrimSuffix(text.String(), "\n")})
	}
	return rows, nil
}

// wrap breaks text at spaces into lines of at most width bytes.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
