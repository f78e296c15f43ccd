package server

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"storefront/shop"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/status"
	"storefront/shop/timezone"
)

//go:embed order_page.html
var orderPageText string

var orderPageTemplate = template.Must(template.New("order").Parse(orderPageText))

// The page of an order: its route, and the cookie by which a buyer who returns from a gateway is
// recognised. The order token is in no address that a gateway learns.
const (
	orderPageRoute  = shop.OrderPagePath + ":tenant/:order"
	orderPageCookie = "order_token"
	orderPageTime   = time.Hour // that the cookie is valid
)

// orderPagePolicy lets the page show the shop's logo. A form may be sent on to a gateway, which
// form-action would forbid in some browsers.
const orderPagePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' http: https:; base-uri 'none'; frame-ancestors 'none'"

// maxOrderForm is the maximum size of the page's form, in bytes.
const maxOrderForm = 4 << 10

// routeOrderPage adds the page of an order, for buyers who have its link from a message or a label.
// It has no scripts.
func (s *Server) routeOrderPage() {
	s.routes.handle(http.MethodGet, orderPageRoute, s.orderPageHandler(orderPageRoute, s.showOrderPage))
	s.routes.handle(http.MethodPost, orderPageRoute+"/pay", s.orderPageHandler(orderPageRoute+"/pay", s.payOnOrderPage))
}

// orderPageHandler returns the handler of a route of the page. It finds the shop and counts the
// request.
func (s *Server) orderPageHandler(route string, do func(x *exchange, r *http.Request, uid string)) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		x := w.(*exchange)
		x.route = strings.NewReplacer(":tenant", "{tenant}", ":order", "{order}").Replace(route)
		h := x.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Robots-Tag", "noindex")
		x.caller.Client = clientAddress(r, s.cfg.TrustedProxies)
		words := wordsOfPage[pageLanguage(r, account.English)]
		if l := s.limits; l != nil {
			if wait := l.pages.allow(x.caller.Client, 1, s.cfg.Now()); wait > 0 {
				x.overRate = true
				h.Set("Retry-After", strconv.Itoa(wait))
				x.writePage(http.StatusTooManyRequests, textPage{Title: words.TooMany})
				return
			}
		}
		var err error
		if x.shop, err = s.cfg.Tenants.Shop(&x.deadline, params.ByName("tenant")); err != nil {
			x.failPage(err, words)
			return
		}
		release, err := x.AcquireRecord(&x.deadline)
		if err != nil {
			x.failPage(err, words)
			return
		}
		defer release()
		do(x, r, params.ByName("order"))
	}
}

// pageLanguage returns the language that a buyer has chosen on the page, or else the first of the
// browser's that the page has.
func pageLanguage(r *http.Request, otherwise account.Language) account.Language {
	if chosen := account.Language(r.URL.Query().Get("lang")); wordsOfPage[chosen] != nil {
		return chosen
	}
	for part := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		language, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(part)), ";")
		language, _, _ = strings.Cut(language, "-")
		if wordsOfPage[account.Language(language)] != nil {
			return account.Language(language)
		}
	}
	return otherwise
}

// failPage responds with an error as a page.
func (x *exchange) failPage(err error, words *pageWords) {
	switch {
	case fault.HasCode(err, fault.CodeNotFound), fault.HasCode(err, fault.CodeTenantNotFound):
		x.writePage(http.StatusNotFound, textPage{Title: words.NotFound, Text: words.NotFoundText})
	case fault.HasCode(err, fault.CodeTenantSuspended):
		x.writePage(http.StatusForbidden, textPage{Title: words.Closed})
	case fault.HasCode(err, fault.CodeRateLimited):
		x.writePage(http.StatusTooManyRequests, textPage{Title: words.TooMany})
	default:
		x.fail(err)
	}
}

