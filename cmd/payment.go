package cmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/status"
)

func newPaymentCommand(a *app) *cobra.Command {
	return newGroupCommand("payment", "List, resolve and refund payment attempts",
		newPaymentListCommand(a),
		newPaymentResolveCommand(a),
		newPaymentRefundCommand(a),
	)
}

func newPaymentListCommand(a *app) *cobra.Command {
	filter := order.AttemptFilter{Status: []status.Attempt{status.AttemptNeedsReview}}
	var parse func() error
	var limit int
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List payment attempts by status",
		Example: `  storefront payment list acme
  storefront payment list acme --status refund_due
  storefront payment list acme --status refund_due --limit 1 --format uid`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 && limit != page.NoLimit {
				return &usageError{err: errors.New("--limit must be at least 1, or -1 for all payments"), command: cmd.CommandPath()}
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if err := parse(); err != nil {
					return err
				}
				filter.Request = noLimit()
				if limit <= page.MaxLimit {
					filter.Limit = &limit
				}
				attempts, err := s.Orders.ListPaymentAttempts(cmd.Context(), a.caller(), filter)
				if err != nil {
					return err
				}
				list := attempts.Nodes
				if limit != page.NoLimit {
					list = list[:min(limit, len(list))]
				}
				return printList(a, format, list, list, func(p *order.AttemptRecord) string { return p.ID }, func(w *table) { printPayments(w, list) })
			})
		},
	}
	parse = a.addFilter(cmd, &filter, "status", "method", "search")
	cmd.Flags().IntVar(&limit, "limit", page.NoLimit, "maximum number of attempts, or -1 for all")
	a.addFormat(cmd, &format, "payment IDs")
	return cmd
}

func printPayments(w *table, list []order.AttemptRecord) {
	if len(list) == 0 {
		fmt.Fprintln(w, "No payment attempts found.")
		return
	}
	heading(w, "PAYMENT", "ORDER", "[INVOICE]", "GATEWAY", "[MODE]", "STATUS", "AMOUNT", "[REFUNDED]", "[STARTED]", "REASON…")
	for _, p := range list {
		row(w, p.ID, p.OrderNumber, p.OrderID, p.Method, p.Mode, colour(p.Status), p.Amount.Text(), p.RefundedAmount.Text(),
			w.time(p.CreatedAt), shortened(optional(p.Reason)))
	}
}

func newPaymentResolveCommand(a *app) *cobra.Command {
	var accept, reject bool
	cmd := &cobra.Command{
		Use:   "resolve UID PAYMENT|REFUND --accept|--reject",
		Short: "Accept or reject a payment attempt that needs review, or a refund without a result",
		Long: `Accept or reject a payment attempt with status needs_review, after checking it in the gateway's panel. An
accepted attempt pays its order, or becomes due for refund if the order no longer awaits payment. A
rejected attempt counts as failed. If the gateway does not report the result of a refund, accept it if the
panel shows it, and reject it otherwise; its amount can then be refunded again.`,
		Example:           "  storefront payment resolve acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY --accept",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				record, err := s.Orders.ResolvePayment(cmd.Context(), a.caller(), args[1], accept)
				return a.printPayment(args[0], record, err)
			})
		},
	}
	cmd.Flags().BoolVar(&accept, "accept", false, "the gateway received the correct amount, or has made the refund")
	cmd.Flags().BoolVar(&reject, "reject", false, "no money was received, or it was refunded already; or the refund was not made")
	cmd.MarkFlagsMutuallyExclusive("accept", "reject")
	cmd.MarkFlagsOneRequired("accept", "reject")
	return cmd
}

func newPaymentRefundCommand(a *app) *cobra.Command {
	var byHand bool
	var refund refundFlags
	cmd := &cobra.Command{
		Use:   "refund UID PAYMENT",
		Short: "Refund a payment attempt, in full or in part",
		Long: `Refund a payment attempt through its gateway: the remaining amount if it is due for refund, or with
--amount a part, also of an attempt that succeeded. A payment can be refunded in several parts. A refund
may need days; the server checks its status until it is complete. Without --amount, the command also
checks a refund in progress. With --item, the refund is for units of the order. What was not due for
refund reduces the order. With --by-hand, only record that the buyer was refunded, in the gateway's
panel or otherwise.`,
		Example: `  storefront payment refund acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY
  storefront payment refund acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY --amount 100
  storefront payment refund acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY --item MUG-L=1 --reason damaged
  storefront payment refund acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY --amount 100 --by-hand`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				in, err := refund.input(cmd, a, s)
				if err != nil {
					return err
				}
				use := s.Orders.RefundPayment
				if byHand {
					use = s.Orders.MarkRefunded
				}
				record, err := use(cmd.Context(), a.caller(), args[1], in)
				return a.printPayment(args[0], record, err)
			})
		},
	}
	refund.add(cmd, "the share of --item, or else the remaining amount")
	cmd.Flags().BoolVar(&byHand, "by-hand", false, "record a refund made outside of storefront, without calling the gateway")
	return cmd
}

// parseAmountFlag parses a flag with an amount of at least least, in the shop's currency. It
// returns nil for "".
func parseAmountFlag(cmd *cobra.Command, s *shop.Shop, flag, text string, least int64) (*int64, error) {
	if text == "" {
		return nil, nil
	}
	settings, err := s.Settings(cmd.Context())
	if err != nil {
		return nil, err
	}
	currency, _ := money.ParseCurrency(settings.Currency)
	amount, ok := currency.Parse(text)
	if !ok || amount < least {
		return nil, &usageError{err: fmt.Errorf("--%s must be an amount such as %s", flag, currency.Decimal(100_00)), command: cmd.CommandPath()}
	}
	return &amount, nil
}

func (a *app) printPayment(uid string, record *order.AttemptRecord, err error) error {
	if fault.HasCode(err, fault.CodeNotFound) || fault.HasCode(err, fault.CodeStateConflict) {
		return withHint(err, "list the payment attempts with %s", a.command("payment list "+uid))
	}
	if err != nil {
		return err
	}
	return a.print(record, func(w *table) { printPayments(w, []order.AttemptRecord{*record}) })
}
