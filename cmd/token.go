package cmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
)

func newTokenCommand(a *app) *cobra.Command {
	return newGroupCommand("token", "Create, list and revoke API keys",
		newTokenCreateCommand(a),
		newTokenListCommand(a),
		newTokenRevokeCommand(a),
	)
}

func newTokenCreateCommand(a *app) *cobra.Command {
	var label string
	cmd := &cobra.Command{
		Use:   "create UID",
		Short: "Create an API key for administering a shop",
		Long: `Create an API key that may administer one shop over GraphQL: plugins, plugin__configure and
plugin__validateCourier. The key is printed once. Send it in the header Authorization: Bearer KEY.`,
		Example:           `  storefront token create acme --name "dashboard"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				token, record, err := s.CreateAPIKey(cmd.Context(), access.Operator(), label)
				if err != nil {
					return err
				}
				result := struct {
					*shop.APIKey
					Token string `json:"token"`
				}{record, token}
				return a.print(result, func(w io.Writer) {
					fmt.Fprintf(w, "%s\n\nStore this key now: it is not shown again. To revoke it: %s\n", token, a.command("token revoke "+args[0]+" "+record.ID))
				})
			})
		},
	}
	cmd.Flags().StringVar(&label, "name", "", "label, such as the program that uses the key")
	return cmd
}

func newTokenListCommand(a *app) *cobra.Command {
	var format listFormat
	cmd := &cobra.Command{
		Use:               "list UID",
		Short:             "List a shop's API keys, oldest first",
		Example:           "  storefront token list acme",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := s.ListAPIKeys(cmd.Context(), access.Operator())
				if err != nil {
					return err
				}
				return printList(a, format, list, list, func(t *shop.APIKey) string { return t.ID }, func(w io.Writer) {
					if len(list) == 0 {
						fmt.Fprintln(w, "No API keys.")
						return
					}
					row(w, "ID", "NAME", "CREATED")
					for _, t := range list {
						row(w, t.ID, t.Label, localTime(t.CreatedAt))
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
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				err := s.RevokeAPIKey(cmd.Context(), access.Operator(), args[1])
				if fault.HasCode(err, fault.CodeNotFound) {
					return withHint(err, "list the API keys with %s", a.command("token list "+args[0]))
				}
				if err != nil {
					return err
				}
				return a.print(map[string]string{"revoked": args[1]}, func(w io.Writer) { fmt.Fprintln(w, "Revoked.") })
			})
		},
	}
}
