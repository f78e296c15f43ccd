package cmd

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/shop"
)

func newPaymentCommand(a *app) *cobra.Command {
	return newGroupCommand("payment", "Look at payments, decide about them and give them back",
		newPaymentListCommand(a),
		newPaymentResolveCommand(a),
		a.deprecatedName("settle", newPaymentResolveCommand(a)),
		newPaymentRefundCommand(a),
	)
}

func newPaymentListCommand(a *app) *cobra.Command {
	var status string
	var limit int
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List payments in a state, oldest first",
		Example: `  storefront payment list acme                        those that have to be looked at
  storefront payment list acme --status refund_due    those that have to go back
  storefront payment list acme --status refund_due --limit 1 --format uid`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 && limit != shop.NoLimit {
				return &usageError{err: errors.New("--limit must be at least 1, or -1 for all payments"), command: cmd.CommandPath()}
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := s.ListPaymentAttempts(cmd.Context(), shop.AttemptStatus(status))
				if err != nil {
					return err
				}
				if limit != shop.NoLimit {
					list = list[:min(limit, len(list))]
				}
				return printList(a, format, list, list, func(p *shop.AttemptRecord) string { return p.ID }, func(w io.Writer) { printPayments(w, list) })
			})
		},
	}
	cmd.Flags().StringVar(&status, "status", string(shop.AttemptNeedsReview), "the state, such as needs_review or refund_due")
	cmd.Flags().IntVar(&limit, "limit", shop.NoLimit, "show at most this many payments; -1 shows all")
	a.addFormat(cmd, &format, "payment ID")
	return cmd
}

func printPayments(w io.Writer, list []shop.AttemptRecord) {
	if len(list) == 0 {
		fmt.Fprintln(w, "There are no such payments.")
		return
	}
	row(w, "PAYMENT", "ORDER", "INVOICE", "GATEWAY", "MODE", "STATUS", "AMOUNT", "BEGUN", "REASON")
	for _, p := range list {
		row(w, p.ID, p.OrderNumber, p.OrderID, p.Method, p.Mode, p.Status, p.Amount.Formatted, localTime(p.CreatedAt), shortened(optional(p.Reason)))
	}
}

func newPaymentResolveCommand(a *app) *cobra.Command {
	var accept, reject bool
	cmd := &cobra.Command{
		Use:   "resolve UID PAYMENT --accept|--reject",
		Short: "Decide about a payment that has to be looked at",
		Long: `Decide about a payment that has to be looked at, after looking at it in the gateway's own panel. Accepted, it
pays its order, or has to go back where the order no longer waits for it; rejected, it counts as failed.`,
		Example:           "  storefront payment resolve acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY --accept",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				record, err := s.ResolvePayment(cmd.Context(), args[1], accept)
				return a.printPayment(args[0], record, err)
			})
		},
	}
	cmd.Flags().BoolVar(&accept, "accept", false, "the money is there and right")
	cmd.Flags().BoolVar(&reject, "reject", false, "there is no money, or it was given back")
	cmd.MarkFlagsMutuallyExclusive("accept", "reject")
	cmd.MarkFlagsOneRequired("accept", "reject")
	return cmd
}

func newPaymentRefundCommand(a *app) *cobra.Command {
	var byHand bool
	cmd := &cobra.Command{
		Use:   "refund UID PAYMENT",
		Short: "Give back a payment that has to go back",
		Long: `Give back a payment that has to go back, through its gateway. The gateway may take days; the server asks on.
With --by-hand it is only noted that the buyer has the money, given back in the gateway's panel or otherwise.`,
		Example:           "  storefront payment refund acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				refund := s.RefundPayment
				if byHand {
					refund = s.MarkRefunded
				}
				record, err := refund(cmd.Context(), args[1])
				return a.printPayment(args[0], record, err)
			})
		},
	}
	cmd.Flags().BoolVar(&byHand, "by-hand", false, "call no gateway: the buyer has the money")
	return cmd
}

func (a *app) printPayment(uid string, record *shop.AttemptRecord, err error) error {
	if shop.HasCode(err, shop.CodeNotFound) || shop.HasCode(err, shop.CodeStateConflict) {
		return withHint(err, "%s", a.command("payment list "+uid))
	}
	if err != nil {
		return err
	}
	return a.print(record, func(w io.Writer) { printPayments(w, []shop.AttemptRecord{*record}) })
}
