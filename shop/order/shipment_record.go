package order

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/fault"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// bookWithCourier books the shipment. A possible earlier booking is looked up first, and again if
// the response is lost now.
func (s *Orders) bookWithCourier(
	ctx context.Context,
	courier plugin.Courier,
	pluginAccess plugin.Access,
	job *bookingJob,
	again bool,
) (plugin.BookedShipment, error) {
	ref := plugin.ShipmentRef{Ref: job.request.Ref, Currency: job.request.Currency}
	if job.unsure {
		found, err := courier.Find(ctx, pluginAccess, ref)
		switch {
		case err == nil:
			return found, nil
		case errors.Is(err, plugin.ErrCourierNotFound), errors.Is(err, plugin.ErrCourierUnsupported) && again:
		case errors.Is(err, plugin.ErrCourierUnsupported):
			return plugin.BookedShipment{}, errCheckManually(job.request.Ref)
		default: // a refused lookup does not show whether the shipment exists
			return plugin.BookedShipment{}, fmt.Errorf("%w: %v", plugin.ErrCourierUnknown, err)
		}
		if job.blocked != nil {
			return plugin.BookedShipment{}, job.blocked
		}
	}
	booked, err := courier.Book(ctx, pluginAccess, job.request)
	job.isNew = err == nil
	if !errors.Is(err, plugin.ErrCourierUnknown) {
		return booked, err
	}
	if found, findErr := courier.Find(ctx, pluginAccess, ref); findErr == nil {
		return found, nil
	}
	return plugin.BookedShipment{}, err
}

// errCheckManually is the error for a courier without a lookup by our reference.
func errCheckManually(ref string) error {
	return fault.Errorf(fault.CodeStateConflict, "It is unknown whether the courier has this shipment, and the courier does not support lookups. "+
		"Search for %s in its panel: record it with --consignment if it is there, otherwise book it with --again.", ref)
}

// discardBooking deletes a booking that certainly failed, and returns the cause. A booking that may
// have succeeded earlier stays.
func (s *Orders) discardBooking(ctx context.Context, job *bookingJob, cause error) error {
	if job.unsure {
		return cause
	}
	ctx, cancel := db.Detach(ctx) // the courier has refused, even if the caller has disconnected
	defer cancel()
	err := s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		if err := deleteBooking(tx, job.booking.id); err != nil {
			return err
		}
		dropped, err := dropFlag(tx, job.booking.orderID, "", FlagOldAddress) // the courier has no address
		if err != nil {
			return err
		}
		if !dropped {
			return nil
		}
		return s.followRecords(tx, job.booking.orderID, ByShop, facts{flags: true})
	})
	return errors.Join(cause, err)
}

// recordBookedShipment stores a booked shipment, its fee and the cash due. The courier's webhook
// may have created the shipment before.
func (s *Orders) recordBookedShipment(ctx context.Context, who access.Staff, job *bookingJob, booked plugin.BookedShipment) (*StaffOrder, error) {
	// The courier has the shipment, even if the caller has disconnected or lost the permission.
	ctx = context.WithoutCancel(ctx)
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	var view *StaffOrder
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		o, err := requireOrder(tx, job.booking.orderID)
		if err != nil {
			return err
		}
		before := o.auditState()
		if err := s.addBookedShipment(tx, who, o, job, booked); err != nil {
			return withStatus(err, before)
		}
		if err := completeItem(tx, who); err != nil {
			return err
		}
		view, err = staffView(tx, o, set.Display, who)
		return err
	})
	return view, err
}

// addBookedShipment adds a booked shipment to its order. Codes: state_conflict.
func (s *Orders) addBookedShipment(
	tx *db.Tx, who access.Staff, o *orderRow, job *bookingJob, booked plugin.BookedShipment,
) error {
	b := job.booking
	c := s.changeAsStaff(tx, o, who)
	shipment := o.shipmentByConsignment(b.provider, booked.ConsignmentID)
	if shipment == nil {
		if err := consignmentIsFree(tx, b.provider, booked.ConsignmentID); err != nil {
			return err
		}
		shipment = &shipmentRow{provider: b.provider, consignmentID: db.NullText(booked.ConsignmentID), status: status.ShipmentCreated}
		c.addShipment(shipment, c.now)
	}
	if shipment.trackingCode == "" && booked.TrackingCode != "" && c.err == nil {
		shipment.trackingCode = booked.TrackingCode
		c.err = updateShipment(tx, shipment)
	}
	if booked.Fee != nil {
		c.addLedgerEntry(cash.Entry{ShipmentID: shipment.id, Kind: cash.EntryFee, Amount: booked.Fee, Source: cash.FromOrder, At: c.now})
	}
	if c.err == nil {
		c.err = s.linkBooking(tx, b, shipment)
	}
	var sent time.Time // a shipment that was found may have been sent before a change of the address
	if job.isNew {
		sent = b.requestedAt
	}
	c.moveOldAddress(shipment.id, sent)
	if shipment.consignmentID == nil {
		return c.save()
	}
	c.linkOpenBooking(shipment)
	if err := c.save(); err != nil {
		return err
	}
	return s.applyPendingWebhooks(tx, o, b.provider, *shipment.consignmentID)
}

// consignmentIsFree checks that a newly assigned consignment ID does not belong to another order.
// If it does, the booking stays without a shipment, for staff to check. Codes: state_conflict.
func consignmentIsFree(tx *db.Tx, provider plugin.Provider, consignmentID string) error {
	other, err := findConsignmentOrder(tx, provider, consignmentID)
	if err != nil {
		return err
	}
	if other == "" {
		return nil
	}
	return fault.Errorf(fault.CodeStateConflict, "%s reported the consignment ID %s, which order %s already has. "+
		"Search for the order's reference in its panel, and record the shipment with its own consignment ID.", provider, consignmentID, other)
}

// shipmentByConsignment returns the shipment with this consignment ID; nil if the order has none.
func (o *orderRow) shipmentByConsignment(provider plugin.Provider, consignmentID string) *shipmentRow {
	for _, shipment := range o.shipments {
		if shipment.provider == provider && db.TextOf(shipment.consignmentID) == consignmentID {
			return shipment
		}
	}
	return nil
}
