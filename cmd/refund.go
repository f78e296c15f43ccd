package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/order"
)

// refundFlags are the flags of commands that refund.
type refundFlags struct {
	amount         string
	items, restock []string
	reason         string
	again          bool
}

// add adds the flags to a command.
func (f *refundFlags) add(cmd *cobra.Command, unnamed string) {
	reasons := make([]string, len(order.RefundReasons()))
	for i, reason := range order.RefundReasons() {
		reasons[i] = string(reason)
	}
	flags := cmd.Flags()
	flags.StringVar(&f.amount, "amount", "",
		"amount to refund, as a decimal in the shop's currency (default: "+unnamed+")")
	flags.StringArrayVar(&f.items, "item", nil,
		"SKU or variant ID and units that the refund is for, such as MUG-L=1; repeatable")
	flags.StringArrayVar(&f.restock, "restock", nil,
		"units of --item that are back and fit for sale, such as MUG-L=1; repeatable")
	flags.StringVar(&f.reason, "reason", "",
		"reason for buyers and reports: "+strings.Join(reasons, ", "))
	flags.BoolVar(&f.again, "again", false,
		"refund an amount once more that was refunded within the last hour")
}

// input returns the refund that the flags describe.
func (f *refundFlags) input(
	cmd *cobra.Command, a *app, s *shop.Shop,
) (in order.RefundInput, err error) {
	if in.Amount, err = parseAmountFlag(cmd, s, "amount", f.amount, 1); err != nil {
		return in, err
	}
	in.Reason, in.ConfirmDuplicate = order.CreditReason(f.reason), f.again
	command := cmd.CommandPath()
	for _, text := range f.items {
		variant, quantity, err := a.parseUnits(cmd.Context(), command, s, "--item", text)
		if err != nil {
			return in, err
		}
		in.Items = append(in.Items, order.RefundItem{VariantID: variant, Quantity: quantity})
	}
	for _, text := range f.restock {
		variant, quantity, err := a.parseUnits(cmd.Context(), command, s, "--restock", text)
		if err != nil {
			return in, err
		}
		i := slices.IndexFunc(in.Items,
			func(item order.RefundItem) bool { return item.VariantID == variant })
		if i < 0 {
			return in, &usageError{
				err:     fmt.Errorf("--restock %s needs the same --item", text),
				command: command,
			}
		}
		in.Items[i].Restock += quantity
	}
	return in, nil
}
