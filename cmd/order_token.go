package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
)

func newOrderRevokeTokenCommand(a *app) *cobra.Command {
	var show bool
	cmd := &cobra.Command{
		Use:   "revoke-token UID ORDER",
		Short: "Revoke the token with which a guest reads, pays and cancels an order",
		Long: `Revoke the order token that placing the order returned, such as one that others have seen, and create the
next one. The order itself does not change, and the account that placed it, if any, still sees it.
With --show the new token is printed, to be passed on to the buyer: it is sent as X-Order-Token.`,
		Example: `  storefront order revoke-token acme 1064
  storefront order revoke-token acme 1064 --show`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withOrder(cmd.Context(), args, func(s *shop.Shop, invoice string) error {
				token, order, err := s.ReplaceOrderToken(cmd.Context(), a.caller(), invoice)
				if err != nil {
					return err
				}
				if !show {
					token = ""
				}
				result := struct {
					InvoiceUID string `json:"invoiceUid"`
					OrderToken string `json:"orderToken,omitempty"`
				}{order.InvoiceUID, token}
				return a.print(result, func(w *table) {
					fmt.Fprintf(w, "The earlier token of order %d is revoked.\n", order.OrderNumber)
					if show {
						fmt.Fprintln(w, token)
					}
				})
			})
		},
	}
	cmd.Flags().BoolVar(&show, "show", false, "print the new token")
	return cmd
}
