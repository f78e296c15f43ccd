package shop

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/job"
	"storefront/shop/plugin"
)

// OrderAction is an action on many orders.
//
//api:enum OrderAction
type OrderAction string

// The actions on many orders.
const (
	OrdersConfirm OrderAction = "confirm" // confirm cash orders
	OrdersCancel  OrderAction = "cancel"  // cancel orders
	OrdersBook    OrderAction = "book"    // book a shipment of each with a courier
	// Query the courier for the status of their shipments.
	OrdersTrack       OrderAction = "track"
	OrdersDeliver     OrderAction = "deliver"     // record that the buyers received them
	OrdersReturn      OrderAction = "return"      // record that their goods are back
	OrdersTag         OrderAction = "tag"         // add tags to them
	OrdersUntag       OrderAction = "untag"       // remove tags from them
	OrdersNote        OrderAction = "note"        // add a note to each
	OrdersMarkPrinted OrderAction = "markPrinted" // record that a document of them was printed
)

// OrderOptions are the further options of actions on orders.
type OrderOptions struct {
	Provider plugin.Provider `json:"provider,omitempty"` // book: the courier
	Note     string          `json:"note,omitempty"`     // book: for the courier, "" means none; note: for the staff
	Reason   string          `json:"reason,omitempty"`   // cancel: for the timeline; "" means none
	Tags     []string        `json:"tags,omitempty"`     // tag, untag

	// Places are the destinations of shipments, by the order's invoice UID, for book. Without one, the
	// courier derives it from the address.
	Places map[string]plugin.CourierPlace `json:"places,omitempty"`

	Document PrintKind `json:"document,omitempty"` // markPrinted: the document; "" means a label
}

// orderAction defines an [OrderAction] on each order.
type orderAction struct {
	use     access.UseCase
	outside bool // it calls couriers
	// check adds invalid options to bad; nil means that there are none.
	check func(in *OrderOptions, bad *fault.Invalid)
	// rule is the rule of the use case.
	rule func(tx *db.Tx, o *orderRow, in OrderOptions) error
	// do executes the use case.
	do func(ctx context.Context, s *Orders, caller access.Caller, uid string, in OrderOptions) error
}

// parallelCouriers is the number of concurrent items of a job with couriers.
const parallelCouriers = 4

