package shop

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// mask removes all data that a caller who only knows the invoice UID must not see. Statuses,
// timeline, titles and totals stay, with enough of the buyer's data to recognise one's own order.
func (o *Order) mask() {
	name, phone := o.Customer.Name, o.Customer.PhoneNumber
	o.Customer = OrderCustomer{Name: firstLetter(name) + "***", PhoneNumber: "***" + phone[max(0, len(phone)-2):]}
	o.ShippingAddress = OrderAddress{City: o.ShippingAddress.City}
	o.Note = nil
	o.Coupon = nil // codes can be personal
	o.Payment.RedirectURL, o.Payment.ErrorCode, o.Payment.Attempts = nil, nil, []PaymentAttempt{}
	o.Timeline = slices.DeleteFunc(o.Timeline, func(e TimelineEntry) bool {
		return strings.HasPrefix(string(e.Type), string(attemptTimeline)) || e.Type == TimelineOther
	})
	for i := range o.Shipments {
		o.Shipments[i].ConsignmentID, o.Shipments[i].TrackingCode = nil, nil
	}
}

func firstLetter(name string) string {
	_, size := utf8.DecodeRuneInString(name)
	return name[:size]
}
