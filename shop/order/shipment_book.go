package order

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// BookingInput is a request to book a shipment of an order with a courier.
type BookingInput struct {
	Provider    plugin.Provider
	Note        string // for the courier; "" means none
	WeightGrams int64  // 0 means the sum of the variants' weights
	Place       plugin.CourierPlace
	stationName string // ID of Place; see completePlace
	Another     bool   // book even if the order has an open shipment or booking
	// Again repeats a booking without a response even if the courier does not support lookups. Staff
	// set it after finding no such shipment in the courier's panel.
	Again bool
}

// bookingPause is the time for which a booking counts as under way. It is not repeated before.
const bookingPause = time.Minute

// BookShipment books a shipment of an order with a courier and returns the order. The booking is
// stored before the courier is called. After a lost response the shipment may be booked: the next
// call looks it up first, so that nothing is booked twice. Codes: validation_failed, not_found,
// state_conflict (the order's status, an open shipment, a refusal by the courier), unavailable (no
// response yet).
func (s *Orders) BookShipment(ctx context.Context, caller access.Caller, invoiceUID string, in BookingInput) (*StaffOrder, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToBookShipment)
	if err != nil {
		return nil, err
	}
	if in, err = in.check(); err != nil {
		return nil, err
	}
	orderID, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.completeOrderPlace(ctx, who, orderID, &in); err != nil {
		return nil, err
	}
	job, err := s.beginBooking(ctx, who, orderID, in, set.Currency)
	if err != nil {
		return nil, err
	}
	adapter, pluginAccess, err := s.courierFor(ctx, in.Provider, job.booking.mode)
	if err != nil {
		return nil, s.discardBooking(ctx, job, err)
	}
	booked, err := s.bookWithCourier(ctx, adapter.Courier, pluginAccess, job, in.Again)
	switch {
	case err == nil:
		return s.recordBookedShipment(ctx, who, job, booked)
	case errors.Is(err, plugin.ErrCourierRefused), errors.Is(err, plugin.ErrCourierNotFound): // not found: the courier has no such address
		return nil, s.discardBooking(ctx, job, errCourierRejected(in.Provider, err))
	case fault.HasCode(err, fault.CodeStateConflict): // nothing was sent
		return nil, errors.Join(err, s.data.Update(context.WithoutCancel(ctx), func(_ context.Context, tx *db.Tx) error {
			return withdrawRequest(tx, job.booking, job.requestedBefore)
		}))
	}
	err = errors.Join(
		err,
		s.data.Update(context.WithoutCancel(ctx), func(_ context.Context, tx *db.Tx) error { return s.markUnanswered(tx, orderID) }),
	)
	return nil, &fault.Error{Code: fault.CodeUnavailable, Err: err,
		Message: "The courier did not respond, so the shipment may be booked. Repeat the request: it looks the shipment up and books nothing twice."}
}

// courierFor returns a courier that is configured for bookings, and the access to it. Codes:
// validation_failed (not a courier), state_conflict (settings are missing).
func (s *Orders) courierFor(ctx context.Context, provider plugin.Provider, mode plugin.Mode) (*plugin.Plugin, plugin.Access, error) {
	adapter, pluginAccess, ok, err := s.cfg.Plugin(ctx, provider, plugin.CanBook, mode)
	switch {
	case err != nil:
		return nil, pluginAccess, err
	case adapter == nil || adapter.Courier == nil:
		var bad fault.Invalid
		bad.Add("provider", fault.CodeInvalidValue, "The courier must be %s or %s.", plugin.CourierA, plugin.CourierB)
		return nil, pluginAccess, bad.Err()
	case !ok:
		lacks, err := s.cfg.MissingSettings(ctx, provider, plugin.CanBook, mode)
		if err != nil {
			return nil, pluginAccess, err
		}
		e := fault.Errorf(fault.CodeStateConflict, "The account of %s is not complete: enter it in the settings.", provider.Name())
		e.Details = map[string]any{"missing": lacks}
		return nil, pluginAccess, e
	}
	return adapter, pluginAccess, nil
}

// ErrNothingDone marks errors of requests that a courier or a gateway has finally refused, without
// any effect.
var ErrNothingDone = errors.New("the provider refused: nothing was done")

func errCourierRejected(provider plugin.Provider, err error) error {
	e := errCourier("The shipment was not booked", provider, err)
	e.Err = fmt.Errorf("%w: %w", ErrNothingDone, err)
	return e
}

// errCourier returns the error of a request that a courier refused or certainly did not receive.
// The reason is also in the details, for programs with a sentence of their own.
func errCourier(message string, provider plugin.Provider, err error) *fault.Error {
	_, isUnreached := errors.AsType[plugin.Unreached](err)
	words := plugin.CourierWords(err)
	return &fault.Error{
		Code: fault.CodeStateConflict, Err: err, Message: message + ": " + words + ".",
		Details: map[string]any{"provider": provider, "reached": !isUnreached, "words": words},
	}
}

// bookingJob is a stored booking with the request to send.
type bookingJob struct {
	booking *bookingRow
	request plugin.ShipmentRequest
	unsure  bool // requested before, without a response
	isNew   bool // the courier has created the shipment with this request
	// reason why the booking may be looked up but not repeated; nil means that it may be repeated
	blocked error

	requestedBefore time.Time // the earlier request of an uncertain booking
}

