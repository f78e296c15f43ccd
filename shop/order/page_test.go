package order_test

import (
	"context"
	"fmt"
	"regexp"
	"testing"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// deadGateway is a gateway that never answers.
type deadGateway struct{ plugin.Gateway }

func (deadGateway) Start(context.Context, plugin.Access, plugin.PaymentStart) (plugin.StartedPayment, error) {
	return plugin.StartedPayment{}, fmt.Errorf("%w: no answer", plugin.ErrGatewayUnavailable)
}

// The link for paying an order that staff place is stored with the order: it is sent whatever
// becomes of the first attempt to pay, and leads to a page where the buyer can pay. A replaced
// order token ends it.
func TestPlaceOrderAsStaff_PaymentLink(t *testing.T) {
	t.Parallel()
	sms := &shoptest.SMS{}
	clock := shoptest.NewClock()
	s := newOrderShopWith(t, &shoptest.Options{
		Store: shoptest.NewStore(t, clock), Clock: clock, SMS: sms, PublicURL: "https://api.example",
		Plugins: []plugin.Plugin{
			{Provider: plugin.GatewayA, Gateway: deadGateway{}, Keys: []plugin.Key{{Name: "key", For: []plugin.Capability{plugin.CanPay}}}},
		},
	})
	shoptest.ConfigurePlugin(t, s.Shop, plugin.GatewayA, map[string]any{"key": "x"})
	buyer := guestOrder()
	placed, err := s.Orders.PlaceOrderAsStaff(t.Context(), access.CommandLine("rina"), order.StaffInput{
		Items: []order.StaffItemInput{item(s.mug.Variants[0].ID, 1)}, Source: status.SourcePhone, ShippingAddress: buyer.ShippingAddress,
		Customer: buyer.Customer, PaymentMethod: new(status.PayGatewayA), SendLink: true,
	}, false)
	if err != nil || len(placed.Warnings) > 0 {
		t.Fatalf("got %v, %v, want no warnings", placed, err)
	}
	if _, err := s.Messages.SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	messages := sms.Messages()
	if len(messages) != 1 {
		t.Fatalf("got the messages %q, want one", messages)
	}
	uid := placed.Order.InvoiceUID
	link := regexp.MustCompile(regexp.QuoteMeta("https://api.example/t/"+s.UID()+"/"+uid) + `\?k=(\S+)`).FindStringSubmatch(messages[0].Text)
	if link == nil {
		t.Fatalf("got %q, want the link of the order's page", messages[0].Text)
	}
	caller := access.Caller{OrderToken: link[1]}
	page, err := s.FindOrderPage(t.Context(), caller, uid, "")
	if err != nil || !page.Proven || len(page.PayMethods) != 1 || page.Order.Customer.Name != *buyer.Customer.Name {
		t.Errorf("by the link: got %+v, %v, want the whole order, payable", page, err)
	}
	if attempt, err := s.Orders.StartPaymentOnPage(t.Context(), caller, uid, order.PaymentInput{}); err != nil || attempt.ErrorCode == nil {
		t.Errorf("paying: got %+v, %v, want another attempt that the gateway does not answer", attempt, err)
	}
	if _, _, err := s.Orders.ReplaceOrderToken(t.Context(), access.Operator(), uid); err != nil {
		t.Fatal(err)
	}
	page, err = s.FindOrderPage(t.Context(), caller, uid, "")
	if err != nil || page.Proven || len(page.PayMethods) > 0 || page.Order.Customer.Name == *buyer.Customer.Name {
		t.Errorf("with the replaced token: got %+v, %v, want a masked order", page, err)
	}
}

// The setting sends the link by its channels for every order that staff place and that can be paid
// online; a request adds the text message for one. An order paid in cash has none.
func TestPlaceOrderAsStaff_PaymentLinkSetting(t *testing.T) {
	t.Parallel()
	sms, mail, clock := &shoptest.SMS{}, shoptest.NewMail(), shoptest.NewClock()
	s := newOrderShopWith(t, &shoptest.Options{
		Store: shoptest.NewStore(t, clock), Clock: clock, SMS: sms, Mail: mail, PublicURL: "https://api.example",
		Plugins: []plugin.Plugin{
			{Provider: plugin.GatewayA, Gateway: deadGateway{}, Keys: []plugin.Key{{Name: "key", For: []plugin.Capability{plugin.CanPay}}}},
		},
	})
	shoptest.ConfigurePlugin(t, s.Shop, plugin.GatewayA, map[string]any{"key": "x"})
	email := "buyer@example.com"
	for _, test := range []struct {
		setting        map[string]any
		method         status.PaymentMethod
		requested      bool
		texts, letters int
	}{
		{map[string]any{}, status.PayGatewayA, false, 0, 0},
		{map[string]any{"sms": []string{"payment_link"}}, status.PayGatewayA, false, 1, 0},
		{map[string]any{"sms": []string{"payment_link"}}, status.PayGatewayA, true, 1, 0},
		{map[string]any{"email": []string{"payment_link"}}, status.PayGatewayA, false, 0, 1},
		{map[string]any{"email": []string{"payment_link"}}, status.PayGatewayA, true, 1, 1},
		{map[string]any{"sms": []string{"payment_link"}, "email": []string{"payment_link"}}, status.PayCOD, false, 0, 0},
	} {
		if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"buyerMessages": test.setting})); err != nil {
			t.Fatal(err)
		}
		before := len(sms.Messages())
		buyer := guestOrder()
		buyer.Customer.Email = &email
		_, err := s.Orders.PlaceOrderAsStaff(t.Context(), access.CommandLine("rina"), order.StaffInput{
			Items: []order.StaffItemInput{item(s.mug.Variants[0].ID, 1)}, Source: status.SourcePhone, ShippingAddress: buyer.ShippingAddress,
			Customer: buyer.Customer, PaymentMethod: &test.method, SendLink: test.requested,
		}, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Messages.SendDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		if texts, letters := len(sms.Messages())-before, len(mail.Unread()); texts != test.texts || letters != test.letters {
			t.Errorf("%+v: got %d text messages and %d e-mails", test, texts, letters)
		}
		if test.letters > 0 {
			mail.Next(t, email)
		}
	}
}
