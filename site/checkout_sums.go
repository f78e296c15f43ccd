package site

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/status"
	"storefront/site/orderpage"
)

// checkoutSums is the part of the checkout that depends on the price.
type checkoutSums struct {
	Deliveries     []radio
	Methods        []radio
	Sums           []sumLine
	Total          string // "" until a delivery charge is chosen
	TotalName      string
	Expected       string // the total in minor units, which the order must have
	CouponWrong    string
	CashOnDelivery bool
	Advance        *advanceNote
}

// advanceNote is the advance that the shop requires, before the button.
type advanceNote struct {
	Text, Why, Rest string
	Amount          int64
}

// setAdvance adds the advance of the order; nil means none.
func (p *checkoutPage) setAdvance(asked *order.AdvanceTerms, total int64) {
	if p.Advance = nil; asked == nil {
		return
	}
	text, why := orderpage.AdvanceText(p.Lang, p.Money(asked.Amount), asked.Reason)
	p.Advance = &advanceNote{Text: text, Why: why, Amount: asked.Amount.Amount}
	if total > asked.Amount.Amount {
		p.Advance.Rest = p.W.ToPayOnDelivery + ": " + p.Amount(total-asked.Amount.Amount)
	}
}

// radio is one of several choices.
type radio struct {
	Value, Text, Hint, Amount string
	Chosen                    bool
}

// radios are the choices of a field.
type radios struct {
	Name   string
	Radios []radio
}

// Choices returns the choices of a field, delivery or payment.
func (p *checkoutPage) Choices(name string) radios {
	if name == "payment" {
		return radios{name, p.Methods}
	}
	return radios{name, p.Deliveries}
}

type sumLine struct{ Name, Amount string }

// choosePayment lists the payment methods, and chooses the first unless the buyer has chosen.
func (p *checkoutPage) choosePayment() {
	methods := p.front.PaymentMethods
	if !slices.Contains(methods, p.Form.Payment) && len(methods) > 0 {
		p.Form.Payment = methods[0]
	}
	p.CashOnDelivery = p.Form.Payment == status.PayCOD
	for _, method := range methods {
		hint := p.W.PayNow
		if method == status.PayCOD {
			hint = p.W.PayOnDeliveryText
		}
		p.Methods = append(p.Methods, radio{
			Value: string(method), Text: p.methodName(method), Hint: hint, Chosen: method == p.Form.Payment,
		})
	}
}

// addSums prices the cart as far as the form determines the price.
func (s *Site) addSums(ctx context.Context, r *request, p *checkoutPage) error {
	in := p.input()
	quote, options, err := s.price(ctx, r, in)
	if err != nil && in.CouponCode != nil { // the coupon, most likely: without it the order has a price
		if fields, _, ok := p.explain(err); ok && fields["coupon"] != "" {
			p.CouponWrong = fields["coupon"]
			in.CouponCode = nil
			quote, options, err = s.price(ctx, r, in)
		}
	}
	if fault.HasCode(err, fault.CodePaymentMethodUnavailable) || fault.HasCode(err, fault.CodeValidationFailed) {
		in.PaymentMethod, in.ShippingAddress, err = nil, nil, nil // explained when the buyer orders
		quote, options, err = s.price(ctx, r, in)
	}
	if err != nil {
		if _, all, ok := p.explain(err); ok {
			p.Alert, err = all, nil
		}
		return err
	}
	if quote == nil {
		prices, err := r.Shop.Orders.PriceItems(ctx, r.Caller, in.Items)
		if err != nil {
			return err
		}
		if p.goods = prices.Total; prices.FreeDelivery {
			waive(options)
		}
		p.addDeliveries(options, "")
		p.addGoods(prices.Subtotal, prices.Quantity, prices.Discounts)
		p.TotalName = p.W.ChooseDelivery
		return nil
	}
	p.addQuote(quote)
	return nil
}

// addQuote adds the sums of a quote.
func (p *checkoutPage) addQuote(quote *order.Quote) {
	p.goods = quote.Subtotal.Amount - quote.Discount.Amount
	chosen, options := "", quote.DeliveryOptions
	if quote.Delivery != nil {
		chosen = quote.Delivery.ID
		if quote.DeliveryCharge.Amount == 0 && !isFree(*quote.Delivery, p.goods) { // by a discount, as each of them
			waive(options)
		}
	}
	p.addDeliveries(options, chosen)
	p.addGoods(quote.Subtotal.Amount, quote.QuantityDiscount.Amount, quote.Discounts)
	rest := quote.Discount.Amount - quote.QuantityDiscount.Amount
	for _, d := range quote.Discounts {
		if d.Kind != order.CouponFreeDelivery {
			rest -= d.Amount.Amount
		}
	}
	if rest > 0 {
		name := p.W.Discount
		if quote.Coupon != nil {
			name = p.W.Coupon + " " + quote.Coupon.Code
		}
		p.Sums = append(p.Sums, sumLine{name, "−" + p.Amount(rest)})
	}
	delivery := p.Money(quote.DeliveryCharge)
	if quote.DeliveryCharge.Amount == 0 {
		delivery = p.W.DeliveryFree
	}
	name := p.W.Delivery
	for _, d := range quote.Discounts {
		if d.Kind == order.CouponFreeDelivery {
			name += " (" + p.in(d.Title) + ")"
		}
	}
	p.Sums = append(p.Sums, sumLine{name, delivery})
	if quote.Rounding.Amount != 0 {
		p.Sums = append(p.Sums, sumLine{p.W.Rounding, "−" + p.Money(quote.Rounding)})
	}
	p.quoted = quote.Total.Amount
	p.setAdvance(quote.Advance, p.quoted)
	p.Total, p.Expected, p.TotalName = p.Money(quote.Total), strconv.FormatInt(quote.Total.Amount, 10), p.W.ToPay
	if p.CashOnDelivery {
		p.TotalName = p.W.ToPayOnDelivery
	}
}

