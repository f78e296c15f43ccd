package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/plugin"
	"storefront/tenants"
)

func newTenantCommand(a *app) *cobra.Command {
	return newGroupCommand("tenant", "Create, configure and delete shops",
		newTenantCreateCommand(a),
		newTenantListCommand(a),
		newTenantShowCommand(a),
		newTenantSetCommand(a),
		newTenantModeCommand(a),
		newTenantSuspendCommand(a),
		newTenantResumeCommand(a),
		newTenantDeleteCommand(a),
		newTenantExportCommand(a),
		newTenantImportCommand(a),
		newTenantMoveCommand(a),
	)
}

func newTenantCreateCommand(a *app) *cobra.Command {
	var name, currency, country, locale, from, owner, ownerName, in string
	cmd := &cobra.Command{
		Use:   "create UID --name NAME | --from FILE.csv",
		Short: "Create a shop, or the shops in a file",
		Long: `Create a shop. Its UID identifies it in every request (header x-tenant) and is the name of its file:
3 to 40 lower-case letters, digits and hyphens.

With --owner, also invite the owner, and print the link with which the owner sets a password for the dashboard.

With --from, create the shops of a CSV file with the columns uid and name, and optionally currency,
country and locale. The flags are the defaults of these columns. Every row is checked before the first
shop is created.`,
		Example: `  storefront tenant create acme --name "Acme Dhaka"
  storefront tenant create paris --name Paris --currency EUR --country FR --locale fr-FR
  storefront tenant create acme --name "Acme Dhaka" --owner rina@example.com --owner-name "Rina Akter"
  storefront tenant create --from shops.csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if from == "" {
				return exactArguments(cmd, args)
			}
			if len(args) > 0 || name != "" {
				return errors.New("--from cannot be combined with a UID or --name")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			place, err := a.parsePlace(in)
			if err != nil {
				return err
			}
			ctx := tenants.WithPlace(cmd.Context(), place)
			if from != "" {
				return a.createShops(ctx, from, map[string]string{"name": "", "currency": currency, "country": country, "locale": locale})
			}
			uid := args[0]
			settings, err := rawSettings(map[string]any{
				"name": name, "currency": currency, "country": country, "locale": locale,
			})
			if err != nil {
				return err
			}
			return a.withNewTenants(cmd.Context(), func(t *tenants.Tenants) error {
				s, err := t.Create(ctx, uid, settings)
				if err != nil {
					return err
				}
				if owner != "" {
					return a.inviteOwner(cmd.Context(), s, owner, ownerName)
				}
				return a.printShop(cmd.Context(), s, fmt.Sprintf(
					"Created the shop %s. Next: %s", uid, a.command("product import "+uid+" FILE.csv")))
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "shop name for buyers")
	flags.StringVar(&currency, "currency", "BDT", "ISO 4217 code; cannot be changed once the shop has products")
	flags.StringVar(&country, "country", "BD", "two-letter ISO 3166 code; determines how phone numbers are parsed")
	flags.StringVar(&locale, "locale", "", "language tag, such as en-BD")
	flags.StringVar(&owner, "owner", "", "e-mail address or phone number of the owner, who gets a link to sign in")
	a.addPublicURL(cmd, "public URL of the server, for the owner's link (default: the running server's)")
	flags.StringVar(&ownerName, "owner-name", "", "name of the owner (default the value of --owner)")
	flags.StringVar(&from, "from", "", "CSV file of shops to create")
	flags.StringVar(&in, "in", "", placeUsage)
	cmd.MarkFlagsOneRequired("name", "from")
	return cmd
}

func rawSettings(values map[string]any) (map[string]json.RawMessage, error) {
	raw := make(map[string]json.RawMessage, len(values))
	for name, value := range values {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", name, err)
		}
		raw[name] = text
	}
	return raw, nil
}

func newTenantListCommand(a *app) *cobra.Command {
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List all shops",
		Example: `  storefront tenant list --json
  storefront tenant list --format uid`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				list, err := t.List(cmd.Context())
				if err != nil {
					return err
				}
				uid := func(s *tenants.Summary) string { return s.UID }
				return printList(a, format, list, list, uid, func(w *table) { printSummaries(w, list) })
			})
		},
	}
	a.addFormat(cmd, &format, "shop UIDs")
	return cmd
}

func printSummaries(w *table, list []tenants.Summary) {
	if len(list) == 0 {
		fmt.Fprintln(w, "No shops.")
		return
	}
	columns := []string{"UID", "NAME…", "[CURRENCY]", "[COUNTRY]", "MODE", "STATE…"}
	mixed := slices.ContainsFunc(list, func(s tenants.Summary) bool { return s.Place != tenants.InFiles })
	if mixed {
		columns = append(columns, "IN")
	}
	heading(w, columns...)
	for _, s := range list {
		state := "open"
		switch {
		case s.Problem != nil:
			state = *s.Problem
		case s.Suspended:
			state = "suspended"
		}
		cells := []any{s.UID, s.Name, s.Currency, s.Country, s.ActiveMode, colour(state)}
		if mixed {
			cells = append(cells, s.Place)
		}
		row(w, cells...)
	}
}

func newTenantShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show UID",
		Short:             "Show a shop's settings",
		Example:           "  storefront tenant show acme --json",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.printShop(cmd.Context(), s, "")
			})
		},
	}
}

// shopView is the JSON form of a shop.
type shopView struct {
	UID string `json:"uid"`
	shop.Settings
}

// newShopView returns the settings in the form of the Admin API: suspended means closed to buyers.
func newShopView(uid string, settings *shop.Settings) shopView {
	view := shopView{UID: uid, Settings: *settings}
	view.Suspended = settings.IsClosed()
	return view
}

// printShop prints a shop's settings. Without --json, headline comes first unless it is "".
func (a *app) printShop(ctx context.Context, s *shop.Shop, headline string) error {
	settings, err := s.Settings(ctx)
	if err != nil {
		return err
	}
	rows, err := settingRows(settings)
	if err != nil {
		return err
	}
	return a.print(newShopView(s.UID(), settings), func(w *table) {
		if headline != "" {
			fmt.Fprintln(w, headline)
			fmt.Fprintln(w)
		}
		heading(w, "SETTING", "VALUE…")
		for _, r := range rows {
			row(w, r.name, shortened(r.value))
		}
	})
}

func newTenantModeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "mode UID sandbox|live",
		Short: "Switch a shop's providers to sandbox or live mode",
		Long: `Switch a shop's providers to live mode, or to sandbox mode, which uses the test environments of couriers
and gateways and marks new orders as tests.`,
		Example: "  storefront tenant mode acme sandbox",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return []string{string(plugin.Sandbox), string(plugin.Live)}, cobra.ShellCompDirectiveNoFileComp
			}
			return a.completeUID(cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			uid, mode := args[0], plugin.Mode(args[1])
			return a.changeShop(cmd.Context(), uid, fmt.Sprintf("%s is in %s mode.", uid, mode), func(t *tenants.Tenants) error {
				return t.SetMode(cmd.Context(), a.caller(), uid, mode)
			})
		},
	}
}

func newTenantSuspendCommand(a *app) *cobra.Command {
	var as shop.Suspension
	cmd := &cobra.Command{
		Use:   "suspend UID",
		Short: "Suspend a shop for buyers; webhooks are still processed",
		Long: "Suspend a shop for buyers. Staff work as usual and webhooks are still processed, but only \"tenant resume\"\n" +
			"opens the shop again: its owner cannot. That its staff have closed the shop is a state beside it.",
		Example:           `  storefront tenant suspend acme --reason "The invoice of May is unpaid." --text "We will be back soon."`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeShop(cmd.Context(), args[0], args[0]+" is suspended.", func(t *tenants.Tenants) error {
				return t.Suspend(cmd.Context(), a.caller(), args[0], as)
			})
		},
	}
	cmd.Flags().StringVar(&as.Reason, "reason", "", "reason, which staff members read")
	cmd.Flags().StringVar(&as.Text, "text", "", "text for buyers (default: the shop is temporarily closed)")
	return cmd
}

func newTenantResumeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "resume UID",
		Short:             "Open a suspended or closed shop again",
		Example:           "  storefront tenant resume acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeShop(cmd.Context(), args[0], args[0]+" is open.", func(t *tenants.Tenants) error {
				return t.Resume(cmd.Context(), a.caller(), args[0])
			})
		},
	}
}

// changeShop runs change and prints done or, with --json, the changed shop.
func (a *app) changeShop(ctx context.Context, uid, done string, change func(t *tenants.Tenants) error) error {
	return a.withTenants(ctx, func(t *tenants.Tenants) error {
		if err := change(t); err != nil {
			return err
		}
		s, err := t.FindIncludingSuspended(ctx, uid)
		if err != nil {
			return err
		}
		settings, err := s.Settings(ctx)
		if err != nil {
			return err
		}
		view := newShopView(uid, settings)
		if view.Suspended && view.Suspension == nil {
			done = uid + " is closed by its staff."
		}
		return a.print(view, func(w *table) { fmt.Fprintln(w, done) })
	})
}

func newTenantDeleteCommand(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete UID --yes",
		Short: "Delete a shop by moving it to the trash",
		Long: "Delete a shop by moving its file, with all its data, to the folder trash of the data folder.\n" +
			"It can be restored from there.",
		Example:           "  storefront tenant delete acme --yes",
		Annotations:       map[string]string{namedShopAnnotation: "true"},
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			uid := args[0]
			if !yes {
				return withHint(errors.New("confirm with --yes: this deletes the shop "+printable(uid)+" with its orders and customers"),
					"run %s", a.command("tenant delete "+printable(uid)+" --yes"))
			}
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				if err := t.Delete(cmd.Context(), uid); err != nil {
					return err
				}
				return a.print(map[string]string{"deleted": uid}, func(w *table) {
					fmt.Fprintf(w, "Moved the shop %s to the folder trash in %s.\n", uid, a.dataDir)
				})
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "confirm the deletion")
	return cmd
}