// beginBooking stores a booking before the courier is called.
func (s *Orders) beginBooking(
	ctx context.Context, who access.Staff, orderID string, in BookingInput, currency money.Currency,
) (*bookingJob, error) {
	var job *bookingJob
	err := s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		order, err := requireOrder(tx, orderID)
		if err != nil {
			return err
		}
		job, err = s.newBooking(tx, order, in)
		if err != nil {
			return withStatus(err, order.auditState())
		}
		job.request, err = order.shipmentRequest(tx, job.booking, in, currency)
		if err != nil {
			return err
		}
		if err := saveBooking(tx, job.booking); err != nil {
			return err
		}
		changes := []access.Change{
			access.Set("provider", in.Provider), access.Set("reference", job.booking.ref), access.Set("cash", job.booking.cash),
		}
		if in.Place != (plugin.CourierPlace{}) {
			changes = append(changes, access.Set("place", in.Place))
		}
		return who.Audit(tx, order.subject(), changes...)
	})
	return job, err
}

// checkBooking is the rule of [Orders.BookShipment]. It returns the booking without a response to
// look up; nil if there is none. An empty provider means any. Codes: state_conflict, unavailable
// (requested less than bookingPause ago).
func (o *orderRow) checkBooking(tx *db.Tx, in BookingInput) (open *bookingRow, err error) {
	open, err = findOpenBooking(tx, o.id, in.Provider)
	if err == nil {
		if tx.Now().Sub(open.requestedAt) < bookingPause {
			return nil, &fault.Error{Code: fault.CodeUnavailable, RetryAfter: int(bookingPause / time.Second),
				Message: "The shipment is being booked, or a booking was requested a moment ago. Try again in a minute."}
		}
		return open, nil
	}
	if !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	if err := o.bookingBlocked(in.Another); err != nil {
		return nil, err
	}
	switch other, err := findOpenBooking(tx, o.id, ""); {
	case err == nil && !in.Another:
		return nil, fault.Errorf(
			fault.CodeStateConflict,
			"It is unknown whether %[1]s has a shipment of this order. Book with %[1]s again to look it up, "+
				"or search for %[2]s in its panel. If it is not there, book another shipment.",
			other.provider.Name(),
			other.ref,
		)
	case err != nil && !errors.Is(err, db.ErrNotFound):
		return nil, err
	}
	return nil, nil
}

// newBooking returns the order's booking that has no response, or a new one. Codes: as for
// checkBooking.
func (s *Orders) newBooking(tx *db.Tx, o *orderRow, in BookingInput) (*bookingJob, error) {
	open, err := o.checkBooking(tx, in)
	if err != nil {
		return nil, err
	}
	if open != nil {
		job := &bookingJob{booking: open, unsure: true, blocked: o.bookingBlocked(in.Another), requestedBefore: open.requestedAt}
		open.requestedAt = tx.Now()
		return job, nil
	}
	count, err := countBookings(tx, o.id, in.Provider)
	if err != nil {
		return nil, err
	}
	// shipments that staff have booked in the courier's panel may also have the order's reference
	recorded := 0
	for _, shipment := range o.shipments {
		if shipment.provider == in.Provider {
			recorded++
		}
	}
	b := o.newBooking(in.Provider, max(count, recorded)+1)
	b.id, b.requestedAt = s.ids.Next(tx.Now()), tx.Now()
	return &bookingJob{booking: b}, nil
}

// mode returns the mode of the providers that serve the order.
func (o *orderRow) mode() plugin.Mode {
	if o.test != 0 {
		return plugin.Sandbox
	}
	return plugin.Live
}

// newBooking returns the n-th booking of the order with a courier, with the cash to collect.
func (o *orderRow) newBooking(provider plugin.Provider, n int) *bookingRow {
	b := &bookingRow{orderID: o.id, provider: provider, ref: shipmentRef(o.id, n), mode: o.mode()}
	if !slices.ContainsFunc(o.shipments, func(p *shipmentRow) bool { return p.status.CollectsCash() }) {
		b.cash = o.cashDue()
	}
	return b
}

// bookingBlocked returns the reason why no shipment of the order may be booked; nil if one may.
func (o *orderRow) bookingBlocked(another bool) error {
	if blocked := o.shippingBlocked(); blocked != "" {
		return fault.Errorf(fault.CodeStateConflict, "%s", blocked)
	}
	if o.advanceDue() > 0 {
		return errAdvanceOpen()
	}
	if live := o.openShipments(); len(live) > 0 && !another {
		return fault.Errorf(fault.CodeStateConflict, "A shipment of this order is already under way with %s (%s). "+
			"If it was deleted in the courier's panel, cancel it first.",
			live[0].provider.Name(), db.TextOf(live[0].consignmentID))
	}
	return nil
}

// shipmentRequest returns the request that books a shipment of the whole order.
func (o *orderRow) shipmentRequest(tx *db.Tx, b *bookingRow, in BookingInput, currency money.Currency) (plugin.ShipmentRequest, error) {
	shipment := plugin.ShipmentRequest{
		Ref: b.ref, Name: o.name, Phone: o.phone, Cash: b.cash, Currency: currency, WeightGrams: in.WeightGrams, Note: in.Note,
		Place: in.Place, Station: in.stationName,
		Address: plugin.ShipmentAddress{
			Way: joinNonEmpty(o.line1, o.line2), Place: joinNonEmpty(o.area, o.city, o.postcode),
		},
	}
	var titles []string
	for _, item := range o.items {
		shipment.Items += item.quantity
		titles = append(titles, fmt.Sprintf("%d × %s", item.quantity, item.title))
	}
	shipment.Title = strings.Join(titles, ", ")
	if shipment.WeightGrams == 0 {
		grams, err := findOrderWeight(tx, o.id)
		if err != nil {
			return plugin.ShipmentRequest{}, err
		}
		shipment.WeightGrams = grams
	}
	return shipment, nil
}

// joinNonEmpty joins the parts that are not empty with commas.
func joinNonEmpty(parts ...string) string {
	var filled []string
	for _, part := range parts {
		if part != "" {
			filled = append(filled, part)
		}
	}
	return strings.Join(filled, ", ")
}
