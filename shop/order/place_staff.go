package order

import (
	"context"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/status"
)

// StaffInput is an order that staff place for a buyer, who has ordered by phone or chat.
type StaffInput struct {
	Items            []StaffItemInput      `json:"items" minItems:"1" maxItems:"100" nullable:"false"`
	Customer         *CustomerInput        `json:"customer,omitempty" doc:"Name and phone number are required"`
	ShippingAddress  *account.Address      `json:"shippingAddress,omitempty" doc:"Required"`
	DeliveryChargeID *string               `json:"deliveryChargeId,omitempty" doc:"Defaults to the only delivery charge for the address"`
	DeliveryCharge   *int64                `json:"deliveryCharge,omitempty" doc:"Minor units, instead of a delivery option. Needs orders.discount"`
	CouponCode       *string               `json:"couponCode,omitempty"`
	StaffDiscount    *StaffDiscount        `json:"staffDiscount,omitempty" doc:"Beside a coupon. Needs orders.discount"`
	PaymentMethod    *status.PaymentMethod `json:"paymentMethod,omitempty" enum:"cod,gateway_a,gateway_b" default:"cod"`
	Advance          *AdvanceInput         `json:"advance,omitempty" doc:"What the buyer has paid already of a cash order"`
	Note             *string               `json:"note,omitempty"`
	Source           status.Source         `json:"source"`
	Confirm          *bool                 `json:"confirm,omitempty" doc:"Confirm a cash order immediately. Defaults to true"`
	SendLink         bool                  `json:"sendLink,omitempty" doc:"Send the buyer a text message with the link to pay an online order"`

	IncompleteOrderID *string `json:"incompleteOrderId,omitempty" doc:"The open incomplete order from which it is placed, which closes that one"`
}

// StaffPlacement is the result of placing an order as staff, or of a dry run.
type StaffPlacement struct {
	Order    *StaffOrder `json:"order"` // null in a dry run
	Quote    *Quote      `json:"quote"` // in a dry run, otherwise null
	Warnings []Warning   `json:"warnings" nullable:"false"`
	Reply    *string     `json:"reply" doc:"A text for the buyer in the language of messages: goods, sums, a link; null in a dry run"`
}

// staffPlacement are a staff member's decisions about an order that they place.
type staffPlacement struct {
	source         status.Source
	by             string // the staff member, as stored
	discountReason string
	confirm        bool
}

// check validates and cleans the input. country is the shop's.
func (in *StaffInput) check(country string) (orderRequest, error) {
	var bad fault.Invalid
	checkStaffItems(&bad, in.Items)
	req := Input{
		Customer: in.Customer, ShippingAddress: in.ShippingAddress, DeliveryChargeID: in.DeliveryChargeID, CouponCode: in.CouponCode,
		PaymentMethod: in.PaymentMethod, Note: in.Note,
	}.checkParts(&bad, country)
	if req.deliveryChargeID != "" && in.DeliveryCharge != nil {
		bad.Add("deliveryCharge", fault.CodeInvalidValue, "Either a delivery charge or its ID must be sent, not both.")
	}
	checkAmount(&bad, "deliveryCharge", in.DeliveryCharge)
	in.checkAdvance(&bad, req.method)
	in.StaffDiscount = checkDiscount(&bad, in.StaffDiscount)
	if !slices.Contains(status.Sources(), in.Source) || in.Source == status.SourceStorefront {
		bad.Add("source", fault.CodeInvalidValue, "The source must be phone, facebook, instagram, whatsapp, shop or other.")
	}
	return req, bad.Err()
}

func (in *StaffInput) checkAdvance(bad *fault.Invalid, method status.PaymentMethod) {
	switch {
	case in.Advance == nil:
	case method != status.PayCOD:
		bad.Add("advance", fault.CodeInvalidValue, "Only a cash order can have an advance.")
	default:
		in.Advance.check(bad, "advance.")
	}
}

