package order

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"storefront/db"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/page"
)

const walletPaymentColumns = `w.id, w.order_number, w.method, w.number, w.sender, w.transaction_id, w.amount, w.status, w.reason,
			w.created_at, w.decided_at, w.decided_by`

func (r *walletPaymentRow) columns() []any {
	return []any{
		&r.id, &r.orderNumber, &r.method, &r.number, &r.sender, &r.transactionID, &r.amount, &r.status, &r.reason,
		&r.createdAt, &r.decidedAt, &r.decidedBy,
	}
}

func scanWalletPayment(row db.Row) (*walletPaymentRow, error) {
	r := new(walletPaymentRow)
	return r, row.Scan(r.columns()...)
}

// loadWalletPayments loads the reported payments of the orders with an advance.
func loadWalletPayments(tx *db.Tx, byID map[string]*orderRow, list string, args []any) error {
	byNumber := map[int64]*orderRow{}
	for _, o := range byID {
		if o.asked.reason != "" {
			byNumber[o.number] = o
		}
	}
	if len(byNumber) == 0 {
		return nil
	}
	rows, err := db.Query(tx, scanWalletPayment, `
		SELECT `+walletPaymentColumns+`
		FROM wallet_payments w
		JOIN orders o ON o.number = w.order_number
		WHERE o.id IN `+list+`
		ORDER BY w.order_number, w.id`, args...)
	if err != nil {
		return fmt.Errorf("load wallet payments: %w", err)
	}
	for _, r := range rows {
		if o := byNumber[r.orderNumber]; o != nil {
			o.reports = append(o.reports, r)
		}
	}
	return nil
}

func insertWalletPayment(tx *db.Tx, r *walletPaymentRow) error {
	err := tx.Do(`
		INSERT INTO wallet_payments (id, order_number, method, number, sender, transaction_id, amount, status, reason,
			created_at, decided_at, decided_by)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.id, r.orderNumber, string(r.method), r.number, r.sender, r.transactionID, r.amount, string(r.status), r.reason,
		r.createdAt, r.decidedAt, r.decidedBy)
	if err != nil {
		return fmt.Errorf("insert wallet payment: %w", err)
	}
	return nil
}

// decideWalletPayment saves the decision about a payment that waits.
func decideWalletPayment(tx *db.Tx, r *walletPaymentRow) error {
	n, err := tx.Exec(`
		UPDATE wallet_payments
		SET status = ?, amount = ?, reason = ?, decided_at = ?, decided_by = ?
		WHERE id = ? AND status = 'waiting'`, string(r.status), r.amount, r.reason, r.decidedAt, r.decidedBy, r.id)
	if err == nil && n != 1 {
		err = fmt.Errorf("%d rows wait", n)
	}
	if err != nil {
		return fmt.Errorf("decide wallet payment: %w", err)
	}
	return nil
}

// reopenWalletPayment lets the payment of an advance that was removed wait again, if it was one.
func reopenWalletPayment(tx *db.Tx, o *orderRow, id string) error {
	err := tx.Do(`
		UPDATE wallet_payments
		SET status = 'waiting', decided_at = NULL, decided_by = NULL
		WHERE id = ?`, id)
	if err != nil {
		return fmt.Errorf("reopen wallet payment: %w", err)
	}
	for _, r := range o.reports {
		if r.id == id {
			r.status, r.decidedAt, r.decidedBy = WalletWaiting, nil, nil
		}
	}
	return nil
}

// requireWalletPayment returns a reported payment with its order. Codes: not_found.
func requireWalletPayment(tx *db.Tx, id string) (*orderRow, *walletPaymentRow, error) {
	r := new(walletPaymentRow)
	err := tx.QueryRow(`
		SELECT `+walletPaymentColumns+`
		FROM wallet_payments w
		WHERE w.id = ?`, id).Scan(r.columns()...)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, nil, errNoPayment()
	case err != nil:
		return nil, nil, fmt.Errorf("find wallet payment: %w", err)
	}
	o, err := findOrderByNumber(tx, r.orderNumber)
	if err != nil {
		return nil, nil, err
	}
	for i := range o.reports {
		if o.reports[i].id == r.id {
			o.reports[i] = r
		}
	}
	return o, r, nil
}

// isTransactionUsed reports whether a payment or an advance has a transaction ID.
func isTransactionUsed(tx *db.Tx, id string, except int64) (used bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (SELECT 1 FROM wallet_payments WHERE transaction_id = ? AND status <> 'refused')
			OR EXISTS (SELECT 1 FROM order_advances WHERE transaction_id = ? AND transaction_id <> '' AND order_number <> ?)`,
		id, id, except).Scan(&used)
	if err != nil {
		return false, fmt.Errorf("find transaction: %w", err)
	}
	return used, nil
}

