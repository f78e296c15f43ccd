package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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
		newTenantSandboxCommand(a),
	)
}

func newTenantCreateCommand(a *app) *cobra.Command {
	var name, currency, country, locale, owner, ownerName, in string
	var many shopCreation
	cmd := &cobra.Command{
		Use:   "create UID --name NAME | --from FILE.csv",
		Short: "Create a shop, or the shops in a file",
		Long: `Create a shop. Its UID identifies it in every request (header x-tenant) and is the name of its file:
3 to 40 lower-case letters, digits and hyphens.

With --owner, also invite the owner, and print the link with which the owner sets a password for the dashboard.

With --like, the shop receives the settings of a template shop (charges, messages, policies, pages,
limits), its design and its menus; with --with-catalogue also its products, stock, collections, images and
landing pages. It receives nothing of the template's merchant, buyers or staff: no orders, secrets,
contacts, wallets, advertisers, domains or logo.

With --from, create the shops of a CSV file. It has the columns uid and name, and optionally owner (an
e-mail address or phone number), ownerName, domains (separated by spaces) and any setting by the name
that tenant set accepts, such as deliveryCharges. An empty field means the default. Every row is checked
before the first shop is created, and a shop is created completely or not at all. With --skip-existing
the command can be repeated, with more rows or after an interruption.`,
		Example: `  storefront tenant create acme --name "Acme Dhaka"
  storefront tenant create paris --name Paris --currency EUR --country FR --locale fr-FR
  storefront tenant create acme --name "Acme Dhaka" --owner rina@example.com --owner-name "Rina Akter"
  storefront tenant create acme --name "Acme Dhaka" --like template --with-catalogue
  storefront tenant create --from shops.csv --like template --skip-existing --links links.csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if many.file == "" {
				return exactArguments(cmd, args)
			}
			if len(args) > 0 || name != "" || owner != "" || ownerName != "" {
				return errors.New("--from cannot be combined with a UID, --name or --owner: the file has them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			place, err := a.parsePlace(in)
			if err != nil {
				return err
			}
			if many.catalogue && many.template == "" {
				return &usageError{err: errors.New("--with-catalogue needs --like"), command: cmd.CommandPath()}
			}
			ctx := tenants.WithPlace(cmd.Context(), place)
			many.defaults = map[string]string{}
			for flag, value := range map[string]string{"currency": currency, "country": country, "locale": locale} {
				if many.template == "" || cmd.Flags().Changed(flag) { // otherwise the template's
					many.defaults[flag] = value
				}
			}
			if many.file != "" {
				return a.createShops(ctx, many)
			}
			return a.createShop(ctx, args[0], name, owner, ownerName, many)
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
	flags.StringVar(&many.file, "from", "", "CSV file of shops to create")
	flags.StringVar(&many.template, "like", "", "UID of a template shop for settings, design and menus")
	flags.BoolVar(&many.catalogue, "with-catalogue", false, "copy the products, stock, collections, images and landing pages of --like too")
	flags.BoolVar(&many.skipExisting, "skip-existing", false, "leave shops of the file that exist unchanged, and create the others")
	flags.BoolVar(&many.dryRun, "dry-run", false, "check the file and list its shops, but create nothing")
	flags.StringVar(&many.links, "links", "", "new CSV file for the owners' links, readable by its owner only (default: the output)")
	flags.StringVar(&many.plan, "plan", "", "name of the shops' plan, as plan list shows it")
	flags.StringVar(&in, "in", "", placeUsage)
	cmd.MarkFlagsOneRequired("name", "from")
	for _, flag := range []string{"skip-existing", "dry-run", "links"} {
		cmd.MarkFlagsMutuallyExclusive("name", flag)
	}
	return cmd
}

// createShop creates one shop, with the defaults and the template of in.
func (a *app) createShop(ctx context.Context, uid, name, owner, ownerName string, in shopCreation) error {
	values := map[string]any{"name": name}
	for setting, value := range in.defaults {
		values[setting] = value
	}
	settings, err := rawSettings(values)
	if err != nil {
		return err
	}
	rows := []newShopRow{{uid: uid, NewShop: shop.NewShop{Settings: settings}}}
	if owner != "" {
		rows[0].Owner = newOwner(owner, ownerName)
	}
	return a.withNewTenants(ctx, func(t *tenants.Tenants) error {
		if err := in.useTemplate(ctx, t, rows); err != nil {
			return err
		}
		created, err := t.CreateNew(ctx, a.caller(), uid, rows[0].NewShop)
		if err != nil {
			return err
		}
		if owner != "" {
			return a.printOwner(uid, created)
		}
		s, err := t.FindIncludingSuspended(ctx, uid)
		if err != nil {
			return err
		}
		return a.printShop(ctx, s, fmt.Sprintf("Created the shop %s. Next: %s", uid, a.command("product import "+uid+" FILE.csv")))
	})
}

func rawSettings(values map[string]any) (map[string]json.RawMessage, error) {
	raw := make(map[string]json.RawMessage, len(values))
	for name, value := range values {
		if text, ok := value.(json.RawMessage); ok { // the domain checks it
			raw[name] = text
			continue
		}
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
	var usage usageOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List all shops",
		Long: `List all shops. With --usage, show how much each has and did in a month: the size of its file and images,
orders and revenue as in the reports on sales, messages to buyers about orders (billed parts of text
messages, and e-mails), products, staff members, the time of the last order and the first owner. Codes to
sign in are not counted, since they are stored for a day. --csv prints the same for invoices.`,
		Example: `  storefront tenant list --json
  storefront tenant list --format uid
  storefront tenant list --usage --month 2026-11 --csv > usage.csv`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !usage.show && (usage.csv || usage.month != "") || usage.csv && a.json {
				return &usageError{err: errors.New("--month and --csv need --usage, without --json"), command: cmd.CommandPath()}
			}
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				if usage.show {
					return a.printUsage(cmd.Context(), t, usage)
				}
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
	usage.flags(cmd)
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
	many := manyShops{change: "switch the mode of"}
	cmd := &cobra.Command{
		Use:   "mode {UID… | --all} sandbox|live",
		Short: "Switch shops' providers to sandbox or live mode",
		Long: `Switch shops' providers to live mode, or to sandbox mode, which uses the test environments of couriers
and gateways and marks new orders as tests.`,
		Example: `  storefront tenant mode acme sandbox
  storefront tenant mode --all live --yes`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			uids, how := a.completeUIDs(cmd, args, typed)
			return append([]string{string(plugin.Sandbox), string(plugin.Live)}, uids...), how
		},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return arguments{{name: shopArgument}, {name: "MODE"}}.missing(cmd)
			}
			return many.checkUIDs(cmd, args[:len(args)-1])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			last := len(args) - 1
			mode := plugin.Mode(args[last])
			text := func(v shopView) string { return fmt.Sprintf("%s is in %s mode.", v.UID, mode) }
			return a.changeShops(cmd, &many, args[:last], text, func(t *tenants.Tenants, uid string) error {
				return t.SetMode(cmd.Context(), a.caller(), uid, mode)
			})
		},
	}
	many.flags(cmd)
	return cmd
}

func newTenantSuspendCommand(a *app) *cobra.Command {
	many := manyShops{change: "suspend"}
	var as shop.Suspension
	cmd := &cobra.Command{
		Use:   "suspend UID… | --all",
		Short: "Suspend shops for buyers; webhooks are still processed",
		Long: "Suspend shops for buyers. Staff work as usual and webhooks are still processed, but only \"tenant resume\"\n" +
			"opens a shop again: its owner cannot. That its staff have closed the shop is a state beside it.",
		Example: `  storefront tenant suspend acme --reason "The invoice of May is unpaid." --text "We will be back soon."
  storefront tenant suspend acme maple --reason "Moving to another server"`,
		ValidArgsFunction: a.completeUIDs,
		Args:              many.checkUIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			text := func(v shopView) string { return v.UID + " is suspended." }
			return a.changeShops(cmd, &many, args, text, func(t *tenants.Tenants, uid string) error {
				return t.Suspend(cmd.Context(), a.caller(), uid, as)
			})
		},
	}
	cmd.Flags().StringVar(&as.Reason, "reason", "", "reason, which staff members read")
	cmd.Flags().StringVar(&as.Text, "text", "", "text for buyers (default: the shop is temporarily closed)")
	many.flags(cmd)
	return cmd
}

func newTenantResumeCommand(a *app) *cobra.Command {
	many := manyShops{change: "open"}
	cmd := &cobra.Command{
		Use:   "resume UID… | --all",
		Short: "Open suspended or closed shops again",
		Long: `Open suspended shops again. A shop that was not suspended but closed by its staff is opened if it is given
by its UID; --all leaves such shops closed.`,
		Example:           "  storefront tenant resume acme",
		ValidArgsFunction: a.completeUIDs,
		Args:              many.checkUIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			text := func(v shopView) string {
				if v.Suspended {
					return v.UID + " is closed by its staff."
				}
				return v.UID + " is open."
			}
			return a.changeShops(cmd, &many, args, text, func(t *tenants.Tenants, uid string) error {
				if many.all {
					s, err := t.FindIncludingSuspended(cmd.Context(), uid)
					if err != nil {
						return err
					}
					set, err := s.Settings(cmd.Context())
					if err != nil {
						return err
					}
					if set.Suspension == nil {
						return nil
					}
				}
				return t.Resume(cmd.Context(), a.caller(), uid)
			})
		},
	}
	many.flags(cmd)
	return cmd
}

// changeShops changes shops, and prints text for each or, with --json, the changed shops.
func (a *app) changeShops(
	cmd *cobra.Command, many *manyShops, uids []string, text func(shopView) string, change func(t *tenants.Tenants, uid string) error,
) error {
	return a.withShops(cmd, many, uids, func(t *tenants.Tenants, uids []string) error {
		results, err := eachShop(cmd.Context(), a, "changing", uids, func(uid string) (shopView, error) {
			if err := change(t, uid); err != nil {
				return shopView{}, err
			}
			return viewShop(cmd.Context(), t, uid)
		})
		if err != nil {
			return err
		}
		return printShops(a, many.areMany(uids), results, "changed", func(w *table, v shopView) { fmt.Fprintln(w, text(v)) })
	})
}

// viewShop returns a shop's settings.
func viewShop(ctx context.Context, t *tenants.Tenants, uid string) (shopView, error) {
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return shopView{}, err
	}
	settings, err := s.Settings(ctx)
	if err != nil {
		return shopView{}, err
	}
	return newShopView(uid, settings), nil
}

func newTenantDeleteCommand(a *app) *cobra.Command {
	var yes, purge bool
	cmd := &cobra.Command{
		Use:   "delete UID… --yes",
		Short: "Delete shops by moving them to the trash",
		Long: `Delete shops by moving their files, with all their data, to the folder trash of the data folder. They can
be restored from there, until serve purges the trash (--trash-keep, 30 days) or trash purge does.

With --purge, erase them immediately: data, images, also in S3 storage, copies from before schema steps, and
earlier copies in the trash. Backups and a replica have copies until they are pruned; docs/backup.md says
for how long.`,
		Example:           "  storefront tenant delete acme --yes\n  storefront tenant delete acme --purge --yes",
		Annotations:       map[string]string{namedShopAnnotation: "true"},
		ValidArgsFunction: a.completeUIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShops(cmd, &manyShops{}, args, func(t *tenants.Tenants, uids []string) error {
				if !yes {
					return confirmDeletion(a, uids)
				}
				results, err := eachShop(cmd.Context(), a, "deleting", uids, func(uid string) (deletedShop, error) {
					if !purge {
						return deletedShop{UID: uid}, t.Delete(cmd.Context(), uid)
					}
					purged, err := t.Erase(cmd.Context(), uid)
					return deletedShop{UID: uid, Purged: purged}, err
				})
				if err != nil {
					return err
				}
				return printShops(a, len(uids) > 1, results, "deleted", func(w *table, d deletedShop) {
					if d.Purged != nil {
						fmt.Fprintf(w, "Erased the shop %s, %s. Backups and a replica have copies until they are pruned.\n", d.UID, megabytes(d.Purged.Bytes))
						return
					}
					fmt.Fprintf(w, "Moved the shop %s to the folder trash in %s.\n", d.UID, a.dataDir)
				})
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "confirm the deletion")
	cmd.Flags().BoolVar(&purge, "purge", false, "erase the shops immediately instead of moving them to the trash")
	return cmd
}

// deletedShop is the JSON form of a deleted shop.
type deletedShop struct {
	UID    string          `json:"deleted"`
	Purged *tenants.Purged `json:"purged,omitempty"` // with --purge
}

func confirmDeletion(a *app, uids []string) error {
	what := "this deletes the shop " + printable(uids[0])
	if len(uids) > 1 {
		what = fmt.Sprintf("this deletes shops: %d%s", len(uids), firstNames(uids))
	}
	return withHint(errors.New("confirm with --yes: "+what+", with orders and customers"),
		"run %s", a.command("tenant delete "+printable(strings.Join(uids, " "))+" --yes"))
}
