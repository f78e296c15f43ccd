package cmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/shop"
)

func newTokenCommand(a *app) *cobra.Command {
	return newGroupCommand("token", "Make and revoke administrators' tokens",
		newTokenCreateCommand(a),
		newTokenListCommand(a),
		newTokenRevokeCommand(a),
	)
}

func newTokenCreateCommand(a *app) *cobra.Command {
	var label string
	cmd := &cobra.Command{
		Use:   "create UID",
		Short: "Make a token that administers a shop by GraphQL",
		Long: `Make a token that administers one shop by GraphQL: plugins, plugin__configure, plugin__validateCourier.
It is shown once and goes into the header Authorization: Bearer TOKEN.`,
		Example:           `  storefront token create acme --name "dashboard"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				token, record, err := s.CreateAdminToken(cmd.Context(), label)
				if err != nil {
					return err
				}
				result := struct {
					*shop.AdminToken
					Token string `json:"token"`
				}{record, token}
				return a.print(result, func(w io.Writer) {
					fmt.Fprintf(w, "%s\n\nKeep it: it is not shown again. Revoke it with %s\n", token, a.command("token revoke "+args[0]+" "+record.ID))
				})
			})
		},
	}
	cmd.Flags().StringVar(&label, "name", "", "what the token is for")
	return cmd
}

func newTokenListCommand(a *app) *cobra.Command {
	var format listFormat
	cmd := &cobra.Command{
		Use:               "list UID",
		Short:             "List a shop's tokens, oldest first",
		Example:           "  storefront token list acme",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := s.ListAdminTokens(cmd.Context())
				if err != nil {
					return err
				}
				return printList(a, format, list, list, func(t *shop.AdminToken) string { return t.ID }, func(w io.Writer) {
					if len(list) == 0 {
						fmt.Fprintln(w, "There are no tokens.")
						return
					}
					row(w, "ID", "NAME", "MADE")
					for _, t := range list {
						row(w, t.ID, t.Label, localTime(t.CreatedAt))
					}
				})
			})
		},
	}
	a.addFormat(cmd, &format, "token ID")
	return cmd
}

func newTokenRevokeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "revoke UID ID",
		Short:             "End a token, at once",
		Example:           "  storefront token revoke acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				err := s.RevokeAdminToken(cmd.Context(), args[1])
				if shop.HasCode(err, shop.CodeNotFound) {
					return withHint(err, "%s", a.command("token list "+args[0]))
				}
				if err != nil {
					return err
				}
				return a.print(map[string]string{"revoked": args[1]}, func(w io.Writer) { fmt.Fprintln(w, "Revoked.") })
			})
		},
	}
}
