package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/plugin"
)

func newPluginCommand(a *app) *cobra.Command {
	return newGroupCommand("plugin", "Configure couriers and payment gateways",
		newPluginConfigureCommand(a),
		newPluginListCommand(a),
		newPluginURLsCommand(a),
		newPluginValidateCommand(a),
	)
}

// providers lists the values of the PROVIDER argument.
var providers = []string{string(plugin.CourierA), string(plugin.CourierB), string(plugin.GatewayA), string(plugin.GatewayB)}

// completeProvider completes a UID, then a provider.
func (a *app) completeProvider(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 1 {
		return providers, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeUID(cmd, args, toComplete)
}

func newPluginConfigureCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "configure UID PROVIDER KEY=VALUE…",
		Short: "Change the settings of a courier or payment gateway",
		Long: `Change the settings of a courier or payment gateway. Other settings stay unchanged; KEY= removes one.
Other users of this machine can see the arguments of a command: pass secrets with KEY=@FILE, which reads
the value from a file, or KEY=@-, from the standard input.

The command plugin list shows a provider's settings with their meaning. Only credentials and secrets are
needed. courier_a needs header_prefix only if its headers begin with neither X-CourierA- nor X-PATHAO-.`,
		Example: `  storefront plugin configure acme gateway_a store_id=acme0live store_password=@password.txt
  storefront plugin configure acme courier_a webhook_secret=@-`,
		ValidArgsFunction: a.completeProvider,
		RunE: func(cmd *cobra.Command, args []string) error {
			changes, err := a.parsePluginChanges(args[2:])
			if err != nil {
				return &usageError{err: err, command: cmd.CommandPath()}
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				status, err := s.ConfigurePlugin(cmd.Context(), a.caller(), plugin.Provider(args[1]), changes)
				if invalid, ok := errors.AsType[*fault.Error](err); ok && len(invalid.Fields) == 1 {
					invalid.Message = invalid.Fields[0].Field + ": " + invalid.Message
				}
				if err != nil {
					return err
				}
				return a.print(status, func(w *table) { printPlugin(w, status) })
			})
		},
	}
}

// parsePluginChanges parses KEY=VALUE pairs and reads the files of KEY=@FILE.
func (a *app) parsePluginChanges(pairs []string) (map[string]json.RawMessage, error) {
	values, err := a.readPairs(pairs, "settings", "storefront plugin configure")
	if err != nil {
		return nil, err
	}
	changes := make(map[string]json.RawMessage, len(pairs))
	for key, value := range values {
		changes[key] = json.RawMessage("null")
		if value != "" {
			text, err := json.Marshal(value)
			if err != nil {
				return nil, fmt.Errorf("setting %s: %w", key, err)
			}
			changes[key] = text
		}
	}
	return changes, nil
}

func newPluginListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "list UID",
		Short:             "List couriers and gateways with their settings",
		Example:           "  storefront plugin list acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				plugins, err := s.ListPlugins(cmd.Context(), a.caller())
				if err != nil {
					return err
				}
				return a.print(plugins, func(w *table) {
					for i := range plugins {
						if i > 0 {
							fmt.Fprintln(w)
						}
						printPlugin(w, &plugins[i])
					}
				})
			})
		},
	}
}

func printPlugin(w *table, p *shop.PluginStatus) {
	row(w, p.Provider, "mode "+string(p.Mode))
	for _, setting := range p.Settings {
		value := ""
		switch {
		case setting.Value != nil:
			value = *setting.Value
		case setting.Set:
			value = "(set, not shown)"
		}
		row(w, "  "+setting.Name, value, setting.Meaning)
	}
	for _, can := range p.Capabilities {
		state := "ready"
		if !can.Ready {
			state = "missing " + strings.Join(can.Missing, ", ")
		}
		row(w, "  "+string(can.Name), colour(state), "")
	}
	if p.Configured {
		printConnection(w, p.Connection)
	}
	for _, r := range p.Refused {
		row(w, "  refused", fmt.Sprintf("%d × %s", r.Received, r.Reason), w.time(r.At))
	}
}

// printConnection prints whether a connection works.
func printConnection(w *table, c shop.Connection) {
	at := ""
	if c.CheckedAt != nil {
		at = w.time(*c.CheckedAt)
	}
	words := ""
	if c.Words != nil {
		words = *c.Words
	}
	row(w, "  connection", colour(string(c.State)), strings.TrimSpace(at+" "+words))
}

func newPluginURLsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "urls UID",
		Short:             "Show the webhook and callback URLs to enter in the providers' panels",
		Example:           "  storefront plugin urls acme --public-url https://api.example.com",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				urls, err := s.ListWebhookURLs(cmd.Context(), a.caller())
				if err != nil {
					return err
				}
				return a.print(urls, func(w *table) {
					heading(w, "PROVIDER", "KIND", "URL")
					for _, u := range urls {
						row(w, u.Provider, u.Kind, u.URL)
					}
				})
			})
		},
	}
	a.addPublicURL(cmd, "public URL of the server")
	return cmd
}

func newPluginValidateCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "validate UID PROVIDER",
		Short: "Check the settings and credentials of a courier or gateway",
		Long: `Check the settings of a courier or gateway in the shop's current mode. Its credentials are checked by a
request that changes nothing at the provider.`,
		Example:           "  storefront plugin validate acme gateway_a",
		ValidArgsFunction: a.completeProvider,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				report, err := s.ValidatePlugin(cmd.Context(), a.caller(), plugin.Provider(args[1]))
				if err != nil {
					return err
				}
				err = a.print(report, func(w *table) {
					for _, check := range report.Checks {
						state := "ok"
						if !check.OK {
							state = "failed"
						}
						row(w, check.Name, colour(state), check.Message)
					}
				})
				if err == nil && !report.Valid {
					err = withHint(fmt.Errorf("the settings of %s are invalid in %s mode", report.Provider, report.Mode),
						"change them with %s", a.command("plugin configure "+args[0]+" "+args[1]+" KEY=VALUE"))
				}
				return err
			})
		},
	}
}
