package order

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

// BulkAction is an action on many orders.
//
//api:enum OrderAction
type BulkAction string

// The actions on many orders.
const (
	BulkConfirm BulkAction = "confirm" // confirm cash orders
	BulkCancel  BulkAction = "cancel"  // cancel orders
	BulkBook    BulkAction = "book"    // book a shipment of each with a courier
	// Query the courier for the status of their shipments.
	BulkTrack       BulkAction = "track"
	BulkDeliver     BulkAction = "deliver"     // record that the buyers received them
	BulkReturn      BulkAction = "return"      // record that their goods are back
	BulkTag         BulkAction = "tag"         // add tags to them
	BulkUntag       BulkAction = "untag"       // remove tags from them
	BulkNote        BulkAction = "note"        // add a note to each
	BulkMarkPrinted BulkAction = "markPrinted" // record that a document of them was printed
)

// BulkOptions are the further options of actions on orders.
type BulkOptions struct {
	Provider plugin.Provider `json:"provider,omitempty"` // book: the courier
	Note     string          `json:"note,omitempty"`     // book: for the courier, "" means none; note: for the staff
	Reason   string          `json:"reason,omitempty"`   // cancel: for the timeline; "" means none
	Tags     []string        `json:"tags,omitempty"`     // tag, untag
	Undo     string          `json:"undo,omitempty"`     // the name of the change; "" means that it cannot be undone

	// SkipShortAddresses leaves out orders with an address that couriers would reject, for confirm.
	SkipShortAddresses bool `json:"skipShortAddresses,omitempty"`

	// Places are the destinations of shipments, by the order's invoice UID, for book. Without one, the
	// courier derives it from the address.
	Places map[string]plugin.CourierPlace `json:"places,omitempty"`

	Document PrintKind `json:"document,omitempty"` // markPrinted: the document; "" means a label
}

// bulkAction defines a [BulkAction] on each order.
type bulkAction struct {
	use      access.UseCase
	outside  bool // it calls couriers
	undoable bool
	// check adds invalid options to bad; nil means that there are none.
	check func(in *BulkOptions, bad *fault.Invalid)
	// rule is the rule of the use case.
	rule func(tx *db.Tx, o *orderRow, in BulkOptions) error
	// do executes the use case.
	do func(ctx context.Context, s *Orders, caller access.Caller, uid string, in BulkOptions) error
}

// parallelCouriers is the number of concurrent items of a job with couriers.
const parallelCouriers = 4