// addGoods adds the sum of the lines, and their discounts by quantity prices and without a code.
func (p *checkoutPage) addGoods(subtotal, discount int64, automatic []order.AppliedDiscount) {
	p.Sums = append(p.Sums, sumLine{p.W.Goods, p.Amount(subtotal)})
	if discount > 0 {
		p.Sums = append(p.Sums, sumLine{p.W.QuantityDiscount, "−" + p.Amount(discount)})
	}
	for _, d := range automatic {
		if d.Kind != order.CouponFreeDelivery {
			p.Sums = append(p.Sums, sumLine{p.in(d.Title), "−" + p.Money(d.Amount)})
		}
	}
}

// addDeliveries lists the delivery charges that the buyer can choose.
func (p *checkoutPage) addDeliveries(options []order.DeliveryCharge, chosen string) {
	for _, o := range options {
		hints := make([]string, 0, 2)
		if o.Estimate != nil {
			hints = append(hints, p.in(*o.Estimate))
		}
		one := radio{Value: o.ID, Text: p.in(o.Name), Amount: p.Money(o.Charge), Chosen: o.ID == chosen}
		if isFree(o, p.goods) {
			one.Amount = p.W.Free
		} else if o.FreeOver != nil {
			hints = append(hints, p.W.FreeOver+" "+p.Money(*o.FreeOver))
		}
		one.Hint = strings.Join(hints, " · ")
		p.Deliveries = append(p.Deliveries, one)
	}
}

// waive makes each delivery free.
func waive(options []order.DeliveryCharge) {
	for i := range options {
		options[i].Charge.Amount = 0
	}
}

// isFree reports whether a delivery of goods of this amount costs nothing.
func isFree(o order.DeliveryCharge, goods int64) bool {
	return o.Charge.Amount == 0 || o.FreeOver != nil && goods >= o.FreeOver.Amount
}

// Brief returns the number of units and their price, such as 3 pieces · ৳1,200.
func (p *checkoutPage) Brief() string {
	units := 0
	for _, l := range p.Lines {
		if !l.Blocked {
			units += l.Quantity
		}
	}
	brief := p.Digits(strconv.Itoa(units)) + p.pieces(units)
	if len(p.Sums) > 0 {
		brief += " · " + p.Sums[0].Amount
	}
	return brief
}

// input returns the form as the input of a quote.
func (p *checkoutPage) input() order.Input {
	in := order.Input{Items: items(p.Lines), PaymentMethod: &p.Form.Payment}
	if p.Form.Payment == "" {
		in.PaymentMethod = nil
	}
	if strings.TrimSpace(p.Form.City) != "" {
		in.ShippingAddress = &account.Address{Line1: unknownLine, City: p.Form.City, Area: optional(p.Form.Address)}
		if len([]rune(p.Form.Address)) > maxArea {
			in.ShippingAddress.Area = nil
		}
	}
	in.DeliveryChargeID, in.CouponCode = optional(p.Form.Delivery), optional(p.Form.Coupon)
	return in
}

// unknownLine stands for a part of an address on which the price does not depend.
const unknownLine = "–"

// maxArea is the length of the longest area of an address, in characters.
const maxArea = 100

// price returns the price of an order, or, if the delivery charge is undecided, those to choose
// from. Codes: as for [order.Orders.QuoteOrder], without delivery_charge_required.
func (s *Site) price(ctx context.Context, r *request, in order.Input) (*order.Quote, []order.DeliveryCharge, error) {
	quote, err := r.Shop.Orders.QuoteOrder(ctx, r.Caller, in)
	if err == nil {
		return quote, nil, nil
	}
	found, ok := errors.AsType[*fault.Error](err)
	if !ok || found.Code != fault.CodeDeliveryRequired {
		return nil, nil, err
	}
	if in.DeliveryChargeID != nil { // not for this address: choose another
		in.DeliveryChargeID = nil
		return s.price(ctx, r, in)
	}
	options, _ := found.Details["deliveryCharges"].([]order.DeliveryCharge)
	return nil, options, nil
}
