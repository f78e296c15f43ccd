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

// mask keeps what someone may see who knows the invoice UID and nothing more: states, timeline,
// titles and totals, and just enough of the person to recognise one's own order.
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

// orderTokens makes and checks the proof that placing an order returns. It is worked out from the
// order, never stored.
type orderTokens struct {
	key    []byte
	tenant string
}

func (s *Shop) orderTokens(ctx context.Context) (orderTokens, error) {
	keys, err := s.loadKeys(ctx)
	if err != nil {
		return orderTokens{}, err
	}
	return orderTokens{key: keys.orderToken, tenant: s.UID()}, nil
}

func (t orderTokens) make(invoiceUID string) string {
	mac := hmac.New(sha256.New, t.key)
	mac.Write([]byte(t.tenant + "\x00" + invoiceUID))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// proves reports whether token is that of the order.
func (t orderTokens) proves(token, invoiceUID string) bool {
	return hmac.Equal([]byte(token), []byte(t.make(invoiceUID)))
}
