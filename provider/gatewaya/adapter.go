package gatewaya

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"storefront/provider"
	"storefront/shop"
)

// What the provider takes, in taka.
const (
	minTaka = 10
	maxTaka = 500_000
)

const (
	sessionPath  = "/gwprocess/v4/api.php"
	validatePath = "/validator/api/validationserverAPI.php"
	queryPath    = "/validator/api/merchantTransIDvalidationAPI.php"
)

// Config says where the provider is. The zero value of an address is the provider's own.
type Config struct {
	Client        *provider.Client // must be set
	Live, Sandbox string           // base addresses
}

// Adapter is the provider as a [shop.Gateway], [shop.Checker] and [shop.PaymentWebhookReader].
type Adapter struct{ gateway provider.Gateway }

// New makes an Adapter.
func New(cfg Config) *Adapter {
	return &Adapter{provider.Gateway{
		Client: cfg.Client, Live: cfg.Live, Sandbox: cfg.Sandbox,
		DefaultURLs: map[shop.Mode]string{
			shop.Live: "https://securepay.sslcommerz.com", shop.Sandbox: "https://sandbox.sslcommerz.com",
		},
		PageHosts: []string{"sslcommerz.com"},
	}}
}

// Plugin gives what stands for the provider in a shop.
func (a *Adapter) Plugin() shop.Plugin {
	needed := []shop.Capability{shop.CanReceiveWebhooks, shop.CanPay}
	return shop.Plugin{
		Provider: shop.GatewayA,
		Keys: []shop.PluginKey{
			{Name: "store_id", Meaning: "Store id, from the gateway's letter", PerMode: true, For: needed, Check: checkLength},
			{Name: "store_password", Meaning: "Store password, from the gateway's letter", Secret: true, PerMode: true, For: needed, Check: checkLength},
		},
		Checker: a, Gateway: a, PaymentWebhooks: a, Accepts: accepts,
	}
}

func checkLength(value string) error {
	if len(value) > 100 {
		return errors.New("expected at most 100 characters")
	}
	return nil
}

// accepts holds amounts to the provider's range, which it gives in taka.
func accepts(amount int64, money shop.Currency) bool {
	if money.Code != "BDT" {
		return amount > 0
	}
	const minor = 100
	return amount >= minTaka*minor && amount <= maxTaka*minor
}

// Start opens a session and gives the gateway's page.
func (a *Adapter) Start(ctx context.Context, access shop.PluginAccess, order shop.PaymentStart) (shop.StartedPayment, error) {
	const what = "session"
	form := sessionForm(access.Settings, order)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.gateway.Base(access.Mode)+sessionPath, strings.NewReader(form.Encode()))
	if err != nil {
		return shop.StartedPayment{}, provider.Refused(what, "the base address is wrong")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := a.gateway.Call(req)
	if err != nil {
		return shop.StartedPayment{}, err
	}
	p, err := provider.ReadPayload(answer.Body)
	if err != nil || answer.Status != http.StatusOK {
		return shop.StartedPayment{}, provider.Unreadable(what, answer)
	}
	if p.Slug("status", "_") != "success" || p["gatewaypageurl"] == "" {
		return shop.StartedPayment{}, provider.Refused(what, "status "+p.Slug("status", "_"))
	}
	if err := a.gateway.CheckPage(access.Mode, p["gatewaypageurl"]); err != nil {
		return shop.StartedPayment{}, provider.Refused(what, err.Error())
	}
	return shop.StartedPayment{ExternalID: p["sessionkey"], RedirectURL: p["gatewaypageurl"]}, nil
}

// maxBuyerField is how many characters the provider takes of a field about the buyer.
const maxBuyerField = 50

// sessionForm tells of the order what the provider demands; what the shop does not know it says so.
func sessionForm(settings shop.PluginSettings, o shop.PaymentStart) url.Values {
	cut := func(text string) string {
		if runes := []rune(text); len(runes) > maxBuyerField {
			text = string(runes[:maxBuyerField])
		}
		return text
	}
	email := cmp.Or(o.Email, "none@example.com")
	if len(email) > maxBuyerField { // a part of it would be another's
		email = "none@example.com"
	}
	back := func(how string) string { return o.ReturnURL + "?result=" + how }
	form := url.Values{}
	for name, value := range map[string]string{
		"store_id": settings["store_id"], "store_passwd": settings["store_password"],
		"total_amount": o.Currency.Decimal(o.Amount), "currency": o.Currency.Code, "tran_id": o.Ref,
		"success_url": back("success"), "fail_url": back("failed"), "cancel_url": back("cancelled"), "ipn_url": o.WebhookURL,
		"product_name": o.Title, "product_category": "goods", "product_profile": "physical-goods",
		"cus_name": cut(o.Name), "cus_phone": o.Phone, "cus_email": email,
		"cus_add1": cut(o.Line1), "cus_city": cut(o.City), "cus_postcode": cut(cmp.Or(o.Postcode, "0000")), "cus_country": o.Country,
		"shipping_method": "NO", "num_of_item": itoa(o.Items), "value_a": o.Invoice,
	} {
		form.Set(name, value)
	}
	return form
}

// Check asks for a payment that there is not.
func (a *Adapter) Check(ctx context.Context, access shop.PluginAccess) error {
	_, err := a.query(ctx, access, "credentials", url.Values{"tran_id": {"storefront-check"}})
	return err
}
