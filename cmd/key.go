package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/account"
)

func newKeyCommand(a *app) *cobra.Command {
	return newGroupCommand("key", "List and rotate the keys that sign customers' access tokens",
		newKeyListCommand(a),
		newKeyRotateCommand(a),
	)
}

func newKeyListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "list UID",
		Short:             "List the signing keys with tokens that are still accepted",
		Example:           "  storefront key list acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				keys, err := s.Accounts.SigningKeys(cmd.Context(), a.caller())
				if err != nil {
					return err
				}
				return a.print(keys, func(w *table) { printKeys(w, keys) })
			})
		},
	}
}

func printKeys(w *table, keys []account.SigningKey) {
	heading(w, "KEY", "CREATED", "STATE")
	for _, k := range keys {
		state := "active"
		if k.HonouredUntil != nil {
			state = "retired; tokens accepted until " + w.time(*k.HonouredUntil)
		}
		row(w, k.ID, w.time(k.CreatedAt), colour(state))
	}
}

func newKeyRotateCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "rotate UID",
		Short: "Rotate the signing key of customers' access tokens",
		Long: `Sign new access tokens of customers with a new key. No customer is signed out: tokens signed with the
old key are accepted until they expire, after at most 7 days.`,
		Example:           "  storefront key rotate acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				key, err := s.Accounts.RotateSigningKey(cmd.Context(), a.caller())
				if err != nil {
					return err
				}
				return a.print(key, func(w *table) { fmt.Fprintf(w, "New tokens are signed with key %s.\n", key.ID) })
			})
		},
	}
}
