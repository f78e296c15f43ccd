package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
)

// replacedToken is the result of order revoke-token for one order.
type replacedToken struct {
	InvoiceUID string `json:"invoiceUid"`
	OrderToken string `json:"orderToken,omitempty"` // unless it is not to be shown
	number     int64
}

func newOrderRevokeTokenCommand(a *app) *cobra.Command {
	var show bool
	cmd := &cobra.Command{
		Use:   "revoke-token UID ORDER…",
		Short: "Revoke the token with which a guest reads, pays and cancels an order",
		Long: `Revoke the order token that placing the order returned, such as one that others have seen, and create the
next one. The order itself does not change, and the account that placed it, if any, still sees it.
With --show the new token is printed, to be passed on to the buyer: it is sent as X-Order-Token.`,
		Example: `  storefront order revoke-token acme 1064 1065
  storefront order revoke-token acme 1064 --show`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachOrder(cmd.Context(), a, args, func(w *table, r replacedToken) {
				fmt.Fprintf(w, "The earlier token of order %d is revoked.\n", r.number)
				if show {
					fmt.Fprintln(w, r.OrderToken)
				}
			}, func(s *shop.Shop, invoice string) (replacedToken, error) {
				token, order, err := s.ReplaceOrderToken(cmd.Context(), a.caller(), invoice)
				if err != nil {
					return replacedToken{}, err
				}
				if !show {
					token = ""
				}
				return replacedToken{order.InvoiceUID, token, order.OrderNumber}, nil
			})
		},
	}
	cmd.Flags().BoolVar(&show, "show", false, "print the new token")
	return cmd
}
