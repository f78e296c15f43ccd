package order

import (
	"context"
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/intake"
)

const (
	// maxMessage is the maximum length of a message to parse, in characters.
	maxMessage = 5000
	// maxMessageWords limits the words of a message that are looked up in the catalogue.
	maxMessageWords = 200
)

// Parsed is the order in a buyer's message. Staff check it before they place one.
type Parsed struct {
	Customer        CustomerInput     `json:"customer"`
	ShippingAddress account.Address   `json:"shippingAddress"`
	Quantities      []intake.Quantity `json:"quantities"      nullable:"false"`
	Sources         []intake.Source   `json:"sources"         nullable:"false" doc:"The words from which each field was filled"`
	Unsure          []intake.Field    `json:"unsure"          nullable:"false" doc:"Fields that are missing, or not certain"`
	Proposed        *ProposedBuyer    `json:"proposed"        doc:"The buyer in the number's latest order; null without customers.read"`
}

// ProposedBuyer is the buyer in the latest order with a phone number.
type ProposedBuyer struct {
	Name            string          `json:"name"`
	ShippingAddress account.Address `json:"shippingAddress"`
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
	synonyms, err := s.cfg.Catalogue.Synonyms(ctx)
	if err != nil {
		return nil, err
	}
	parse := func(tx *db.Tx, who access.Staff) (*Parsed, error) {
		var bad fault.Invalid
		text := input.CheckNote(&bad, "text", text, maxMessage)
		if text == "" {
			bad.Add("text", fault.CodeRequired, "The message is required.")
		}
		if err := bad.Err(); err != nil {
			return nil, err
		}
		parser := intake.Parser{
			Country: set.Country, MaxQuantities: MaxLines, MaxQuantity: MaxQuantity, MaxText: account.MaxAddressLine,
			Spellings: synonyms.Find,
		}
		mentioned, err := catalogue.FindMentioned(tx, synonyms, parser.Words(text, maxMessageWords))
		if err != nil {
			return nil, err
		}
		parser.Products = intakeProducts(mentioned)
		parsed := newParsedOrder(parser.Parse(text))
		if parsed.Customer.PhoneNumber != nil && who.Permits(access.CustomersRead) {
			parsed.Proposed, err = findProposedBuyer(tx, *parsed.Customer.PhoneNumber)
		}
		return parsed, err
	}
	return access.ReadMany(ctx, s.data, caller, access.ToParseOrder, parse)
}

func intakeProducts(mentioned []catalogue.MentionedProduct) []intake.Product {
	products := make([]intake.Product, len(mentioned))
	for i, p := range mentioned {
		products[i] = intake.Product{ID: p.ID, Title: p.Title}
		for _, v := range p.Variants {
			products[i].Variants = append(products[i].Variants, intake.Variant(v))
		}
	}
	return products
}

func newParsedOrder(order intake.Order) *Parsed {
	return &Parsed{
		Customer: CustomerInput{
			Name:        db.NullText(order.Name),
			PhoneNumber: db.NullText(order.Phone),
		},
		ShippingAddress: account.Address{
			Line1: order.Address, Area: db.NullText(order.Area), City: order.City, Postcode: db.NullText(order.Postcode),
		},
		Quantities: db.OrEmpty(order.Quantities),
		Sources:    db.OrEmpty(order.Sources),
		Unsure:     db.OrEmpty(order.Unsure),
	}
}

// findProposedBuyer returns the buyer in the latest order with a phone number, or nil if there is
// none.
func findProposedBuyer(tx *db.Tx, number string) (*ProposedBuyer, error) {
	var b ProposedBuyer
	var line2, area, postcode, country string
	a := &b.ShippingAddress
	err := tx.QueryRow(`
		SELECT o.customer_name, o.line1, o.line2, o.area, o.city, o.postcode, o.country
		FROM orders o
		WHERE o.customer_phone = ? AND o.test = 0 AND o.line1 <> ''
		ORDER BY o.placed_at DESC, o.id DESC
		LIMIT 1`, number).Scan(&b.Name, &a.Line1, &line2, &area, &a.City, &postcode, &country)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("find the latest order of a phone number: %w", err)
	}
	a.Line2, a.Area = db.NullText(line2), db.NullText(area)
	a.Postcode, a.Country = db.NullText(postcode), db.NullText(country)
	return &b, nil
}
