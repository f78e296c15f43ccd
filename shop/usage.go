package shop

import (
	"context"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/sales"
	"storefront/shop/staff"
	"storefront/shop/timezone"
)

// Usage is how much a shop has and did in a month, for the operator.
type Usage struct {
	Month string `json:"month" doc:"Such as 2026-11, in the shop's time zone"`
	// Closed does not make the figures final: a refund in June changes the revenue of May.
	Closed   bool   `json:"closed" doc:"The month is over. Later cancellations and credits of its orders still change orders and revenue"`
	Currency string `json:"currency" doc:"ISO 4217"`
	// Orders and Revenue are as in the report on sales.
	Orders  int64 `json:"orders" doc:"As in the report on sales: without cancelled, expired, unpaid and test orders"`
	Revenue int64 `json:"revenue" doc:"Minor units, as in the report on sales"`
	// Messages to buyers about orders. Codes to sign in are not counted: they are stored for a day.
	SMSSegments int64 `json:"smsSegments" doc:"Billed parts of text messages about orders, for the last 90 days"`
	Emails      int64 `json:"emails" doc:"E-mails about orders, for the last 90 days"`

	Products    int64      `json:"products"`
	Staff       int64      `json:"staff" doc:"Members who are not disabled"`
	ImageBytes  int64      `json:"imageBytes" doc:"Of all sizes of the uploaded images"`
	Domains     int64      `json:"domains"`
	LastOrderAt *time.Time `json:"lastOrderAt" doc:"null if there is none"`
	Owner       *string    `json:"owner" doc:"E-mail address or phone number of the first owner; null if there is none"`
}

// ParseMonth parses a month such as 2026-11; "" is the month of now. Codes: validation_failed.
func ParseMonth(text string, now time.Time) (first time.Time, err error) {
	if text == "" {
		return time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC), nil
	}
	first, err = time.Parse("2006-01", text)
	if err != nil {
		return first, fault.Errorf(fault.CodeValidationFailed, "The month must have the form 2026-11.")
	}
	return first, nil
}

// FindUsage returns the usage of the shop in a month; see [ParseMonth]. Codes: validation_failed,
// unauthenticated, forbidden.
func (s *Shop) FindUsage(ctx context.Context, caller access.Caller, month string) (*Usage, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	first, err := ParseMonth(month, s.now().In(set.zone))
	if err != nil {
		return nil, err
	}
	last := first.AddDate(0, 1, -1)
	sold, err := s.Sales.ReportOverview(ctx, caller, sales.Filter{From: first.Format(time.DateOnly), To: last.Format(time.DateOnly)})
	if err != nil {
		return nil, err
	}
	from, err := timezone.ParseDay(first.Format(time.DateOnly), set.zone)
	if err != nil {
		return nil, err
	}
	before, err := timezone.ParseDay(first.AddDate(0, 1, 0).Format(time.DateOnly), set.zone)
	if err != nil {
		return nil, err
	}
	return access.ReadMany(ctx, s.data, caller, access.ToFindUsage, func(tx *db.Tx, _ access.Staff) (*Usage, error) {
		usage := &Usage{Month: first.Format("2006-01"), Currency: set.Currency, Orders: *sold.Orders.Value, Revenue: *sold.Revenue.Value}
		usage.Closed, usage.Domains = !tx.Now().Before(before), int64(len(set.Domains))
		if err := usage.count(tx, from, before); err != nil {
			return nil, err
		}
		usage.Owner, err = staff.FindOwnerContact(tx)
		return usage, err
	})
}

func (u *Usage) count(tx *db.Tx, from, before time.Time) error {
	var last *int64
	err := tx.QueryRow(`
		SELECT
			(SELECT COUNT(*) FROM products),
			(SELECT COUNT(*) FROM staff WHERE status <> 'off'),
			(SELECT COALESCE(SUM(bytes), 0) FROM media),
			(SELECT placed_at FROM orders ORDER BY number DESC LIMIT 1)`).
		Scan(&u.Products, &u.Staff, &u.ImageBytes, &last)
	if err != nil {
		return fmt.Errorf("count usage: %w", err)
	}
	u.LastOrderAt = db.FromNullMillis(last)
	err = tx.QueryRow(`
		SELECT
			COALESCE(SUM(CASE WHEN channel = 'sms' THEN segments ELSE 0 END), 0),
			COALESCE(SUM(CASE WHEN channel = 'email' THEN 1 ELSE 0 END), 0)
		FROM buyer_messages
		WHERE channel IN ('sms', 'email') AND segments > 0 AND updated_at >= ? AND updated_at < ?`,
		db.Millis(from), db.Millis(before)).
		Scan(&u.SMSSegments, &u.Emails)
	if err != nil {
		return fmt.Errorf("count messages: %w", err)
	}
	return nil
}
