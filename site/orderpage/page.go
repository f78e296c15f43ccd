package orderpage

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/order"
	"storefront/shop/status"
)

//go:embed page.html
var pageText string

// Body is the template of an order within a page, named order. Its data is a [View].
//
//go:embed body.html
var Body string

var pageTemplate = template.Must(template.Must(template.New("page").Parse(pageText)).Parse(Body))

const (
	// tokenCookie is the cookie that identifies a buyer who returns from a gateway. The order token is
	// in no address that a gateway receives.
	tokenCookie = "order_token"
	tokenTime   = time.Hour // that the cookie is valid

	// maxForm is the maximum size of the page's form, in bytes.
	maxForm = 4 << 10

	// policy lets the page show the shop's logo. A form may be sent on to a gateway, which
	// form-action would forbid in some browsers.
	policy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' http: https:;" +
		" base-uri 'none'; frame-ancestors 'none'"
)

// Visit is a request for the page of an order. The caller's order token is the page's own.
type Visit struct {
	Shop   *shop.Shop
	Caller access.Caller
	Order  string // invoice UID
	Origin string // of the page; "" means the server's own

	refused *Report // a report of a payment that is shown again
}

// Show writes the page. Nothing is written if it returns an error.
func (v Visit) Show(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	shown, cookie, err := v.View(ctx, r, "")
	if err != nil {
		return err
	}
	var html bytes.Buffer
	if err := pageTemplate.Execute(&html, shown); err != nil {
		return err
	}
	if cookie != nil {
		http.SetCookie(w, cookie)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(html.Bytes()) // the client may be gone
	return nil
}

// View returns the order in a language, and the cookie that proves the buyer to this page from now
// on, if the request has another proof. Without a language it is the request's, or the order's.
func (v Visit) View(ctx context.Context, r *http.Request, in locale.Language) (*View, *http.Cookie, error) {
	query := r.URL.Query()
	fromLink := query.Get("k")
	if v.refused != nil {
		fromLink = v.Caller.OrderToken
	}
	v.Caller.OrderToken = fromLink
	if cookie, err := r.Cookie(tokenCookie); err == nil && fromLink == "" {
		v.Caller.OrderToken = cookie.Value
	}
	v.Caller.Language = cmp.Or(in, requested(r))
	page, err := v.Shop.FindOrderPage(ctx, v.Caller, v.Order, accepted(r))
	if err != nil {
		return nil, nil, err
	}
	shown := newView(page, page.Language, v.Caller.OrderToken)
	shown.addResult(page, order.ReturnResult(query.Get("payment")))
	if query.Has("not_started") && len(page.PayMethods) > 0 {
		shown.Notice, shown.NoticeKind = shown.Words.StartFailed, "bad"
	}
	if query.Has("reported") && shown.Advance != nil && len(shown.Advance.Payments) > 0 {
		shown.Notice, shown.NoticeKind = shown.Advance.Words.Sent, "good"
	}
	if v.refused != nil && shown.Advance != nil {
		shown.Advance.refill(*v.refused)
	}
	if fromLink == "" || !page.Proven {
		return shown, nil, nil
	}
	return shown, v.TokenCookie(fromLink, r.URL.Path), nil
}

// TokenCookie returns the cookie that proves the buyer to the pages of the order below a path.
func (v Visit) TokenCookie(token, path string) *http.Cookie {
	return &http.Cookie{
		Name: tokenCookie, Value: token, Path: path, MaxAge: int(tokenTime / time.Second),
		HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: strings.HasPrefix(cmp.Or(v.Origin, v.Shop.Orders.OrderPageURL(v.Order)), "https:"),
	}
}

// errForm means that a request does not have the page's form.
var errForm = &fault.Error{Code: fault.CodeMalformed, Message: "Must be a form."}

// Pay starts the payment of the order and redirects the buyer to the gateway, or back to the page.
// The order token in the form proves the buyer: no other site has it. Nothing is written if it
// returns an error.
func (v Visit) Pay(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	form, perr := url.ParseQuery(string(body))
	if errors.Join(err, perr) != nil {
		return errForm
	}
	v.Caller.OrderToken = form.Get("k")
	to, err := v.StartPayment(ctx, form, strings.TrimSuffix(r.URL.Path, "/pay"))
	if err == nil {
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
	return err
}

// Report reports a payment of the order's advance to a wallet, and redirects the buyer to the page.
// A report that is refused is shown again, with the reason. Nothing is written if it returns an
// error.
func (v Visit) Report(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	form, perr := url.ParseQuery(string(body))
	if errors.Join(err, perr) != nil {
		return errForm
	}
	to, again, err := v.SendReport(ctx, form, strings.TrimSuffix(r.URL.Path, "/report"), Language(r))
	switch {
	case err != nil:
		return err
	case again == nil:
		http.Redirect(w, r, to, http.StatusSeeOther)
		return nil
	}
	w.WriteHeader(http.StatusUnprocessableEntity)
	return again.Show(ctx, w, r)
}

// SendReport reports a payment with the fields of a form. It returns the address of the page at a
// path, or the visit that shows the form again.
func (v Visit) SendReport(ctx context.Context, form url.Values, path string, in locale.Language) (to string, again *Visit, err error) {
	sent := Report{Wallet: form.Get("wallet"), Sender: form.Get("sender"), Transaction: form.Get("transaction")}
	v.Caller.OrderToken = form.Get("k")
	_, err = v.Shop.Orders.ReportWalletPayment(ctx, v.Caller, v.Order, order.WalletPaymentInput{
		WalletID: sent.Wallet, Sender: sent.Sender, TransactionID: sent.Transaction,
	})
	if err == nil {
		return path + "?" + url.Values{"k": {v.Caller.OrderToken}, "reported": {"1"}}.Encode(), nil, nil
	}
	if sent.Problem = ReportProblem(in, err); sent.Problem == "" {
		return "", nil, err
	}
	v.refused = &sent
	return "", &v, nil
}

// StartPayment starts the payment of the order with the method of a form. It returns the address to
// which the buyer goes: the gateway's, or the page at this path.
func (v Visit) StartPayment(ctx context.Context, form url.Values, path string) (to string, err error) {
	attempt, err := v.Shop.Orders.StartPaymentOnPage(ctx, v.Caller, v.Order,
		order.PaymentInput{PaymentMethod: status.PaymentMethod(form.Get("method"))})
	back := url.Values{"k": {v.Caller.OrderToken}}
	switch {
	case fault.HasCode(err, fault.CodeNotPayable): // it is paid by now, for example
	case fault.HasCode(err, fault.CodePaymentMethodUnavailable),
		err == nil && attempt.RedirectURL == nil:
		back.Set("not_started", "1")
	case err != nil:
		return "", err
	default:
		return *attempt.RedirectURL, nil
	}
	return path + "?" + back.Encode(), nil
}

// Failure is an error in the form for buyers.
type Failure struct {
	Status      int
	Title, Text string
}

// Explain returns an error in the language of a request, false if a buyer cannot have caused it.
func Explain(r *http.Request, err error) (Failure, bool) {
	words := wordsOf[Language(r)]
	for _, explained := range []struct {
		code fault.Code
		Failure
	}{
		{fault.CodeMalformed, Failure{http.StatusBadRequest, words.NotFound, words.NotFoundText}},
		{fault.CodeNotFound, Failure{http.StatusNotFound, words.NotFound, words.NotFoundText}},
		{fault.CodeTenantNotFound, Failure{http.StatusNotFound, words.NotFound, words.NotFoundText}},
		{fault.CodeTenantSuspended, Failure{http.StatusForbidden, words.Closed, closedText(err)}},
		{fault.CodeRateLimited, Failure{http.StatusTooManyRequests, words.TooMany, ""}},
	} {
		if fault.HasCode(err, explained.code) {
			return explained.Failure, true
		}
	}
	return Failure{}, false
}

// closedText returns the operator's text for buyers of a closed shop, "" if there is none.
func closedText(err error) string {
	if closed, ok := errors.AsType[*fault.Error](err); ok && closed.Message != shop.ClosedText {
		return closed.Message
	}
	return ""
}

// Language returns the language of a page: the one that its address has, or else the browser's
// first one, or else English.
func Language(r *http.Request) locale.Language {
	return cmp.Or(requested(r), accepted(r), locale.English)
}

// requested returns the language in a page's address; "" if it has none.
func requested(r *http.Request) locale.Language {
	if chosen := locale.Language(r.URL.Query().Get("lang")); wordsOf[chosen] != nil {
		return chosen
	}
	return ""
}

// accepted returns the browser's first language that the page has; "" if there is none.
func accepted(r *http.Request) locale.Language {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(part)), ";")
		tag, _, _ = strings.Cut(tag, "-")
		if wordsOf[locale.Language(tag)] != nil {
			return locale.Language(tag)
		}
	}
	return ""
}
