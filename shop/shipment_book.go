package shop

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
	"storefront/shop/input"
	"storefront/shop/money"
)

// BookingInput asks a courier to carry a parcel of an order.
type BookingInput struct {
	Provider    Provider
	Note        string // for the courier's people; "": none
	WeightGrams int64  // 0: as the catalogue has it
	Another     bool   // one more parcel, beside those under way
	// Again books a parcel whose booking got no answer. It is for a person who has looked at the
	// courier's panel and not found it there.
	Again bool
}

// bookingPause is how long a booking counts as under way: another one may not begin in it.
const bookingPause = time.Minute

// BookShipment hands a parcel of an order to a courier and gives the order with it. What is asked is
// written down first. When the answer is lost the parcel may be booked: the next call looks it up
// before anything else, and nothing is booked twice. Codes: validation_failed, not_found,
// state_conflict (the order's state, a parcel under way, a refusal of the courier), unavailable (no
// answer so far).
func (s *Shop) BookShipment(ctx context.Context, caller access.Caller, invoiceUID string, in BookingInput) (*Order, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	in.Note = input.CheckLine(&bad, "note", in.Note, MaxCancelReason)
	if in.WeightGrams < 0 {
		bad.Add("weight", fault.CodeInvalidValue, "A weight is not negative.")
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	orderID, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	job, err := s.beginBooking(ctx, orderID, in, set.money)
	if err != nil {
		return nil, err
	}
	plugin, access, err := s.courierFor(ctx, in.Provider, job.booking.mode)
	if err != nil {
		return nil, s.discardBooking(ctx, job, err)
	}
	booked, err := s.bookWithCourier(ctx, plugin.Courier, access, job, in.Again)
	switch {
	case err == nil:
		return s.recordBookedShipment(ctx, job, booked)
	case errors.Is(err, ErrCourierRefused), errors.Is(err, ErrCourierNotFound): // the latter has no such address
		return nil, s.discardBooking(ctx, job, errCourierRejected(err))
	case fault.HasCode(err, fault.CodeStateConflict):
		return nil, err
	}
	return nil, &fault.Error{Code: fault.CodeUnavailable, Err: err,
		Message: "The courier gave no answer: the parcel may be booked. The same command again looks it up, and books nothing twice."}
}

// courierFor gives a courier that can be asked to carry parcels.
func (s *Shop) courierFor(ctx context.Context, provider Provider, mode Mode) (*Plugin, PluginAccess, error) {
	plugin, access, ok, err := s.pluginFor(ctx, provider, CanBook, mode)
	switch {
	case err != nil:
		return nil, access, err
	case plugin == nil || plugin.Courier == nil:
		var bad fault.Invalid
		bad.Add("provider", fault.CodeInvalidValue, "A courier is %s or %s.", CourierA, CourierB)
		return nil, access, bad.Err()
	case !ok:
		_, values, err := s.loadPluginValues(ctx)
		if err != nil {
			return nil, access, err
		}
		lacks, _ := plugin.missing(CanBook, access.Mode, values[provider])
		return nil, access, fault.Errorf(fault.CodeStateConflict, "%s lacks settings to book parcels: %s.", provider, strings.Join(lacks, ", "))
	}
	return plugin, access, nil
}

func errCourierRejected(err error) error {
	return &fault.Error{Code: fault.CodeStateConflict, Message: "The courier did not take the parcel. " + err.Error()}
}

// bookingJob is a booking that was written down.
type bookingJob struct {
	booking *bookingRow
	request ShipmentRequest
	unsure  bool  // it was asked for before, and no answer came
	blocked error // why it may be looked up and not be asked for again; nil: it may
}

// beginBooking writes down that a courier is asked to carry a parcel.
func (s *Shop) beginBooking(ctx context.Context, orderID string, in BookingInput, money money.Currency) (*bookingJob, error) {
	var job *bookingJob
	err := s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		order, err := requireOrder(tx, orderID)
		if err != nil {
			return err
		}
		job, err = s.newBooking(tx, order, in)
		if err != nil {
			return err
		}
		job.request, err = order.shipmentRequest(tx, job.booking, in, money)
		if err != nil {
			return err
		}
		return saveBooking(tx, job.booking)
	})
	return job, err
}

