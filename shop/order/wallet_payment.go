package order

import (
	"context"
	"errors"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/status"
)

// WalletStatus is the status of a reported payment to a wallet.
//
//api:enum WalletStatus
type WalletStatus string

// The statuses.
const (
	WalletWaiting   WalletStatus = "waiting"   // staff must check it
	WalletConfirmed WalletStatus = "confirmed" // the money has arrived
	WalletRefused   WalletStatus = "refused"   // the money has not arrived
)

// WalletPayment is a payment to a wallet of the shop, as its buyer has reported it.
type WalletPayment struct {
	ID            string        `json:"_id"`
	Method        AdvanceMethod `json:"method"`
	Number        string        `json:"number" doc:"The shop's number that the money was sent to"`
	Sender        string        `json:"sender" doc:"Number or name of the sender"`
	TransactionID string        `json:"transactionId"`
	Amount        money.Money   `json:"amount" doc:"As the buyer has reported it; once it is confirmed, the amount received"`
	Status        WalletStatus  `json:"status"`
	Refusal       *string       `json:"refusal" doc:"Why the shop refused it"`
	CreatedAt     time.Time     `json:"createdAt"`
}

// StaffWalletPayment is a payment to a wallet as staff members see it.
type StaffWalletPayment struct {
	WalletPayment
	OrderID     string        `json:"orderId"`
	OrderNumber int64         `json:"orderNumber"`
	OrderStatus status.Order  `json:"orderStatus"`
	Customer    RowCustomer   `json:"customer"`
	AdvanceDue  money.Money   `json:"advanceDue" doc:"What the order still awaits in advance"`
	DecidedAt   *time.Time    `json:"decidedAt" doc:"null while it waits"`
	DecidedBy   *access.Actor `json:"decidedBy" doc:"null while it waits"`
}

// WalletPaymentInput is a buyer's report of a payment to a wallet.
type WalletPaymentInput struct {
	WalletID      string `json:"walletId" doc:"_id of one of the order's advance.wallets"`
	Sender        string `json:"sender" doc:"Number or name that the money was sent from, at most 60 characters"`
	TransactionID string `json:"transactionId" doc:"As in the wallet's message, at most 40 characters"`
	Amount        *int64 `json:"amount,omitempty" doc:"Minor units. Defaults to the advance that is due"`
}

// WalletConfirmation confirms a payment to a wallet.
type WalletConfirmation struct {
	Amount *int64 `json:"amount,omitempty" doc:"The amount received, in minor units. Defaults to the reported one"`
}

// WalletRefusal refuses a payment to a wallet.
type WalletRefusal struct {
	Reason string `json:"reason" doc:"For the buyer, at most 200 characters"`
}

const (
	maxWalletPayments   = 10 // of an order
	maxWalletSender     = 60
	minTransactionID    = 4
	maxTransactionID    = 40
	maxWalletReason     = 200
	transactionThrottle = "transaction"
)

// walletPaymentRow is a row of wallet_payments. A confirmed one is the advance with its ID.
type walletPaymentRow struct {
	id            string
	orderNumber   int64
	method        AdvanceMethod
	number        string
	sender        string
	transactionID string
	amount        int64
	status        WalletStatus
	reason        string
	createdAt     int64
	decidedAt     *int64
	decidedBy     *string // JSON
}

func (r *walletPaymentRow) view(currency money.Currency) WalletPayment {
	return WalletPayment{
		ID: r.id, Method: r.method, Number: r.number, Sender: r.sender, TransactionID: r.transactionID, Amount: currency.Money(r.amount),
		Status: r.status, Refusal: db.NullText(r.reason), CreatedAt: db.FromMillis(r.createdAt),
	}
}