var orderActions = map[OrderAction]orderAction{
	OrdersConfirm: {
		use:  access.ToConfirmOrder,
		rule: func(_ *db.Tx, o *orderRow, _ OrderOptions) error { return o.checkConfirm() },
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, _ OrderOptions) error {
			_, err := s.ConfirmOrder(ctx, caller, uid)
			return err
		},
	},
	OrdersCancel: {
		use: access.ToCancelOrderAsStaff,
		check: func(in *OrderOptions, bad *fault.Invalid) {
			in.Reason = input.CheckLine(bad, "options.reason", in.Reason, MaxCancelReason)
		},
		rule: func(_ *db.Tx, o *orderRow, _ OrderOptions) error { return o.checkCancel(viewStaff) },
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, in OrderOptions) error {
			_, err := s.CancelOrderAsStaff(ctx, caller, uid, in.Reason)
			return err
		},
	},
	OrdersBook: {
		use: access.ToBookShipment, outside: true,
		check: func(in *OrderOptions, bad *fault.Invalid) {
			if in.Provider != plugin.CourierA && in.Provider != plugin.CourierB {
				bad.Add("options.provider", fault.CodeInvalidValue, "The courier must be %s or %s.", plugin.CourierA, plugin.CourierB)
			}
			in.Note = input.CheckLine(bad, "options.note", in.Note, MaxCancelReason)
			in.checkPlaces(bad)
		},
		rule: func(tx *db.Tx, o *orderRow, in OrderOptions) error {
			_, err := o.checkBooking(tx, in.booking(o.id))
			return err
		},
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, in OrderOptions) error {
			_, err := s.BookShipment(ctx, caller, uid, in.booking(uid))
			return err
		},
	},
	OrdersTrack: {
		use: access.ToTrackShipments, outside: true,
		rule: func(_ *db.Tx, o *orderRow, _ OrderOptions) error { return o.checkTrack() },
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, _ OrderOptions) error {
			who, err := s.data.Authorize(ctx, caller, access.ToTrackShipments)
			if err != nil {
				return err
			}
			return s.trackOrder(ctx, who, uid)
		},
	},
	OrdersDeliver: {
		use:  access.ToMarkDelivered,
		rule: func(_ *db.Tx, o *orderRow, _ OrderOptions) error { return o.checkDelivered() },
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, _ OrderOptions) error {
			_, err := s.MarkDelivered(ctx, caller, uid, nil)
			return err
		},
	},
	OrdersReturn: {
		use:  access.ToMarkReturned,
		rule: func(_ *db.Tx, o *orderRow, _ OrderOptions) error { return o.checkReturned() },
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, _ OrderOptions) error {
			_, err := s.MarkReturned(ctx, caller, uid, nil)
			return err
		},
	},
	OrdersTag:   tagAction(func(tags []string) TagChange { return TagChange{Add: tags} }),
	OrdersUntag: tagAction(func(tags []string) TagChange { return TagChange{Remove: tags} }),
	OrdersNote: {
		use: access.ToAddNote,
		check: func(in *OrderOptions, bad *fault.Invalid) {
			in.Note = checkStaffNote(bad, "options.note", in.Note)
		},
		rule: func(tx *db.Tx, o *orderRow, _ OrderOptions) error { return checkNoteCount(tx, o) },
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, in OrderOptions) error {
			_, err := s.AddNote(ctx, caller, uid, in.Note)
			return err
		},
	},
	OrdersMarkPrinted: {
		use: access.ToMarkPrinted,
		check: func(in *OrderOptions, bad *fault.Invalid) {
			in.Document = cmp.Or(in.Document, PrintLabel)
			checkPrintKind(bad, "options.document", in.Document)
		},
		rule: func(*db.Tx, *orderRow, OrderOptions) error { return nil },
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, in OrderOptions) error {
			_, err := s.MarkPrinted(ctx, caller, uid, in.Document)
			return err
		},
	},
}

// tagAction returns the action of a change of tags.
func tagAction(change func(tags []string) TagChange) orderAction {
	return orderAction{
		use: access.ToTagOrder,
		check: func(in *OrderOptions, bad *fault.Invalid) {
			if in.Tags = checkTags(bad, "options.tags", in.Tags); len(in.Tags) == 0 {
				bad.Add("options.tags", fault.CodeRequired, "At least one tag is required.")
			}
		},
		rule: func(tx *db.Tx, o *orderRow, in OrderOptions) error {
			tags := change(in.Tags)
			_, _, err := tags.check(tx, o)
			return err
		},
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, in OrderOptions) error {
			_, err := s.TagOrder(ctx, caller, uid, change(in.Tags))
			return err
		},
	}
}

// booking returns the booking of an order's shipment.
func (in OrderOptions) booking(uid string) BookingInput {
	return BookingInput{Provider: in.Provider, Note: in.Note, Place: in.Places[uid]}
}

// checkPlaces checks the places of shipments, and normalizes the invoice UIDs of their orders.
func (in *OrderOptions) checkPlaces(bad *fault.Invalid) {
	if len(in.Places) > job.MaxIDs {
		bad.Add("options.places", fault.CodeInvalidValue, "Must be at most %d places.", job.MaxIDs)
		return
	}
	places := make(map[string]plugin.CourierPlace, len(in.Places))
	for _, id := range slices.Sorted(maps.Keys(in.Places)) {
		uid, err := requireInvoiceUID(id)
		if err != nil {
			bad.Add("options.places", fault.CodeInvalidValue, "Must name orders by their invoice UIDs.")
			return
		}
		one := BookingInput{Place: in.Places[id]}
		one.checkPlace(bad)
		places[uid] = in.Places[id]
	}
	in.Places = places
}

// OrderActionNames returns the actions on many orders.
func OrderActionNames() []OrderAction { return slices.Sorted(maps.Keys(orderActions)) }
