package shop

import (
	"cmp"
	"context"
	"fmt"
	"net/url"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/locale"
	"storefront/shop/message"
	"storefront/shop/status"
)

// messageEvents returns the events that the change triggers, each with its subject.
func (c *orderChange) messageEvents() map[message.Event]string {
	events := map[message.Event]string{}
	if c.was.status != c.o.status {
		switch c.o.status {
		case status.OrderConfirmed:
			events[message.Confirmed] = ""
		case status.OrderCancelled:
			events[message.Cancelled] = ""
		}
	}
	for _, shipment := range c.o.shipments {
		was, stored := c.shipmentsWere[shipment.id]
		if !stored && shipment.status != status.ShipmentCancelled {
			events[message.Booked] = ""
		}
		if shipment.status.IsUnderway() && !was.IsUnderway() {
			events[message.Shipped] = ""
		}
		if shipment.status == status.ShipmentOutForDelivery &&
			was != status.ShipmentOutForDelivery {
			events[message.OutForDelivery] = ""
		}
	}
	if c.was.fulfillment != c.o.fulfillment && c.o.fulfillment == status.Delivered {
		events[message.Delivered] = ""
	}
	if refunded := c.newRefund(); refunded > 0 {
		events[message.Refunded] = fmt.Sprint(refunded)
	}
	return events
}

// newRefund returns the sum of the order's refunds; 0 if the change adds none.
func (c *orderChange) newRefund() int64 {
	if !c.attemptsChanged && c.was.payment == c.o.payment && c.was.cashRefund == c.o.cashRefund {
		return 0
	}
	switch refunded := c.o.refundedAmount(); c.o.payment {
	case status.PaymentPartiallyRefunded:
		return refunded
	case status.PaymentRefunded:
		return cmp.Or(refunded, c.o.cashRefund) // cash, returned by staff
	}
	return 0
}

// refundedAmount returns the sum of the refunds of all payments of the order.
func (o *orderRow) refundedAmount() (sum int64) {
	for _, a := range o.attempts {
		sum += a.refunded
	}
	return sum
}

// recipient returns where messages about the order are sent. Test orders have none.
func (o *orderRow) recipient() message.Contact {
	if o.test != 0 {
		return message.Contact{}
	}
	return message.Contact{Phone: o.phone, Email: db.TextOf(o.email)}
}

// queuePaymentLink queues the link to pay an order that staff have placed, by SMS if requested. It
// reports whether any is queued: none is if the order cannot be paid online, or has no contact.
func queuePaymentLink(tx *db.Tx, set message.Settings, o *orderRow, requested bool) (bool, error) {
	if o.paymentBlocked() != "" {
		return false, nil
	}
	return message.QueuePaymentLink(tx, set, o.number, o.recipient(), requested)
}

// messageShop returns what messages to buyers depend on of the settings.
func (s *Shop) messageShop(ctx context.Context) (*message.Shop, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	return &message.Shop{
		Settings: set.BuyerMessages, Name: set.Name, Language: set.messageLanguage(),
		Currency: set.money, Logo: set.logoURL, OrderLink: set.orderLink, PaymentLink: set.paymentLink,
		FindPictures: set.display.findPictures,
	}, nil
}

// findPictures returns a small file of each uploaded image, by the URL that orders store.
func (d display) findPictures(tx *db.Tx, stored []string) (map[string]message.Picture, error) {
	files, err := catalogue.FindPictures(tx, d.media, stored)
	if err != nil {
		return nil, err
	}
	pictures := make(map[string]message.Picture, len(files))
	for at, file := range files {
		pictures[at] = message.Picture{URL: file.URL, Width: file.Width, Height: file.Height}
	}
	return pictures, nil
}

// messageOrders returns the function that finds orders for messages to their buyers.
func (s *Shop) messageOrders(ctx context.Context) (message.FindOrder, error) {
	tokens, err := s.orderTokens(ctx)
	if err != nil {
		return nil, err
	}
	return func(tx *db.Tx, number int64) (*message.Order, error) {
		o, err := findOrderByNumber(tx, number)
		if err != nil {
			return nil, err
		}
		issued, err := findOrderToken(tx, o.id)
		if err != nil {
			return nil, err
		}
		contact, err := findContactRow(tx, o.phone)
		if err != nil {
			return nil, err
		}
		about := newMessageOrder(o)
		about.Token = tokens.create(o.id, issued.revision)
		about.IsBlocked = contact.blocked != BlockNone
		return about, nil
	}, nil
}

func newMessageOrder(o *orderRow) *message.Order {
	about := &message.Order{
		ID: o.id, Number: o.number, Status: o.status, Payment: o.payment, Fulfillment: o.fulfillment,
		Contact: o.recipient(), IsPayable: o.paymentBlocked() == "",
		Total: o.total, Discount: o.discount, DeliveryCharge: o.deliveryCharge, Rounding: o.rounding,
	}
	if o.method == status.PayCOD && o.payment == status.PaymentUnpaid {
		about.Cash = o.total - o.advance
	}
	for _, item := range o.items {
		about.Lines = append(about.Lines, message.Line{
			Title: item.title, Variant: item.variantTitle, ImageURL: item.imageURL,
			Quantity: item.quantity, Amount: item.unitPrice * int64(item.quantity),
		})
	}
	for _, shipment := range o.shipments {
		about.Shipments = append(about.Shipments, message.Shipment{
			Courier: shipment.provider, TrackingCode: shipment.trackingCode, Status: shipment.status,
		})
	}
	return about
}

// findOrderByNumber returns a complete order.
func findOrderByNumber(tx *db.Tx, number int64) (*orderRow, error) {
	var id string
	err := tx.QueryRow(`
		SELECT id
		FROM orders
		WHERE number = ?`, number).Scan(&id)
	if err != nil {
		return nil, fmt.Errorf("find order: %w", err)
	}
	return findOrderRow(tx, id)
}

// messageLanguage returns the language of messages about orders.
func (set *Settings) messageLanguage() locale.Language {
	return cmp.Or(set.BuyerMessages.Language, set.language())
}

// orderLink returns the address of the order's page, by default in the shop's storefront, otherwise
// at the server, without its token: the page is masked.
func (set *cachedSettings) orderLink(invoiceUID string) string {
	page := cmp.Or(set.TrackingURL, set.StorefrontURL)
	address, err := url.Parse(page)
	if page == "" || err != nil {
		return set.orderPage + invoiceUID
	}
	query := address.Query()
	query.Set("order", invoiceUID)
	address.RawQuery = query.Encode()
	return address.String()
}

// paymentLink returns the address at which an order is paid, with its token.
func (set *cachedSettings) paymentLink(invoiceUID, token string) string {
	return set.orderPage + invoiceUID + "?k=" + token
}
