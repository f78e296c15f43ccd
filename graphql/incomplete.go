package graphql

import (
	"context"

	graphqlgo "github.com/graph-gophers/graphql-go"

	"storefront/shop/order"
)

// incompleteOrderInput is IncompleteOrderInput of the schema.
type incompleteOrderInput struct {
	Session          string
	Consent          bool
	PhoneNumber      *string
	Name             *string
	Address          *string
	City             *string
	Items            []orderItemInput
	DeliveryChargeID *ID
	CouponCode       *string
	Submitted        *bool
}

// SaveIncompleteOrder stores what a buyer has typed.
func (*mutation) SaveIncompleteOrder(ctx context.Context, args struct {
	langArgs
	Input incompleteOrderInput
}) (*order.IncompleteReceived, error) {
	r, err := begin(ctx, costWrite)
	if err != nil {
		return nil, err
	}
	caller, err := args.caller(ctx, r)
	if err != nil {
		return nil, err
	}
	in := &args.Input
	return r.shop.Orders.SaveIncomplete(ctx, caller, order.IncompleteInput{
		Session: in.Session, Consent: in.Consent, PhoneNumber: in.PhoneNumber, Name: in.Name, Address: in.Address, City: in.City,
		Items: convert(in.Items, (*orderItemInput).item), DeliveryChargeID: in.DeliveryChargeID.text(), CouponCode: in.CouponCode,
		Submitted: in.Submitted,
	})
}

type incompleteNotice struct {
	Notice string
	OptOut bool
	Days   int32
}

func newIncompleteNotice(n *order.IncompleteNotice) incompleteNotice {
	return incompleteNotice{n.Notice, n.OptOut, toInt(n.Days)}
}

type exportedIncomplete struct {
	PhoneNumber string
	Name        string
	Address     string
	City        string
	Items       []string
	CreatedAt   graphqlgo.Time
	ExpiresAt   graphqlgo.Time
}

func newExportedIncomplete(e *order.ExportedIncomplete) exportedIncomplete {
	return exportedIncomplete{
		PhoneNumber: e.PhoneNumber, Name: e.Name, Address: e.Address, City: e.City, Items: e.Items,
		CreatedAt: newTime(e.CreatedAt), ExpiresAt: newTime(e.ExpiresAt),
	}
}
