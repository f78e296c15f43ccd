package shop

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

// mask removes all that a caller must not see who only knows the invoice UID. Statuses, timeline,
// titles and totals stay, and enough of the buyer's data to recognise one's own order.
func (o *Order) mask() {
	name, phone := o.Customer.Name, o.Customer.PhoneNumber
	o.Customer = OrderCustomer{Name: firstLetter(name) + "***", PhoneNumber: "***" + phone[max(0, len(phone)-2):]}
	o.ShippingAddress = OrderAddress{City: o.ShippingAddress.City}
	o.Note = nil
	o.Coupon = nil // codes can be personal
	o.Payment.RedirectURL, o.Payment.ErrorCode, o.Payment.Attempts = nil, nil, []PaymentAttempt{}
	o.Timeline = slices.DeleteFunc(o.Timeline, func(e TimelineEntry) bool { return strings.HasPrefix(e.Type, attemptEvent) })
	for i := range o.Shipments {
		o.Shipments[i].ConsignmentID, o.Shipments[i].TrackingCode = nil, nil
	}
}

func firstLetter(name string) string {
	_, size := utf8.DecodeRuneInString(name)
	return name[:size]
}

// orderTokens creates and checks the token that placing an order returns. A token is an HMAC of the
// tenant and the invoice UID, never stored.
type orderTokens struct {
	key    []byte
	tenant string
}

func (s *Shop) orderTokens(ctx context.Context) (orderTokens, error) {
	keys, err := s.secrets.Keys(ctx)
	if err != nil {
		return orderTokens{}, err
	}
	return orderTokens{key: keys.OrderToken, tenant: s.UID()}, nil
}

func (t orderTokens) create(invoiceUID string) string {
	mac := hmac.New(sha256.New, t.key)
	mac.Write([]byte(t.tenant + "\x00" + invoiceUID))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// proves reports whether token is the token of the order.
func (t orderTokens) proves(token, invoiceUID string) bool {
	return hmac.Equal([]byte(token), []byte(t.create(invoiceUID)))
}