// newBooking gives the order's booking that waits for its answer, or a new one.
func (s *Shop) newBooking(tx *db.Tx, o *orderRow, in BookingInput) (*bookingJob, error) {
	open, err := findOpenBooking(tx, o.id, in.Provider)
	if err == nil {
		if tx.Now().Sub(open.requestedAt) < bookingPause && !in.Again {
			return nil, &fault.Error{Code: fault.CodeUnavailable, RetryAfter: int(bookingPause / time.Second),
				Message: "This parcel is being booked, or was asked for a moment ago. Try again in a minute."}
		}
		open.requestedAt = tx.Now()
		return &bookingJob{booking: open, unsure: true, blocked: o.bookingBlocked(in.Another)}, nil
	}
	if !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	if err := o.bookingBlocked(in.Another); err != nil {
		return nil, err
	}
	switch other, err := findOpenBooking(tx, o.id, ""); {
	case err == nil && !in.Another:
		return nil, fault.Errorf(fault.CodeStateConflict, "It is not known whether %[1]s has a parcel of this order: ship it with %[1]s again, which looks it up, "+
			"or look for %[2]s in its panel, and book with --another if it is not there.", other.provider, other.ref)
	case err != nil && !errors.Is(err, db.ErrNotFound):
		return nil, err
	}
	asked, err := countBookings(tx, o.id, in.Provider)
	if err != nil {
		return nil, err
	}
	b := &bookingRow{
		id: s.ids.Next(tx.Now()), orderID: o.id, provider: in.Provider, ref: shipmentRef(o.id, asked+1), mode: Live, requestedAt: tx.Now(),
	}
	if o.test != 0 {
		b.mode = Sandbox
	}
	if o.method == PayCOD && o.payment == PaymentUnpaid && !slices.ContainsFunc(o.shipments, (*shipmentRow).collectsCash) {
		b.cash = o.total
	}
	return &bookingJob{booking: b}, nil
}

// bookingBlocked says why no courier may be asked to carry a parcel of the order; nil: one may.
func (o *orderRow) bookingBlocked(another bool) error {
	if blocked := o.shippingBlocked(); blocked != "" {
		return fault.Errorf(fault.CodeStateConflict, "%s", blocked)
	}
	if live := o.openShipments(); len(live) > 0 && !another {
		return fault.Errorf(fault.CodeStateConflict, "A parcel of this order is under way with %s already (%s).", live[0].provider, db.TextOf(live[0].consignmentID))
	}
	return nil
}

// shipmentRequest tells the courier what to carry.
func (o *orderRow) shipmentRequest(tx *db.Tx, b *bookingRow, in BookingInput, money money.Currency) (ShipmentRequest, error) {
	parcel := ShipmentRequest{
		Ref: b.ref, Name: o.name, Phone: o.phone, Cash: b.cash, Currency: money, WeightGrams: in.WeightGrams, Note: in.Note,
		Address: joinNonEmpty(o.line1, o.line2, o.area, o.city, o.postcode),
	}
	var titles []string
	for _, item := range o.items {
		parcel.Items += item.quantity
		titles = append(titles, fmt.Sprintf("%d × %s", item.quantity, item.title))
	}
	parcel.Title = strings.Join(titles, ", ")
	if parcel.WeightGrams == 0 {
		grams, err := findOrderWeight(tx, o.id)
		if err != nil {
			return ShipmentRequest{}, err
		}
		parcel.WeightGrams = grams
	}
	return parcel, nil
}

// joinNonEmpty joins the parts that are there.
func joinNonEmpty(parts ...string) string {
	var there []string
	for _, part := range parts {
		if part != "" {
			there = append(there, part)
		}
	}
	return strings.Join(there, ", ")
}

