package order

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/status"
)

// subject returns the order as in the audit log.
func (o *orderRow) subject() access.Subject {
	return access.Subject{Kind: access.SubjectOrder, ID: o.id, Label: fmt.Sprint(o.number)}
}

// auditState is the state of an order that the audit log compares.
type auditState struct {
	status      status.Order
	payment     status.Payment
	fulfillment status.Fulfillment
	shipment    status.Shipment // of the current one; noShipment if there is none
	reason      string
	shipments   string
	advance     int64
	asked       int64
	damaged     string
	restocked   string
	credits     string
}

// withStatus adds the order's statuses to the error of a change that they do not allow, so that a
// program need not read them from the message.
func withStatus(err error, was auditState) error {
	details := map[string]any{"status": was.status, "paymentStatus": was.payment, "fulfillmentStatus": was.fulfillment}
	if was.shipment != noShipment {
		details["shipmentStatus"] = was.shipment
	}
	return withDetails(err, details)
}

// withDetails adds details to a conflict with the status of a record. Existing ones remain.
func withDetails(err error, details map[string]any) error {
	conflict, ok := errors.AsType[*fault.Error](err)
	if !ok || conflict.Code != fault.CodeStateConflict && conflict.Code != fault.CodeNotCancellable {
		return err
	}
	with := *conflict
	with.Details = maps.Clone(details)
	maps.Copy(with.Details, conflict.Details)
	return &with
}

func (o *orderRow) auditState() auditState {
	var shipments []string
	for _, p := range o.shipments {
		shipments = append(shipments, fmt.Sprintf("%s %s: %s", p.provider, db.TextOf(p.consignmentID), p.status))
	}
	return auditState{
		o.status, o.payment, o.fulfillment, o.shipmentStatus, o.cancelReason, strings.Join(shipments, ", "), o.advance, o.asked.amount,
		describeUnits(o.damagedItems()), describeUnits(o.restockedItems()), o.creditsText(),
	}
}

// changes returns the differences to an earlier state.
func (a auditState) changes(before auditState) []access.Change {
	return slices.Concat(
		access.Changed("status", before.status, a.status), access.Changed("paymentStatus", before.payment, a.payment),
		access.Changed("fulfillmentStatus", before.fulfillment, a.fulfillment), access.Changed("cancelReason", before.reason, a.reason),
		access.Changed("shipments", before.shipments, a.shipments), access.Changed("advance", before.advance, a.advance),
		access.Changed("advanceAsked", before.asked, a.asked),
		access.Changed("damaged", before.damaged, a.damaged), access.Changed("restocked", before.restocked, a.restocked),
		access.Changed("credits", before.credits, a.credits),
	)
}

// subject returns the payment attempt as in the audit log.
func (p *payment) subject() access.Subject {
	return access.Subject{Kind: access.SubjectPayment, ID: p.attempt.id, Label: fmt.Sprint(p.order.number)}
}
