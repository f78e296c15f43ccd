package cmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/shop"
)

func newKeyCommand(a *app) *cobra.Command {
	return newGroupCommand("key", "Look at and change the keys that sign customers' tokens",
		newKeyListCommand(a),
		newKeyRotateCommand(a),
	)
}

func newKeyListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "list UID",
		Short:             "List the keys whose tokens pass",
		Example:           "  storefront key list acme",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				keys, err := s.SigningKeys(cmd.Context())
				if err != nil {
					return err
				}
				return a.print(keys, func(w io.Writer) { printKeys(w, keys) })
			})
		},
	}
}

func printKeys(w io.Writer, keys []shop.SigningKey) {
	row(w, "KEY", "MADE", "STATE")
	for _, k := range keys {
		state := "signs"
		if k.HonouredUntil != nil {
			state = "retired; its tokens pass until " + localTime(*k.HonouredUntil)
		}
		row(w, k.ID, localTime(k.CreatedAt), state)
	}
}

func newKeyRotateCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "rotate UID",
		Short: "Sign tokens with a new key from now on",
		Long: `Sign customers' access tokens with a new key from now on. Nobody is signed out: tokens of the old
key pass until they have run out, 7 days at most.`,
		Example:           "  storefront key rotate acme",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				key, err := s.RotateSigningKey(cmd.Context())
				if err != nil {
					return err
				}
				return a.print(key, func(w io.Writer) { fmt.Fprintf(w, "Tokens are signed with the key %s now.\n", key.ID) })
			})
		},
	}
}