func (s *Server) showOrderPage(x *exchange, r *http.Request, uid string) {
	fromLink := r.URL.Query().Get("k")
	x.caller.OrderToken = fromLink
	if cookie, err := r.Cookie(orderPageCookie); err == nil && fromLink == "" {
		x.caller.OrderToken = cookie.Value
	}
	page, err := x.shop.FindOrderPage(&x.deadline, x.caller, uid)
	if err != nil {
		x.failPage(err, wordsOfPage[pageLanguage(r, account.English)])
		return
	}
	if fromLink != "" && page.Proven {
		http.SetCookie(x, &http.Cookie{
			Name: orderPageCookie, Value: fromLink, Path: r.URL.Path, MaxAge: int(orderPageTime / time.Second), HttpOnly: true,
			SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(x.shop.OrderPageURL(uid), "https:"),
		})
	}
	view := newOrderPageView(page, pageLanguage(r, page.Language), x.caller.OrderToken)
	view.addResult(page, shop.ReturnResult(r.URL.Query().Get("payment")))
	if r.URL.Query().Has("not_started") && page.Payable {
		view.Notice, view.NoticeKind = view.Words.StartFailed, "bad"
	}
	var html bytes.Buffer
	if err := orderPageTemplate.Execute(&html, view); err != nil {
		x.fail(err)
		return
	}
	h := x.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", orderPagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = x.Write(html.Bytes()) // the client may be gone
}

// payOnOrderPage starts the payment of the page's order and redirects the buyer to the gateway. The
// order token in the form proves the buyer: no other site knows it.
func (s *Server) payOnOrderPage(x *exchange, r *http.Request, uid string) {
	words := wordsOfPage[pageLanguage(r, account.English)]
	body, err := io.ReadAll(http.MaxBytesReader(x, r.Body, maxOrderForm))
	form, perr := url.ParseQuery(string(body))
	if err = errors.Join(err, perr); err != nil {
		x.writePage(http.StatusBadRequest, textPage{Title: words.NotFound, Text: words.NotFoundText})
		return
	}
	x.caller.OrderToken = form.Get("k")
	attempt, err := x.shop.StartPaymentOnPage(&x.deadline, x.caller, uid)
	back := url.Values{"k": {x.caller.OrderToken}}
	switch {
	case fault.HasCode(err, fault.CodeNotPayable): // it is paid by now, for example
	case fault.HasCode(err, fault.CodePaymentMethodUnavailable), err == nil && attempt.RedirectURL == nil:
		back.Set("not_started", "1")
	case err != nil:
		x.failPage(err, words)
		return
	default:
		http.Redirect(x, r, *attempt.RedirectURL, http.StatusSeeOther)
		return
	}
	http.Redirect(x, r, strings.TrimSuffix(r.URL.Path, "/pay")+"?"+back.Encode(), http.StatusSeeOther)
}

// orderPageView is what the template shows.
type orderPageView struct {
	Lang, OtherLang    account.Language
	OtherName          string
	Words              *pageWords
	Shop, Logo         string
	Title, Placed      string
	Notice, NoticeKind string
	Status, Payment    string
	Steps              []pageStep
	Shipments          []string
	Lines              []pageLine
	Total              string
	Recipient          []string
	Contacts           []pageContact
	PayLabel, PayPath  string
	Token              string
}

type (
	pageStep struct {
		Name string
		Done bool
	}
	pageLine    struct{ Name, Amount string }
	pageContact struct {
		Text string
		URL  template.URL
	}
)