func (r *walletPaymentRow) staffView(o *orderRow, currency money.Currency) (*StaffWalletPayment, error) {
	view := &StaffWalletPayment{
		WalletPayment: r.view(currency), OrderID: o.id, OrderNumber: o.number, OrderStatus: o.status,
		Customer: RowCustomer{Name: o.name, PhoneNumber: o.phone}, AdvanceDue: currency.Money(o.advanceDue()),
		DecidedAt: timeOfMillis(r.decidedAt),
	}
	if r.decidedBy != nil {
		by, err := parseActor(*r.decidedBy)
		if err != nil {
			return nil, err
		}
		view.DecidedBy = &by
	}
	return view, nil
}

func (in *WalletPaymentInput) check() error {
	var bad fault.Invalid
	if in.Sender = input.CheckLine(&bad, "sender", in.Sender, maxWalletSender); in.Sender == "" {
		bad.Add("sender", fault.CodeRequired, "The number or name of the sender is required.")
	}
	in.TransactionID = transactionID(input.CheckLine(&bad, "transactionId", in.TransactionID, maxTransactionID))
	if n := len([]rune(in.TransactionID)); n < minTransactionID && len(bad) == 0 {
		bad.Add("transactionId", fault.CodeInvalidValue, "The transaction ID must be %d to %d characters.", minTransactionID, maxTransactionID)
	}
	checkReceived(&bad, in.Amount)
	return bad.Err()
}

func checkReceived(bad *fault.Invalid, amount *int64) {
	if amount != nil && (*amount < 1 || !money.IsAmount(*amount)) {
		bad.Add("amount", fault.CodeInvalidValue, "Must be an amount in minor units above zero.")
	}
}

// ReportWalletPayment records that a buyer has sent the advance of an order to a wallet of the
// shop. Staff check and confirm it. The caller must be the order's owner or have its order token;
// for others the order is not found. Reporting the same transaction again changes nothing. Codes:
// validation_failed, not_found, not_payable (no advance is due), state_conflict (the transaction
// was used, or the order has too many reports), rate_limited.
func (s *Orders) ReportWalletPayment(
	ctx context.Context, caller access.Caller, invoiceUID string, in WalletPaymentInput,
) (*Order, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	uid, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	reader, err := s.reader(ctx, caller)
	if err != nil {
		return nil, err
	}
	guesses, err := s.cfg.Accounts.ClientThrottle(ctx, transactionThrottle, caller.Client)
	if err != nil {
		return nil, err
	}
	var order *orderRow
	var as orderView
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if order, as, err = reader.requireWhole(tx, uid); err != nil {
			return err
		}
		if err := guesses.Check(tx); err != nil {
			return err
		}
		return s.reportWalletPayment(tx, set, order, in)
	})
	if errors.Is(err, errTransactionUsed) {
		counted := s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return guesses.Count(tx) })
		err = errors.Join(err, counted)
	}
	if err != nil {
		return nil, err
	}
	return s.viewFor(ctx, caller, order, as)
}

func (s *Orders) reportWalletPayment(tx *db.Tx, set *Settings, o *orderRow, in WalletPaymentInput) error {
	for _, r := range o.reports {
		if r.transactionID == in.TransactionID && r.status != WalletRefused {
			return nil
		}
	}
	due := o.advanceDue()
	if due == 0 {
		return fault.Errorf(fault.CodeNotPayable, "The order does not await an advance.")
	}
	wallet := set.Advance.findWallet(in.WalletID)
	if wallet == nil {
		var bad fault.Invalid
		bad.Add("walletId", fault.CodeInvalidValue, "The shop has no such wallet.")
		return bad.Err()
	}
	if len(o.reports) >= maxWalletPayments {
		return fault.Errorf(fault.CodeStateConflict, "This order already has %d reported payments, the maximum: contact the shop.", maxWalletPayments)
	}
	if err := checkTransactionUnused(tx, in.TransactionID, "transactionId", 0); err != nil {
		return err
	}
	r := &walletPaymentRow{
		id: s.ids.Next(tx.Now()), orderNumber: o.number, method: wallet.Method, number: wallet.Number, sender: in.Sender,
		transactionID: in.TransactionID, amount: due, status: WalletWaiting, createdAt: db.Millis(tx.Now()),
	}
	if in.Amount != nil {
		r.amount = *in.Amount
	}
	if err := insertWalletPayment(tx, r); err != nil {
		return err
	}
	c := s.changeOrder(tx, o, ByBuyer)
	o.reports = append(o.reports, r)
	c.wrote.attempts = true
	c.addTimeline(c.now, TimelineAdvance, "The buyer reported a payment, which the shop checks.")
	return c.save()
}

