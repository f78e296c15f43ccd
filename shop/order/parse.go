package order

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/intake"
)

// maxMessage is the maximum length of a message to parse, in characters.
const maxMessage = 5000

// Parsed is the order in a buyer's message. Staff check it before they place one.
type Parsed struct {
	Customer        CustomerInput     `json:"customer"`
	ShippingAddress account.Address   `json:"shippingAddress"`
	Quantities      []intake.Quantity `json:"quantities"      nullable:"false"`
}

// ParseOrder parses a message in which a buyer orders by chat. Nothing is stored. Codes:
// validation_failed.
func (s *Orders) ParseOrder(
	ctx context.Context,
	caller access.Caller,
	text string,
) (*Parsed, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	parse := func(*db.Tx, access.Staff) (*Parsed, error) {
		var bad fault.Invalid
		text := input.CheckNote(&bad, "text", text, maxMessage)
		if text == "" {
			bad.Add("text", fault.CodeRequired, "The message is required.")
		}
		if err := bad.Err(); err != nil {
			return nil, err
		}
		return newParsedOrder(intake.Parser{
			Country: set.Country, MaxQuantities: MaxLines, MaxQuantity: MaxQuantity, MaxText: account.MaxAddressLine,
		}.Parse(text)), nil
	}
	return access.Read(ctx, s.data, caller, access.ToParseOrder, parse)
}

func newParsedOrder(order intake.Order) *Parsed {
	return &Parsed{
		Customer: CustomerInput{
			Name:        db.NullText(order.Name),
			PhoneNumber: db.NullText(order.Phone),
		},
		ShippingAddress: account.Address{
			Line1: order.Address, City: order.City, Postcode: db.NullText(order.Postcode),
		},
		Quantities: db.OrEmpty(order.Quantities),
	}
}
