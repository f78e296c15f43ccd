package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/account"
	"storefront/tenants"
)

func newKeyCommand(a *app) *cobra.Command {
	return newGroupCommand("key", "List and rotate the keys that sign customers' access tokens, and show the server's public key",
		newKeyListCommand(a),
		newKeyPublicCommand(a),
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

func newKeyPublicCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "public",
		Short: "Print the public key of this server, for shops that move here",
		Long: `Print the public key of this data folder, which is not secret. Another server seals a shop for it with
"backup UID DEST --for-key", and only this data folder can restore the file. The key follows from the data
folder's key, and changes with it.`,
		Example: "  storefront key public > new-server.pub",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withNewTenants(cmd.Context(), func(t *tenants.Tenants) error {
				key, err := t.PublicKey()
				if err != nil {
					return err
				}
				result := struct {
					Key         string `json:"key"`
					Fingerprint string `json:"fingerprint"`
				}{key.String(), key.Fingerprint()}
				return a.print(result, func(w *table) { fmt.Fprintln(w, key) })
			})
		},
	}
}

// readPublicKey reads a public key, which is in a file or is the text itself.
func readPublicKey(text string) (*tenants.PublicKey, error) {
	if content, err := os.ReadFile(text); err == nil {
		text = string(content)
	} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENAMETOOLONG) {
		return nil, err
	}
	return tenants.ParsePublicKey(text)
}