func newOrderPageView(page *shop.OrderPage, language account.Language, token string) *orderPageView {
	words, o := wordsOfPage[language], page.Order
	other := account.Bangla
	digits := func(text string) string { return text }
	if language == account.Bangla {
		other, digits = account.English, account.BanglaDigits
	}
	amount := func(m money.Money) string { return digits(m.Formatted) }
	v := &orderPageView{
		Lang: language, OtherLang: other, OtherName: wordsOfPage[other].Other, Words: words, Shop: account.NameIn(language, page.Shop.Name),
		Title: words.Order + " " + digits(strconv.FormatInt(o.OrderNumber, 10)), Placed: digits(words.day(inZone(o.PlacedAt, page.Shop.TimeZone))),
		Status: words.Status[o.Status], Payment: words.Payment[o.PaymentStatus], Total: amount(o.Total),
	}
	if page.Shop.LogoURL != nil {
		v.Logo = *page.Shop.LogoURL
	}
	if text := words.Fulfillment[o.FulfillmentStatus]; text != "" && o.Status != status.OrderCancelled {
		v.Status = text
	}
	v.addSteps(o)
	switch {
	case page.Payable: // an attempt may be open that the buyer has left
		v.Payment = words.Payment[status.PaymentUnpaid]
	case page.CashDue != nil:
		v.Payment = words.CashDue + " " + amount(*page.CashDue)
	}
	for _, item := range o.Items {
		name := account.NameIn(language, item.Title)
		if item.VariantTitle != nil && *item.VariantTitle != "" {
			name += " · " + account.NameIn(language, *item.VariantTitle)
		}
		whole := item.Total.Amount + item.Discount.Amount // the discount is a line of its own
		v.Lines = append(v.Lines, pageLine{digits(strconv.Itoa(item.Quantity)) + " × " + name, amount(page.Money(whole))})
	}
	for _, line := range []struct {
		name  string
		money money.Money
		sign  string
	}{{words.Discount, o.Discount, "−"}, {words.Delivery, o.DeliveryCharge, ""}, {words.Rounding, o.Rounding, "−"}} {
		if line.money.Amount != 0 {
			v.Lines = append(v.Lines, pageLine{line.name, line.sign + amount(line.money)})
		}
	}
	for _, shipment := range o.Shipments {
		text := shop.CourierName(shipment.Provider, language) + ": " + words.Shipment[shipment.Status]
		if shipment.TrackingCode != nil {
			text += " · " + *shipment.TrackingCode
		}
		v.Shipments = append(v.Shipments, text)
	}
	if page.Proven {
		v.Recipient = recipientLines(o)
	}
	if page.Payable {
		v.PayLabel, v.Token = words.Pay+" "+amount(o.Total), token
		v.PayPath = shop.OrderPagePath + page.Shop.UID + "/" + o.InvoiceUID + "/pay?lang=" + string(language)
	}
	v.addContacts(page.Shop.SupportContact)
	return v
}

// inZone returns a time in the shop's time zone.
func inZone(t time.Time, name string) time.Time {
	if zone, err := timezone.Find(name); err == nil {
		return t.In(zone)
	}
	return t
}

// addSteps adds how far the order has come, unless it has ended another way.
func (v *orderPageView) addSteps(o *shop.Order) {
	done := 1
	switch o.Status {
	case status.OrderCancelled, status.OrderExpired, status.OrderReturned:
		return
	case status.OrderConfirmed, status.OrderProcessing:
		done = 2
	case status.OrderCompleted:
		done = 4
	}
	switch o.FulfillmentStatus {
	case status.Returning, status.Returned:
		return
	case status.InProgress:
		done = max(done, 3)
	case status.Delivered, status.PartiallyDelivered:
		done = 4
	}
	for i, name := range v.Words.Steps {
		v.Steps = append(v.Steps, pageStep{name, i < done})
	}
}

// addResult adds what happened at the gateway. Anyone can write the address, so the order decides
// whether it is paid.
func (v *orderPageView) addResult(page *shop.OrderPage, claimed shop.ReturnResult) {
	isPaid := page.Order.PaymentStatus == status.PaymentPaid
	switch {
	case v.Words.Result[claimed] == "":
	case isPaid:
		v.Notice, v.NoticeKind = v.Words.Result[shop.ReturnSuccess], "good"
	case page.Order.Status != status.OrderPendingPayment:
	case claimed == shop.ReturnSuccess, claimed == shop.ReturnPending:
		v.Notice = v.Words.Result[shop.ReturnPending]
	default:
		v.Notice, v.NoticeKind = v.Words.Result[claimed], "bad"
	}
}

// recipientLines returns the buyer's name and address.
func recipientLines(o *shop.Order) (lines []string) {
	address := o.ShippingAddress
	for _, line := range []*string{
		&o.Customer.Name, &o.Customer.PhoneNumber, address.Line1, address.Line2, address.Area, &address.City, address.Postcode,
	} {
		if line != nil && *line != "" {
			lines = append(lines, *line)
		}
	}
	return lines
}

// addContacts adds how the buyer reaches the shop.
func (v *orderPageView) addContacts(contact shop.SupportContact) {
	add := func(text *string, scheme string) {
		if text != nil && *text != "" {
			c := pageContact{Text: *text}
			if scheme != "" {
				c.URL = template.URL((&url.URL{Scheme: scheme, Opaque: url.PathEscape(strings.Join(strings.Fields(*text), ""))}).String())
			}
			v.Contacts = append(v.Contacts, c)
		}
	}
	add(contact.Phone, "tel")
	add(contact.Email, "mailto")
	add(contact.Address, "")
}
