package order

import (
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// PaymentAttempt is one attempt to pay an order at a gateway.
type PaymentAttempt struct {
	ID          string               `json:"_id"`
	Method      status.PaymentMethod `json:"method"`
	Status      status.Attempt       `json:"status"`
	Amount      money.Money          `json:"amount"`
	RedirectURL *string              `json:"redirectUrl" doc:"Page where the buyer pays; null once the attempt has ended, or if it could not be started"`
	ErrorCode   *PaymentErrorCode    `json:"errorCode" doc:"Reason why the attempt could not be started at the gateway"`
	CreatedAt   time.Time            `json:"createdAt"`
	// RefundedAmount is the amount that was sent back to the buyer.
	RefundedAmount money.Money `json:"refundedAmount" doc:"Part of the amount that was sent back to the buyer"`
}

// attemptRow is a row of payment_attempts.
type attemptRow struct {
	id      string
	orderID string
	method  status.PaymentMethod
	mode    plugin.Mode // mode of the shop when the attempt began
	status  status.Attempt
	amount  int64
	// the gateway's ID of the attempt; nil until the gateway has returned one
	externalID    *string
	transactionID string           // ID of the transaction; "" until money is received
	redirectURL   string           // "" until the gateway has returned one
	errorCode     PaymentErrorCode // the reason why the attempt could not be started; "" if it could
	createdAt     int64
	updatedAt     int64
	refunded      int64 // the amount that was sent back to the buyer
	advance       bool  // it pays the advance of a cash order, which remains one
}

func (a *attemptRow) view(currency money.Currency) PaymentAttempt {
	v := PaymentAttempt{
		ID: a.id, Method: a.method, Status: a.status, Amount: currency.Money(a.amount),
		ErrorCode: a.errorCode.null(), CreatedAt: db.FromMillis(a.createdAt), RefundedAmount: currency.Money(a.refunded),
	}
	if a.status.IsOpen() {
		v.RedirectURL = db.NullText(a.redirectURL)
	}
	return v
}

const attemptColumns = `id, order_id, method, mode, status, amount, external_id, transaction_id, redirect_url, error_code,
	created_at, updated_at, refunded, advance`

func scanAttempt(r db.Row) (*attemptRow, error) {
	a := new(attemptRow)
	return a, r.Scan(&a.id, &a.orderID, &a.method, &a.mode, &a.status, &a.amount, &a.externalID, &a.transactionID,
		&a.redirectURL, &a.errorCode, &a.createdAt, &a.updatedAt, &a.refunded, &a.advance)
}

// loadAttempts adds their payment attempts to orders, oldest first.
func loadAttempts(tx *db.Tx, byID map[string]*orderRow, list string, args []any) error {
	rows, err := db.Query(tx, scanAttempt, `
		SELECT `+attemptColumns+`
		FROM payment_attempts
		WHERE order_id IN `+list+`
		ORDER BY order_id, id`, args...)
	if err != nil {
		return fmt.Errorf("load payment attempts: %w", err)
	}
	for _, a := range rows {
		byID[a.orderID].attempts = append(byID[a.orderID].attempts, a)
	}
	return nil
}

func insertAttempt(tx *db.Tx, a *attemptRow) error {
	_, err := tx.Exec(`
		INSERT INTO payment_attempts (`+attemptColumns+`)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.id, a.orderID, a.method, a.mode, a.status, a.amount, a.externalID, a.transactionID,
		a.redirectURL, a.errorCode, a.createdAt, a.updatedAt, a.refunded, db.BoolInt(a.advance))
	if err != nil {
		return fmt.Errorf("insert payment attempt: %w", err)
	}
	return nil
}

// updateAttempt saves the fields of a payment attempt that can change.
func updateAttempt(tx *db.Tx, a *attemptRow) error {
	_, err := tx.Exec(`
		UPDATE payment_attempts
		SET status = ?, external_id = ?, transaction_id = ?, redirect_url = ?, error_code = ?, updated_at = ?, refunded = ?, advance = ?
		WHERE id = ?`, a.status, a.externalID, a.transactionID, a.redirectURL, a.errorCode, a.updatedAt, a.refunded, db.BoolInt(a.advance), a.id)
	if err != nil {
		return fmt.Errorf("save payment attempt: %w", err)
	}
	return nil
}