var errTransactionUsed = errors.New("transaction used")

// checkTransactionUnused checks that no payment has a transaction ID: each counts once. Advances of
// the order with the number except, which staff have recorded, may share one.
// Codes: state_conflict.
func checkTransactionUnused(tx *db.Tx, id, field string, except int64) error {
	if id == "" {
		return nil
	}
	used, err := isTransactionUsed(tx, id, except)
	if err != nil {
		return err
	}
	if !used {
		return nil
	}
	e := fault.Errorf(fault.CodeStateConflict, "This transaction ID was used before. Each payment counts once.").WithField(field)
	e.Err = errTransactionUsed
	return e
}

// ConfirmWalletPayment records that the money of a reported payment has arrived: it is an advance
// of its order, in any status. A closed order then owes it to the buyer. A confirmed payment is
// returned unchanged. Codes: validation_failed, not_found, state_conflict (it was refused).
func (s *Orders) ConfirmWalletPayment(
	ctx context.Context, caller access.Caller, id string, in WalletConfirmation,
) (*StaffWalletPayment, error) {
	return s.decideWalletPayment(ctx, caller, access.ToConfirmWalletPayment, id, WalletConfirmed,
		func() error {
			var bad fault.Invalid
			checkReceived(&bad, in.Amount)
			return bad.Err()
		},
		func(tx *db.Tx, who access.Staff, o *orderRow, r *walletPaymentRow, currency money.Currency) error {
			if in.Amount != nil {
				r.amount = *in.Amount
			}
			if err := decideWalletPayment(tx, r); err != nil {
				return err
			}
			return s.addAdvance(tx, who, o, advanceRow{
				id: r.id, amount: r.amount, method: r.method, reference: r.transactionID, by: *r.decidedBy, at: *r.decidedAt,
			}, currency)
		})
}

// RefuseWalletPayment records that the money of a reported payment has not arrived. The buyer reads
// the reason, and can report another one. A refused payment is returned unchanged. Codes:
// validation_failed, not_found, state_conflict (it was confirmed).
func (s *Orders) RefuseWalletPayment(
	ctx context.Context, caller access.Caller, id string, in WalletRefusal,
) (*StaffWalletPayment, error) {
	return s.decideWalletPayment(ctx, caller, access.ToRefuseWalletPayment, id, WalletRefused,
		func() error {
			var bad fault.Invalid
			if in.Reason = input.CheckLine(&bad, "reason", in.Reason, maxWalletReason); in.Reason == "" && len(bad) == 0 {
				bad.Add("reason", fault.CodeRequired, "A reason is required: the buyer reads it.")
			}
			return bad.Err()
		},
		func(tx *db.Tx, who access.Staff, o *orderRow, r *walletPaymentRow, _ money.Currency) error {
			r.reason = in.Reason
			if err := decideWalletPayment(tx, r); err != nil {
				return err
			}
			c := s.changeAsStaff(tx, o, who)
			c.wrote.attempts = true
			c.addTimeline(c.now, TimelineAdvance, "The shop did not find a reported payment.")
			if err := c.save(); err != nil {
				return err
			}
			return queueAdvanceRefused(tx, o)
		})
}