// bookWithCourier books the parcel. One that may be booked is looked up first, and so is one whose
// answer is lost now.
func (s *Shop) bookWithCourier(ctx context.Context, courier Courier, access PluginAccess, job *bookingJob, again bool) (BookedShipment, error) {
	ref := ShipmentRef{Ref: job.request.Ref, Currency: job.request.Currency}
	if job.unsure {
		found, err := courier.Find(ctx, access, ref)
		switch {
		case err == nil:
			return found, nil
		case errors.Is(err, ErrCourierNotFound), errors.Is(err, ErrCourierUnsupported) && again:
		case errors.Is(err, ErrCourierUnsupported):
			return BookedShipment{}, errCheckManually(job.request.Ref)
		default: // a refusal to look says nothing of the parcel
			return BookedShipment{}, fmt.Errorf("%w: %v", ErrCourierUnknown, err)
		}
		if job.blocked != nil {
			return BookedShipment{}, job.blocked
		}
	}
	booked, err := courier.Book(ctx, access, job.request)
	if !errors.Is(err, ErrCourierUnknown) {
		return booked, err
	}
	if found, findErr := courier.Find(ctx, access, ref); findErr == nil {
		return found, nil
	}
	return BookedShipment{}, err
}

// errCheckManually is for a courier that can not be asked for a parcel by our own reference.
func errCheckManually(ref string) error {
	return fault.Errorf(fault.CodeStateConflict, "It is not known whether the courier has this parcel, and it can not be asked. "+
		"Look for %s in its panel: if it is there, enter it with --consignment; if it is not, book it with --again.", ref)
}

// discardBooking forgets a booking that surely came to nothing, and gives back why. One that may have
// come to something before is kept.
func (s *Shop) discardBooking(ctx context.Context, job *bookingJob, cause error) error {
	if job.unsure {
		return cause
	}
	err := s.update(ctx, func(_ context.Context, tx *db.Tx) error { return deleteBooking(tx, job.booking.id) })
	return errors.Join(cause, err)
}

// recordBookedShipment writes down what the courier booked. Its own call about the parcel may have come
// first.
func (s *Shop) recordBookedShipment(ctx context.Context, job *bookingJob, booked BookedShipment) (*Order, error) {
	// The parcel is booked, whatever becomes of the one who asked.
	ctx = context.WithoutCancel(ctx)
	b := job.booking
	return s.changeOrderAsStaff(ctx, b.orderID, func(tx *db.Tx, o *orderRow) error {
		c := s.changeOrder(tx, o, ByStaff)
		parcel := o.shipmentByConsignment(b.provider, booked.ConsignmentID)
		if parcel == nil {
			parcel = &shipmentRow{provider: b.provider, consignmentID: db.NullText(booked.ConsignmentID), status: ShipmentCreated}
			c.addShipment(parcel, c.now)
		}
		if parcel.trackingCode == "" && booked.TrackingCode != "" && c.err == nil {
			parcel.trackingCode = booked.TrackingCode
			c.err = updateShipment(tx, parcel)
		}
		if err := c.save(); err != nil {
			return err
		}
		if booked.Fee != nil {
			fee := ledgerEntry{shipmentID: parcel.id, kind: cashFee, amount: booked.Fee, source: cashFromOrder, at: c.now}
			if err := s.addLedgerEntry(tx, fee); err != nil {
				return err
			}
		}
		if err := s.linkBooking(tx, b, parcel); err != nil || parcel.consignmentID == nil {
			return err
		}
		return s.onConsignmentAssigned(tx, o, parcel)
	})
}

// shipmentByConsignment gives the parcel with this consignment; nil where the order has none.
func (o *orderRow) shipmentByConsignment(provider Provider, consignmentID string) *shipmentRow {
	for _, p := range o.shipments {
		if p.provider == provider && db.TextOf(p.consignmentID) == consignmentID {
			return p
		}
	}
	return nil
}
