package cmd

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
)

func newPaymentCommand(a *app) *cobra.Command {
	return newGroupCommand("payment", "List, resolve and refund payment attempts",
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
		Short: "List payment attempts by status, oldest first",
		Example: `  storefront payment list acme
  storefront payment list acme --status refund_due
  storefront payment list acme --status refund_due --limit 1 --format uid`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 && limit != page.NoLimit {
				return &usageError{err: errors.New("--limit must be at least 1, or -1 for all payments"), command: cmd.CommandPath()}
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := s.ListPaymentAttempts(cmd.Context(), access.Operator(), shop.AttemptStatus(status))
				if err != nil {
					return err
				}
				if limit != page.NoLimit {
					list = list[:min(limit, len(list))]
				}
				return printList(a, format, list, list, func(p *shop.AttemptRecord) string { return p.ID }, func(w io.Writer) { printPayments(w, list) })
			})
		},
	}
	cmd.Flags().StringVar(&status, "status", string(shop.AttemptNeedsReview), "status of the attempts, such as needs_review or refund_due")
	cmd.Flags().IntVar(&limit, "limit", page.NoLimit, "maximum number of attempts, or -1 for all")
	a.addFormat(cmd, &format, "payment IDs")
	return cmd
}

func printPayments(w io.Writer, list []shop.AttemptRecord) {
	if len(list) == 0 {
		fmt.Fprintln(w, "No payment attempts found.")
		return
	}
	row(w, "PAYMENT", "ORDER", "INVOICE", "GATEWAY", "MODE", "STATUS", "AMOUNT", "STARTED", "REASON")
	for _, p := range list {
		row(w, p.ID, p.OrderNumber, p.OrderID, p.Method, p.Mode, p.Status, p.Amount.Formatted, localTime(p.CreatedAt), shortened(optional(p.Reason)))
	}
}

func newPaymentResolveCommand(a *app) *cobra.Command {
	var accept, reject bool
	cmd := &cobra.Command{
		Use:   "resolve UID PAYMENT --accept|--reject",
		Short: "Accept or reject a payment attempt that needs review",
		Long: `Accept or reject a payment attempt with status needs_review, after checking it in the gateway's panel.
An accepted attempt pays its order, or becomes due for refund if the order no longer awaits payment. A
rejected attempt counts as failed.`,
		Example:           "  storefront payment resolve acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY --accept",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				record, err := s.ResolvePayment(cmd.Context(), access.Operator(), args[1], accept)
				return a.printPayment(args[0], record, err)
			})
		},
	}
	cmd.Flags().BoolVar(&accept, "accept", false, "the gateway received the correct amount")
	cmd.Flags().BoolVar(&reject, "reject", false, "no money was received, or it was refunded already")
	cmd.MarkFlagsMutuallyExclusive("accept", "reject")
	cmd.MarkFlagsOneRequired("accept", "reject")
	return cmd
}

func newPaymentRefundCommand(a *app) *cobra.Command {
	var byHand bool
	cmd := &cobra.Command{
		Use:   "refund UID PAYMENT",
		Short: "Refund a payment attempt that is due for refund",
		Long: `Refund a payment attempt that is due for refund, through its gateway. A refund may need days; the
server checks its status until it is complete. With --by-hand, only record that the buyer was
refunded, in the gateway's panel or otherwise.`,
		Example:           "  storefront payment refund acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				refund := s.RefundPayment
				if byHand {
					refund = s.MarkRefunded
				}
				record, err := refund(cmd.Context(), access.Operator(), args[1])
				return a.printPayment(args[0], record, err)
			})
		},
	}
	cmd.Flags().BoolVar(&byHand, "by-hand", false, "record a refund made outside of storefront, without calling the gateway")
	return cmd
}

func (a *app) printPayment(uid string, record *shop.AttemptRecord, err error) error {
	if fault.HasCode(err, fault.CodeNotFound) || fault.HasCode(err, fault.CodeStateConflict) {
		return withHint(err, "list the payment attempts with %s", a.command("payment list "+uid))
	}
	if err != nil {
		return err
	}
	return a.print(record, func(w io.Writer) { printPayments(w, []shop.AttemptRecord{*record}) })
}