// decideWalletPayment executes a use case of staff that decides a reported payment.
func (s *Orders) decideWalletPayment(
	ctx context.Context, caller access.Caller, use access.UseCase, id string, to WalletStatus, check func() error,
	decide func(tx *db.Tx, who access.Staff, o *orderRow, r *walletPaymentRow, currency money.Currency) error,
) (*StaffWalletPayment, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return access.Write(ctx, s.data, caller, use, func(tx *db.Tx, who access.Staff) (*StaffWalletPayment, error) {
		if err := check(); err != nil {
			return nil, err
		}
		o, r, err := requireWalletPayment(tx, id)
		if err != nil {
			return nil, err
		}
		switch r.status {
		case to:
			return r.staffView(o, set.Currency)
		case WalletWaiting:
		default:
			return nil, fault.StatusConflict(r.status, "The payment is already %s.", r.status)
		}
		by, err := actorText(who)
		if err != nil {
			return nil, err
		}
		before, was := o.auditState(), r.status
		r.status, r.decidedAt, r.decidedBy = to, new(db.Millis(tx.Now())), &by
		if err := decide(tx, who, o, r, set.Currency); err != nil {
			return nil, err
		}
		changes := append(access.Changed("walletPayment", was, r.status), access.Set("transactionId", r.transactionID))
		if err := who.Audit(tx, o.subject(), append(changes, o.auditState().changes(before)...)...); err != nil {
			return nil, err
		}
		return r.staffView(o, set.Currency)
	})
}

// WalletFilter selects reported payments. The zero value selects the first page of all.
type WalletFilter struct {
	page.Request
	Status []WalletStatus `query:"status,explode" doc:"Only payments with one of these statuses" example:"waiting"`
	Search string         `query:"search" doc:"An order number or a transaction ID"`
}

// ListWalletPayments returns one page of the reported payments to wallets, newest first. A list of
// only payments that wait begins with the oldest. Codes: validation_failed, unauthenticated,
// forbidden.
func (s *Orders) ListWalletPayments(ctx context.Context, caller access.Caller, filter WalletFilter) (*page.List[StaffWalletPayment], error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return access.ReadMany(ctx, s.data, caller, access.ToListWalletPayments,
		func(tx *db.Tx, _ access.Staff) (*page.List[StaffWalletPayment], error) {
			var bad fault.Invalid
			w := filter.Window(&bad)
			input.CheckValues(&bad, "status", filter.Status, []WalletStatus{WalletWaiting, WalletConfirmed, WalletRefused})
			if err := bad.Err(); err != nil {
				return nil, err
			}
			rows, count, err := findWalletPayments(tx, &filter, w)
			if err != nil {
				return nil, err
			}
			list := &page.List[StaffWalletPayment]{Nodes: []StaffWalletPayment{}, Meta: w.ListMetaFor(count, len(rows))}
			for _, r := range rows {
				o, err := findOrderByNumber(tx, r.orderNumber)
				if err != nil {
					return nil, err
				}
				view, err := r.staffView(o, set.Currency)
				if err != nil {
					return nil, err
				}
				list.Nodes = append(list.Nodes, *view)
			}
			return list, nil
		})
}

// WalletTotal are the sums of a wallet, to compare with the wallet itself.
type WalletTotal struct {
	Method         AdvanceMethod `json:"method"`
	Number         string        `json:"number"`
	Waiting        int           `json:"waiting" doc:"Payments that wait"`
	WaitingAmount  money.Money   `json:"waitingAmount"`
	ConfirmedToday money.Money   `json:"confirmedToday" doc:"Confirmed since midnight in the shop's time zone"`
	Confirmed      money.Money   `json:"confirmed" doc:"All that was confirmed"`
}

// WalletTotals are the sums of all wallets.
type WalletTotals struct {
	Wallets []WalletTotal `json:"wallets" nullable:"false" doc:"Wallets with payments, by method and number"`
}

// SumWalletPayments returns the sums of the wallets. Codes: unauthenticated, forbidden.
func (s *Orders) SumWalletPayments(ctx context.Context, caller access.Caller) (*WalletTotals, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return access.Read(ctx, s.data, caller, access.ToSumWalletPayments,
		func(tx *db.Tx, _ access.Staff) (*WalletTotals, error) {
			now := tx.Now().In(set.Zone)
			midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, set.Zone)
			wallets, err := sumWalletPayments(tx, db.Millis(midnight), set.Currency)
			return &WalletTotals{Wallets: wallets}, err
		})
}
