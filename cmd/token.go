package cmd

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/staff"
)

func newTokenCommand(a *app) *cobra.Command {
	return newGroupCommand("token", "Create, list and revoke API keys",
		newTokenCreateCommand(a),
		newTokenListCommand(a),
		newTokenRevokeCommand(a),
	)
}

func newTokenCreateCommand(a *app) *cobra.Command {
	var label, expires string
	var scopes []string
	cmd := &cobra.Command{
		Use:   "create UID",
		Short: "Create an API key for administering a shop",
		Long: `Create an API key that may administer one shop: by the Admin API (see /admin/docs for operations and
permissions), and over GraphQL by plugins, plugin__configure and plugin__validateCourier. The key is
printed once. Send it in the header Authorization: Bearer KEY. With --expires the key is refused from that
time on; doctor warns a week before.

With --scope the key has only these permissions, such as providers.read and providers.write for plugins
and plugin__configure. Without it the key has every permission that a key can have.`,
		Example: `  storefront token create acme --name "dashboard"
  storefront token create acme --name "agency" --expires 90d
  storefront token create acme --name "setup" --scope providers.read,providers.write
  storefront token create acme --name "campaign" --expires 2027-03-01`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				expiresAt, err := a.parseExpiry(cmd, "expires", expires, time.Now())
				if err != nil {
					return err
				}
				apiKey, record, err := s.Staff.CreateAPIKey(cmd.Context(), a.caller(), staff.APIKeyInput{
					Label: label, ExpiresAt: expiresAt, Scopes: converted[staff.Scope](scopes),
				})
				if err != nil {
					return err
				}
				result := struct {
					*staff.APIKey
					Token string `json:"token"`
				}{record, apiKey}
				return a.print(result, func(w *table) {
					fmt.Fprintf(w, "%s\n\nStore this key now: it is not shown again. To revoke it: %s\n", apiKey, a.command("token revoke "+args[0]+" "+record.ID))
				})
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&label, "name", "", "label, such as the program that uses the key")
	flags.StringVar(&expires, "expires", "", "expiry of the key: a number of days such as 90d, or a day or time (default never)")
	flags.StringSliceVar(&scopes, "scope", nil, "permission of the key; repeatable (default every permission that a key can have)")
	return cmd
}

// parseExpiry parses a number of days from now, such as 90d, or a day or time as parseTime does. It
// returns nil for "".
func (a *app) parseExpiry(cmd *cobra.Command, flag, text string, now time.Time) (*time.Time, error) {
	days, ok := strings.CutSuffix(text, "d")
	if !ok {
		return a.parseTime(cmd, flag, text)
	}
	n, err := strconv.Atoi(days)
	if err != nil || n < 1 || n > maxExpiryDays {
		return nil, &usageError{
			err:     fmt.Errorf("--%s must be 1d to %dd, a day such as 2027-03-01, or a time such as 2027-03-01T18:00:00+06:00", flag, maxExpiryDays),
			command: cmd.CommandPath(),
		}
	}
	return new(now.AddDate(0, 0, n)), nil
}

// maxExpiryDays is ten years.
const maxExpiryDays = 3660

// expiry formats the expiry of an API key.
func expiry(w *table, key *staff.APIKey, now time.Time) string {
	switch {
	case key.ExpiresAt == nil:
		return "never"
	case key.IsExpired(now):
		return "expired " + w.time(*key.ExpiresAt)
	}
	return w.time(*key.ExpiresAt)
}

// lastUse formats the last use of an API key.
func lastUse(w *table, key *staff.APIKey) string {
	if key.LastUsedAt == nil {
		return "never"
	}
	return w.time(*key.LastUsedAt)
}

func newTokenListCommand(a *app) *cobra.Command {
	var format listFormat
	cmd := &cobra.Command{
		Use:               "list UID",
		Short:             "List a shop's API keys, oldest first",
		Example:           "  storefront token list acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := s.Staff.ListAPIKeys(cmd.Context(), a.caller())
				if err != nil {
					return err
				}
				return printList(a, format, list, list, func(key *staff.APIKey) string { return key.ID }, func(w *table) {
					if len(list) == 0 {
						fmt.Fprintln(w, "No API keys.")
						return
					}
					heading(w, "ID", "NAME…", "[CREATED]", "EXPIRES", "LAST USED", "SCOPES…")
					now := time.Now()
					for _, key := range list {
						row(w, key.ID, key.Label, w.time(key.CreatedAt), expiry(w, &key, now), lastUse(w, &key), strings.Join(converted[string](key.Scopes), " "))
					}
				})
			})
		},
	}
	a.addFormat(cmd, &format, "API key IDs")
	return cmd
}

func newTokenRevokeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "revoke UID ID",
		Short:             "Revoke an API key immediately",
		Example:           "  storefront token revoke acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				err := s.Staff.RevokeAPIKey(cmd.Context(), a.caller(), args[1])
				if fault.HasCode(err, fault.CodeNotFound) {
					return withHint(err, "list the API keys with %s", a.command("token list "+args[0]))
				}
				if err != nil {
					return err
				}
				return a.print(map[string]string{"revoked": args[1]}, func(w *table) { fmt.Fprintln(w, "Revoked.") })
			})
		},
	}
}

// converted returns texts as texts of another type.
func converted[To, From ~string](texts []From) []To {
	list := make([]To, len(texts))
	for i, text := range texts {
		list[i] = To(text)
	}
	return list
}