var bulkActions = map[BulkAction]bulkAction{
	BulkConfirm: {
		use: access.ToConfirmOrder, undoable: true,
		rule: func(_ *db.Tx, o *orderRow, in BulkOptions) error { return o.checkConfirmMany(in) },
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, in BulkOptions) error {
			_, err := s.confirmChecked(ctx, caller, uid,
				func(o *orderRow) error { return o.checkConfirmMany(in) })
			return err
		},
	},
	BulkCancel: {
		use: access.ToCancelOrderAsStaff, undoable: true,
		check: func(in *BulkOptions, bad *fault.Invalid) {
			in.Reason = input.CheckLine(bad, "options.reason", in.Reason, MaxCancelReason)
		},
		rule: func(_ *db.Tx, o *orderRow, _ BulkOptions) error { return o.checkCancel(viewStaff) },
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, in BulkOptions) error {
			_, err := s.CancelOrderAsStaff(ctx, caller, uid, in.Reason)
			return err
		},
	},
	BulkBook: {
		use: access.ToBookShipment, outside: true,
		check: func(in *BulkOptions, bad *fault.Invalid) {
			if in.Provider != plugin.CourierA && in.Provider != plugin.CourierB {
				bad.Add("options.provider", fault.CodeInvalidValue, "The courier must be %s or %s.", plugin.CourierA, plugin.CourierB)
			}
			in.Note = input.CheckLine(bad, "options.note", in.Note, MaxCancelReason)
			in.checkPlaces(bad)
		},
		rule: func(tx *db.Tx, o *orderRow, in BulkOptions) error {
			_, err := o.checkBooking(tx, in.booking(o.id))
			return err
		},
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, in BulkOptions) error {
			_, err := s.BookShipment(ctx, caller, uid, in.booking(uid))
			return err
		},
	},
	BulkTrack: {
		use: access.ToTrackShipments, outside: true,
		rule: func(_ *db.Tx, o *orderRow, _ BulkOptions) error { return o.checkTrack() },
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, _ BulkOptions) error {
			who, err := s.data.Authorize(ctx, caller, access.ToTrackShipments)
			if err != nil {
				return err
			}
			return s.trackOrder(ctx, who, uid)
		},
	},
	BulkDeliver: {
		use:  access.ToMarkDelivered,
		rule: func(_ *db.Tx, o *orderRow, _ BulkOptions) error { return o.checkDelivered() },
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, _ BulkOptions) error {
			_, err := s.MarkDelivered(ctx, caller, uid, nil)
			return err
		},
	},
	BulkReturn: {
		use:  access.ToMarkReturned,
		rule: func(_ *db.Tx, o *orderRow, _ BulkOptions) error { return o.checkReturned() },
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, _ BulkOptions) error {
			_, err := s.MarkReturned(ctx, caller, uid, nil)
			return err
		},
	},
	BulkTag:   tagAction(func(tags []string) TagChange { return TagChange{Add: tags} }),
	BulkUntag: tagAction(func(tags []string) TagChange { return TagChange{Remove: tags} }),
	BulkNote: {
		use: access.ToAddNote, undoable: true,
		check: func(in *BulkOptions, bad *fault.Invalid) {
			in.Note = checkStaffNote(bad, "options.note", in.Note)
		},
		rule: func(tx *db.Tx, o *orderRow, _ BulkOptions) error { return checkNoteCount(tx, o) },
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, in BulkOptions) error {
			_, err := s.AddNote(ctx, caller, uid, in.Note)
			return err
		},
	},
	BulkMarkPrinted: {
		use: access.ToMarkPrinted,
		check: func(in *BulkOptions, bad *fault.Invalid) {
			in.Document = cmp.Or(in.Document, PrintLabel)
			checkPrintKind(bad, "options.document", in.Document)
		},
		rule: func(*db.Tx, *orderRow, BulkOptions) error { return nil },
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, in BulkOptions) error {
			_, err := s.MarkPrinted(ctx, caller, uid, in.Document)
			return err
		},
	},
}

// checkOptions adds invalid options to bad.
func (a *bulkAction) checkOptions(in *BulkOptions, bad *fault.Invalid) {
	if a.check != nil {
		a.check(in, bad)
	}
	if in.Undo != "" && !a.undoable {
		bad.Add("undo", fault.CodeInvalidValue, "This action cannot be undone.")
	}
}

// checkUndoMany checks the number of changes with the same name. Codes: validation_failed.
func checkUndoMany(name string, count int) error {
	var bad fault.Invalid
	if name != "" && count > MaxUndone {
		bad.Add("undo", fault.CodeInvalidValue, "At most %d changes can be undone together.", MaxUndone)
	}
	return bad.Err()
}

// tagAction returns the action of a change of tags.
func tagAction(change func(tags []string) TagChange) bulkAction {
	return bulkAction{
		use: access.ToTagOrder, undoable: true,
		check: func(in *BulkOptions, bad *fault.Invalid) {
			if in.Tags = checkTags(bad, "options.tags", in.Tags); len(in.Tags) == 0 {
				bad.Add("options.tags", fault.CodeRequired, "At least one tag is required.")
			}
		},
		rule: func(tx *db.Tx, o *orderRow, in BulkOptions) error {
			tags := change(in.Tags)
			_, _, err := tags.check(tx, o)
			return err
		},
		do: func(ctx context.Context, s *Orders, caller access.Caller, uid string, in BulkOptions) error {
			_, err := s.TagOrder(ctx, caller, uid, change(in.Tags))
			return err
		},
	}
}

// booking returns the booking of an order's shipment.
func (in BulkOptions) booking(uid string) BookingInput {
	return BookingInput{Provider: in.Provider, Note: in.Note, Place: in.Places[uid]}
}

// checkPlaces checks the places of shipments, and normalizes the invoice UIDs of their orders.
func (in *BulkOptions) checkPlaces(bad *fault.Invalid) {
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

// BulkActions returns the actions on many orders.
func BulkActions() []BulkAction { return slices.Sorted(maps.Keys(bulkActions)) }