// findWalletPayments returns one page of the reported payments.
func findWalletPayments(tx *db.Tx, filter *WalletFilter, w page.Window) (rows []*walletPaymentRow, count page.Count, err error) {
	conditions, args := db.WhereIn([]string{"1 = 1"}, nil, "w.status", filter.Status)
	if text := input.Clean(strings.TrimPrefix(strings.TrimSpace(filter.Search), "#")); text != "" {
		number, err := strconv.ParseInt(input.Fold(text), 10, 64)
		if err != nil {
			number = 0 // no order has it
		}
		conditions, args = append(conditions, "(w.order_number = ? OR w.transaction_id = ?)"), append(args, number, transactionID(text))
	}
	where := strings.Join(conditions, " AND ")
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (SELECT 1 FROM wallet_payments w WHERE `+where+` LIMIT ?) found`, append(slices.Clone(args), page.MaxCount+1)...).Scan(&count.Total)
	if err != nil {
		return nil, count, fmt.Errorf("count wallet payments: %w", err)
	}
	count.Total, count.Bounded = min(count.Total, page.MaxCount), count.Total > page.MaxCount
	order := "w.id DESC"
	if len(filter.Status) == 1 && filter.Status[0] == WalletWaiting {
		order = "w.id"
	}
	query := `
		SELECT ` + walletPaymentColumns + `
		FROM wallet_payments w
		WHERE ` + where + `
		ORDER BY ` + order
	if w.Limit != page.NoLimit {
		query, args = query+`
		LIMIT ? OFFSET ?`, append(args, w.Limit, w.Offset())
	}
	if rows, err = db.Query(tx, scanWalletPayment, query, args...); err != nil {
		return nil, count, fmt.Errorf("find wallet payments: %w", err)
	}
	return rows, count, nil
}

// sumWalletPayments returns the sums of the wallets; since is the beginning of today.
func sumWalletPayments(tx *db.Tx, since int64, currency money.Currency) ([]WalletTotal, error) {
	wallets, err := db.Query(tx, func(r db.Row) (t WalletTotal, err error) {
		var waiting, today, confirmed int64
		err = r.Scan(&t.Method, &t.Number, &t.Waiting, &waiting, &today, &confirmed)
		t.WaitingAmount, t.ConfirmedToday, t.Confirmed = currency.Money(waiting), currency.Money(today), currency.Money(confirmed)
		return t, err
	}, `
		SELECT method, number, SUM(CASE WHEN status = 'waiting' THEN 1 ELSE 0 END),
			SUM(CASE WHEN status = 'waiting' THEN amount ELSE 0 END),
			SUM(CASE WHEN status = 'confirmed' AND decided_at >= ? THEN amount ELSE 0 END),
			SUM(CASE WHEN status = 'confirmed' THEN amount ELSE 0 END)
		FROM wallet_payments
		WHERE status <> 'refused'
		GROUP BY method, number
		ORDER BY method, number`, since)
	if err != nil {
		return nil, fmt.Errorf("sum wallet payments: %w", err)
	}
	return db.OrEmpty(wallets), nil
}

// eraseWalletSenders erases the senders of an order's reported payments.
func eraseWalletSenders(tx *db.Tx, orderID string) error {
	err := tx.Do(`
		UPDATE wallet_payments
		SET sender = ''
		WHERE order_number = (SELECT number FROM orders WHERE id = ?)`, orderID)
	if err != nil {
		return fmt.Errorf("erase senders of wallet payments: %w", err)
	}
	return nil
}

func countWaitingPayments(tx *db.Tx) (n int, err error) {
	if err := tx.QueryRow("SELECT COUNT(*) FROM wallet_payments WHERE status = 'waiting'").Scan(&n); err != nil {
		return 0, fmt.Errorf("count reported payments: %w", err)
	}
	return n, nil
}