// setsPrices reports whether the order needs the permission to set prices.
func (in *StaffInput) setsPrices() bool {
	return in.DeliveryCharge != nil || in.StaffDiscount != nil || setsPrices(in.Items)
}

// PlaceOrderAsStaff places an order for a buyer, as PlaceOrder does, in one transaction. The limits
// of unproven buyers and of quantities do not apply. A cash order is confirmed immediately, unless
// Confirm is false. An online order awaits its payment, and its buyer can be sent a link for it.
// With dryRun it returns the price of the order as far as it is known, and writes nothing. Codes:
// validation_failed, phone_required, delivery_charge_required, payment_method_unavailable,
// out_of_stock, the coupon codes, forbidden (also without orders.discount, for prices and
// discounts).
func (s *Orders) PlaceOrderAsStaff(ctx context.Context, caller access.Caller, in StaffInput, dryRun bool) (*StaffPlacement, error) {
	set, err := s.cfg.Checkout(ctx)
	if err != nil {
		return nil, err
	}
	if dryRun {
		return s.quoteAsStaff(ctx, caller, set, in)
	}
	uid, err := s.ids.Code(invoiceUIDLength)
	if err != nil {
		return nil, fmt.Errorf("generate invoice UID: %w", err)
	}
	var viewer access.Staff
	var warnings []Warning
	order, err := access.Write(ctx, s.data, caller, access.ToPlaceOrderAsStaff,
		func(tx *db.Tx, who access.Staff) (order *orderRow, err error) {
			viewer = who
			order, warnings, err = s.placeAsStaff(tx, who, set, in, uid)
			return order, err
		})
	if err != nil {
		return nil, err
	}
	if order, err = s.startInitiatedAttempt(ctx, order, returnToPage); err != nil {
		return nil, err
	}
	result := &StaffPlacement{Warnings: warnings}
	// The order is stored: a repetition of the request must return it, also after a disconnect.
	after, cancel := db.Detach(ctx)
	defer cancel()
	err = s.data.View(after, func(_ context.Context, tx *db.Tx) error {
		o, err := requireOrder(tx, order.id)
		if err == nil {
			result.Order, err = staffView(tx, o, set.Display, viewer)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	reply := *result.Order
	reply.Items = slices.Clone(reply.Items)
	if err := s.Translate(after, set.Language, &reply.Order); err != nil {
		return nil, err
	}
	result.Reply = new(set.reply(&reply))
	return result, nil
}

// placeAsStaff creates the order of PlaceOrderAsStaff.
func (s *Orders) placeAsStaff(
	tx *db.Tx, who access.Staff, set CheckoutSettings, in StaffInput, uid string,
) (order *orderRow, warnings []Warning, err error) {
	req, err := in.check(set.Country)
	if err != nil {
		return nil, nil, err
	}
	if err := req.complete(); err != nil {
		return nil, nil, err
	}
	priced, owner, err := set.priceAsStaff(tx, who, in, req)
	if err != nil {
		return nil, nil, err
	}
	if warnings, err = set.contactWarnings(tx, req, priced); err != nil {
		return nil, nil, err
	}
	from, err := requireOpenIncomplete(tx, in.IncompleteOrderID)
	if err != nil {
		return nil, nil, err
	}
	number, err := raiseOrderNumber(tx)
	if err != nil {
		return nil, nil, err
	}
	if order, err = s.createOrder(tx, set.Settings, placement{priced, owner, nil, uid, number, ""}); err != nil {
		return nil, nil, err
	}
	if in.Advance != nil {
		if err := s.recordAdvance(tx, who, order, *in.Advance, "advance.", set.Currency); err != nil {
			return nil, nil, err
		}
	}
	if order.method != status.PayCOD {
		sent, err := queuePaymentLink(tx, set.BuyerMessages, order, in.SendLink)
		if err != nil {
			return nil, nil, err
		}
		if in.SendLink && !sent {
			warnings = append(warnings, WarnLinkNotSent)
		}
	}
	if err := from.recover(tx, order); err != nil {
		return nil, nil, err
	}
	return order, warnings, who.Audit(tx, order.subject(), access.Set("source", order.source), access.Set("items", order.auditContents().items),
		access.Set("staffDiscount.amount", order.staffDiscount), access.Set("total", order.total))
}

// quoteAsStaff returns the price of an order that staff are entering.
func (s *Orders) quoteAsStaff(
	ctx context.Context, caller access.Caller, set CheckoutSettings, in StaffInput,
) (*StaffPlacement, error) {
	return access.Read(ctx, s.data, caller, access.ToPlaceOrderAsStaff,
		func(tx *db.Tx, who access.Staff) (*StaffPlacement, error) {
			req, err := in.check(set.Country)
			if err != nil {
				return nil, err
			}
			priced, _, err := set.priceAsStaff(tx, who, in, req)
			if err != nil {
				return nil, err
			}
			warnings, err := set.contactWarnings(tx, req, priced)
			return &StaffPlacement{Quote: priced.quote(set.Settings, ""), Warnings: warnings}, err
		})
}

// contactWarnings returns warnings for staff about the buyer: a block does not refuse an order that
// staff place.
func (set *CheckoutSettings) contactWarnings(tx *db.Tx, req orderRequest, priced *pricedOrder) ([]Warning, error) {
	if req.phone == "" {
		return []Warning{}, nil
	}
	block, err := set.findOrderBlock(tx, req.method, priced.figures.total, req.phone, "")
	if err != nil {
		return []Warning{}, err
	}
	if block == BlockNone {
		return []Warning{}, nil
	}
	return []Warning{WarnBlocked}, nil
}

// priceAsStaff computes the price of an order that staff place. owner is the account that has
// verified the buyer's phone number or e-mail address; "" means none. Nothing is written. Codes: as
// for PlaceOrderAsStaff.
func (set CheckoutSettings) priceAsStaff(
	tx *db.Tx, who access.Staff, in StaffInput, req orderRequest,
) (priced *pricedOrder, owner string, err error) {
	if in.setsPrices() {
		if err := requireDiscountRight(who); err != nil {
			return nil, "", err
		}
	}
	if err := set.checkPaymentMethod(req.method); err != nil {
		return nil, "", err
	}
	lines, err := findStaffLines(tx, in.Items, nil)
	if err != nil {
		return nil, "", err
	}
	if err := checkStock(lines); err != nil {
		return nil, "", err
	}
	by, err := actorText(who)
	if err != nil {
		return nil, "", err
	}
	staff := &staffPlacement{source: in.Source, by: by, confirm: in.Confirm == nil || *in.Confirm}
	c := cart{
		method: req.method, deliveryChargeID: req.deliveryChargeID, deliveryCharge: in.DeliveryCharge, address: req.address, now: tx.Now(),
	}
	if in.StaffDiscount != nil {
		c.staffDiscount, staff.discountReason = in.StaffDiscount.Amount, in.StaffDiscount.Reason
	}
	if req.phone != "" {
		if owner, err = account.FindContactOwner(tx, req.phone, req.email); err != nil {
			return nil, "", err
		}
	}
	if err := c.useStaffOffers(tx, staffOffers{customerID: owner, phone: req.phone, code: req.couponCode}, lines); err != nil {
		return nil, "", err
	}
	figures, err := set.priceStaffCart(c, lines)
	if err != nil {
		return nil, "", err
	}
	return &pricedOrder{req: req, lines: lines, byStaff: staff, coupon: c.coupon, figures: figures}, owner, nil
}

// priceStaffCart returns the amounts of a cart with lines. Codes: as for PlaceOrderAsStaff.
func (set CheckoutSettings) priceStaffCart(c cart, lines []orderLine) (figures, error) {
	c.lines = cartLines(lines)
	f, err := set.priceCart(c)
	if err != nil {
		return figures{}, err
	}
	if f.refused != nil {
		return figures{}, f.refused.WithField("couponCode")
	}
	return f, set.checkPaymentAmount(c.method, f.total)
}
