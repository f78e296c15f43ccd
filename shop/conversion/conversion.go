package conversion

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/page"
)

// Status is the status of a conversion.
//
//api:enum ConversionStatus
type Status string

// The statuses. All but the first are final.
const (
	StatusWaiting Status = "waiting" // not sent yet, or to be sent again
	StatusSent    Status = "sent"    // the receiver has accepted it
	StatusRefused Status = "refused" // the receiver has refused it
	StatusExpired Status = "expired" // not sent, or not sent again, for the reason in error
)

// Conversion is an order on its way to a receiver. It has no data of the buyer.
type Conversion struct {
	ID             string       `json:"_id"`
	Receiver       Receiver     `json:"receiver"`
	OrderID        string       `json:"orderId" doc:"Invoice UID of the order, which is the ID of the event"`
	OrderNumber    int64        `json:"orderNumber"`
	Step           Step         `json:"step"`
	At             time.Time    `json:"at" doc:"When the order reached the step, which is the time of the event"`
	Status         Status       `json:"status"`
	Value          *money.Money `json:"value" doc:"Value that was last sent; null if nothing was sent"`
	Attempts       int          `json:"attempts"`
	NextAt         *time.Time   `json:"nextAt" doc:"Time of the next attempt; null if there is none"`
	ResponseStatus *int         `json:"responseStatus" doc:"Status of the last attempt; null if there was no response"`
	Answer         string       `json:"answer" doc:"The beginning of the last response"`
	Error          *string      `json:"error" doc:"Why the last attempt failed, or none was made; null if it succeeded"`
	TookMs         *int         `json:"tookMs" doc:"Duration of the last attempt in milliseconds; null if there was none"`
	Resendable     bool         `json:"resendable" doc:"Whether sendConversion may send it again"`

	// doubtSince is the time from which the receiver may have the event: of the first attempt with an
	// unknown result, or of the buyer's browser. nil means that it surely has none.
	doubtSince *time.Time
}

// Filter selects conversions. The zero value selects the first page of all.
type Filter struct {
	page.Request
	Receiver Receiver `query:"receiver" doc:"Only to this receiver"`
	Status   Status   `query:"status" doc:"Only with this status"`
	Order    string   `query:"order" doc:"Only of the order with this invoice UID"`
}

// isResendable reports whether the conversion failed, and the receiver would count it once.
func (d *Conversion) isResendable(now time.Time) bool {
	return (d.Status == StatusRefused || d.Status == StatusExpired) && now.Before(d.At.Add(MaxAge-margin)) &&
		(d.doubtSince == nil || now.Before(d.doubtSince.Add(DoubtTime-margin)))
}

// ListConversions returns one page of the events to receivers, newest first. Codes:
// validation_failed, unauthenticated, forbidden.
func (c *Conversions) ListConversions(ctx context.Context, caller access.Caller, filter Filter) (*page.List[Conversion], error) {
	return access.Read(ctx, c.cfg.Data, caller, access.ToListConversions, func(tx *db.Tx, _ access.Staff) (*page.List[Conversion], error) {
		var bad fault.Invalid
		w := filter.Window(&bad)
		if err := bad.Err(); err != nil {
			return nil, err
		}
		set, err := c.cfg.Settings(tx)
		if err != nil {
			return nil, err
		}
		list, count, err := listConversions(tx, filter, w)
		for i := range list {
			list[i].complete(tx.Now(), set)
		}
		return &page.List[Conversion]{Nodes: db.OrEmpty(list), Meta: w.ListMetaFor(count, len(list))}, err
	})
}

// complete adds what depends on the time and the settings.
func (d *Conversion) complete(now time.Time, set *ShopSettings) {
	d.Resendable = d.isResendable(now)
	if d.Value != nil {
		d.Value = new(set.Currency.Money(d.Value.Amount))
	}
}

// SendConversion sends an event again that failed. Codes: not_found, state_conflict (it has not
// failed, or the receiver would refuse it or count it twice), unauthenticated, forbidden.
func (c *Conversions) SendConversion(ctx context.Context, caller access.Caller, id string) (*Conversion, error) {
	return access.Write(ctx, c.cfg.Data, caller, access.ToSendConversion, func(tx *db.Tx, who access.Staff) (*Conversion, error) {
		d, err := findConversion(tx, id)
		if err != nil {
			return nil, err
		}
		if !d.isResendable(tx.Now()) {
			return nil, fault.Errorf(fault.CodeStateConflict, "Only an event that failed can be sent again, within 7 days of its time, "+
				"and within 48 hours of an attempt with an unknown result.")
		}
		set, err := c.cfg.Settings(tx)
		if err != nil {
			return nil, err
		}
		d.Status, d.Attempts, d.NextAt = StatusWaiting, 0, new(tx.Now())
		if err := endConversion(tx, d); err != nil {
			return nil, err
		}
		d.complete(tx.Now(), set)
		subject := access.Subject{Kind: access.SubjectOrder, ID: d.OrderID, Label: d.label()}
		return d, who.Audit(tx, subject, access.Set("receiver", d.Receiver))
	})
}
