package gatewayb_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/provider"
	"storefront/provider/gatewayb"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
)

// host is a fake of the provider. It answers by the last part of the path with recorded bodies.
type host struct {
	*httptest.Server
	answers map[string]string // "status body" by the last part of the path; "lost" drops the response
	// rejected is the status with which the next request that has a token is rejected; "" means
	// none.
	rejected string

	mu    sync.Mutex
	calls []string
}

func newHost(t *testing.T, answers map[string]string) *host {
	t.Helper()
	h := &host{answers: answers}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		h.mu.Lock()
		h.calls = append(h.calls, name)
		status, body, _ := strings.Cut(h.answers[name], " ")
		if h.rejected != "" && r.Header.Get("Authorization") != "" {
			status, body, h.rejected = h.rejected, `{"message":"Unauthorized"}`, ""
		}
		h.mu.Unlock()
		switch status {
		case "lost":
			panic(http.ErrAbortHandler)
		default:
			if code, err := strconv.Atoi(status); err == nil {
				w.WriteHeader(code)
			}
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(h.Close)
	return h
}

const grant = `200 {"statusCode":"0000","statusMessage":"Successful","id_token":"eyJ.token","token_type":"Bearer",` +
	`"expires_in":3600,"refresh_token":"eyJ.refresh"}`

// memoryState implements [plugin.State] in memory.
type memoryState struct{ value []byte }

func (m *memoryState) Load(context.Context) ([]byte, error) { return m.value, nil }

func (m *memoryState) Save(_ context.Context, value []byte) error {
	m.value = value
	return nil
}

func (h *host) adapter(clock *shoptest.Clock) *gatewayb.Adapter {
	return gatewayb.New(gatewayb.Config{
		Client: provider.NewClient(provider.ClientConfig{AllowPrivate: true}), Live: h.URL, Now: clock.Now,
	})
}

func access(m *memoryState) plugin.Access {
	return plugin.Access{Mode: plugin.Live, State: m, Settings: plugin.Settings{
		"username": "u", "password": "hush-password", "app_key": "hush-key", "app_secret": "hush-secret",
	}}
}

var taka, _ = money.ParseCurrency("BDT")

func (h *host) count(name string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, call := range h.calls {
		if call == name {
			n++
		}
	}
	return n
}

// The provider limits token requests, so one token serves many calls and survives a restart.
func TestToken_CachedAndRenewed(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	h := newHost(t, map[string]string{
		"grant": grant, "refresh": strings.Replace(grant, "eyJ.token", "eyJ.second", 1),
		"status": `200 {"statusCode":"0000","transactionStatus":"Initiated"}`,
	})
	state := &memoryState{}
	query := func() error {
		_, err := h.adapter(clock).QueryStatus(t.Context(), access(state), plugin.StatusQuery{ExternalID: "TR1", Currency: taka})
		return err
	}
	for range 5 { // each iteration is a new process
		if err := query(); err != nil {
			t.Fatal(err)
		}
		clock.Advance(9 * time.Minute)
	}
	if h.count("grant") != 1 || h.count("refresh") != 0 {
		t.Errorf("got calls %v", h.calls)
	}
	clock.Advance(10 * time.Minute)
	if err := query(); err != nil {
		t.Fatal(err)
	}
	if h.count("grant") != 1 || h.count("refresh") != 1 || !strings.Contains(string(state.value), "eyJ.second") {
		t.Errorf("got calls %v", h.calls)
	}
	clock.Advance(30 * 24 * time.Hour) // the refresh token has expired as well
	if err := query(); err != nil {
		t.Fatal(err)
	}
	if h.count("grant") != 2 || h.count("refresh") != 1 {
		t.Errorf("got calls %v", h.calls)
	}
}

// A rejected token is replaced at once, but a gateway that rejects every token is not flooded with
// requests.
func TestToken_Rejected(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	const open = `200 {"statusCode":"0000","transactionStatus":"Initiated"}`
	h := newHost(t, map[string]string{"grant": grant, "refresh": grant, "status": open})
	state := &memoryState{}
	query := func() error {
		_, err := h.adapter(clock).QueryStatus(t.Context(), access(state), plugin.StatusQuery{ExternalID: "TR1", Currency: taka})
		return err
	}
	if err := query(); err != nil {
		t.Fatal(err)
	}
	for _, status := range []string{"401", "403"} { // as after a restart of the simulator
		clock.Advance(time.Minute)
		h.rejected = status
		h.answers["grant"] = strings.Replace(grant, "eyJ.token", "eyJ."+status, 1)
		if err := query(); err != nil {
			t.Errorf("token rejected with %s: got %v, want a replaced token", status, err)
		}
	}
	if h.count("grant") != 3 || h.count("refresh") != 0 {
		t.Errorf("got calls %v, want 3 grants", h.calls)
	}

	h.answers["status"] = `401 {"message":"Unauthorized"}`
	for range 170 {
		err := query()
		if !errors.Is(err, plugin.ErrGatewayRefused) && !errors.Is(err, plugin.ErrGatewayUnavailable) {
			t.Fatalf("got %v, want ErrGatewayRefused or ErrGatewayUnavailable", err)
		}
		clock.Advance(20 * time.Second)
	}
	if n := h.count("grant") + h.count("refresh"); n > 8 {
		t.Errorf("got %d token requests within an hour, want at most 8", n)
	}
}

// The provider counts requests whose response was lost, too: the refresh token is used at most
// twice an hour.
func TestToken_RefreshLimit(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	h := newHost(t, map[string]string{"grant": grant, "refresh": "lost"})
	state := &memoryState{}
	check := func() { _ = h.adapter(clock).Check(t.Context(), access(state)) }
	check()
	h.answers["grant"] = "lost"
	clock.Advance(55 * time.Minute)
	for range 60 { // each iteration is a new process
		check()
		clock.Advance(time.Minute)
	}
	if n := h.count("refresh"); n != 2 {
		t.Errorf("got %d uses of the refresh token within an hour, want 2", n)
	}
}

func TestToken_OtherCredentials(t *testing.T) {
	t.Parallel()
	h := newHost(t, map[string]string{"grant": grant, "status": `200 {"statusCode":"2033"}`})
	state := &memoryState{}
	adapter := h.adapter(shoptest.NewClock())
	if err := adapter.Check(t.Context(), access(state)); err != nil {
		t.Fatal(err)
	}
	other := access(state)
	other.Settings["username"] = "another"
	if err := adapter.Check(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if h.count("grant") != 2 {
		t.Errorf("got calls %v", h.calls)
	}
}

func TestQueryStatus(t *testing.T) {
	t.Parallel()
	const completed = `200 {"paymentID":"TR1","trxID":"BFD90JRLST","transactionStatus":"Completed","amount":"970.00","currency":"BDT",` +
		`"intent":"sale","paymentExecuteTime":"2026-03-01T12:00:19:952 GMT+0600","merchantInvoiceNumber":"R1","customerMsisdn":"01711000000",` +
		`"statusCode":"0000","statusMessage":"Successful"}`
	queried := strings.Replace(completed, "merchantInvoiceNumber", "merchantInvoice", 1)
	paid := plugin.GatewayStatus{State: plugin.GatewayPaid, Ref: "R1", Amount: 970_00, Currency: "BDT", Readable: true, TransactionID: "BFD90JRLST"}
	code := func(code string) string { return `200 {"statusCode":"` + code + `","statusMessage":"no"}` }
	tests := []struct {
		name, execute, query string
		want                 plugin.GatewayStatus
		err                  error
		queries              int
	}{
		{"paid", completed, "", paid, nil, 0},
		{"response lost", "lost", queried, paid, nil, 1},
		{"server error", "500 oops", queried, paid, nil, 1},
		{"rejected by the proxy", `200 {"message":"Too Many Requests"}`, queried, paid, nil, 1},
		{
			"rejected by the proxy twice", `200 {"message":"Too Many Requests"}`, `200 {"message":"Too Many Requests"}`, plugin.GatewayStatus{},
			plugin.ErrGatewayUnknown, 1,
		},
		{"already completed", code("2062"), queried, paid, nil, 1},
		{"completed by another call", code("2117"), queried, paid, nil, 1},
		{"both lost", "lost", "lost", plugin.GatewayStatus{}, plugin.ErrGatewayUnknown, 1},
		{"lost, then busy", "lost", code("2024"), plugin.GatewayStatus{}, plugin.ErrGatewayUnknown, 1},
		{
			"lost, not completed yet",
			"lost",
			`200 {"statusCode":"0000","transactionStatus":"Initiated"}`,
			plugin.GatewayStatus{},
			plugin.ErrGatewayUnknown,
			1,
		},
		{"busy", code("2024"), code("503"), plugin.GatewayStatus{}, plugin.ErrGatewayUnknown, 1},
		{"system error, but paid", code("9999"), queried, paid, nil, 1},
		{"system error with status 500, but paid", `500 {"statusCode":"9999","statusMessage":"System Error."}`, queried, paid, nil, 1},
		{"unknown code, not executed", code("8888"), `200 {"statusCode":"0000","transactionStatus":"Initiated"}`,
			plugin.GatewayStatus{State: plugin.GatewayOpen}, nil, 1},
		{"system error twice", code("9999"), code("9999"), plugin.GatewayStatus{}, plugin.ErrGatewayUnknown, 1},
		{"not approved", code("2060"), "", plugin.GatewayStatus{State: plugin.GatewayOpen}, nil, 0},
		{"no balance", code("2023"), "", plugin.GatewayStatus{State: plugin.GatewayFailed, Reason: "the gateway returned code 2023: no"}, nil, 0},
		{"older error format", `200 {"errorCode":"2069","errorMessage":"cancelled"}`, "",
			plugin.GatewayStatus{State: plugin.GatewayCancelled, Reason: "the gateway returned code 2069: cancelled"}, nil, 0},
		{
			"success code, not completed", `200 {"statusCode":"0000","transactionStatus":"Initiated"}`, "",
			plugin.GatewayStatus{State: plugin.GatewayOpen}, nil, 0,
		},
		{"number as amount", strings.Replace(completed, `"970.00"`, `970`, 1), "", paid, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, map[string]string{"grant": grant, "execute": tt.execute, "status": tt.query})
			query := plugin.StatusQuery{ExternalID: "TR1", Currency: taka}
			got, err := h.adapter(shoptest.NewClock()).Capture(t.Context(), access(&memoryState{}), query)
			if !errors.Is(err, tt.err) || got != tt.want {
				t.Errorf("got %+v, %v; want %+v, %v", got, err, tt.want, tt.err)
			}
			if h.count("execute") != 1 || h.count("status") != tt.queries {
				t.Errorf("got calls %v", h.calls)
			}
			if err != nil && strings.Contains(err.Error(), "hush") {
				t.Errorf("error contains a secret: %v", err)
			}
		})
	}
}

// Only an answer that is known to be final is a refusal.
func TestStart_Failures(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]error{
		`200 {"statusCode":"2001","statusMessage":"Invalid App Key"}`:                                   plugin.ErrGatewayRefused,
		`400 {"message":"Invalid request body"}`:                                                        plugin.ErrGatewayRefused,
		`400 {"internalCode":"invalid_amount","externalCode":"2006","errorMessageEn":"Invalid Amount"}`: plugin.ErrGatewayRefused,
		`200 {"statusCode":"9999","statusMessage":"System Error."}`:                                     plugin.ErrGatewayUnknown,
		`200 {"statusCode":"2020","statusMessage":"Exception Occurred"}`:                                plugin.ErrGatewayUnknown,
		`200 {"statusCode":"503","statusMessage":"System is undergoing maintenance"}`:                   plugin.ErrGatewayUnavailable,
		`503 {"statusCode":"503","statusMessage":"System is undergoing maintenance"}`:                   plugin.ErrGatewayUnavailable,
		`429 {"message":"Too Many Requests"}`:                                                           plugin.ErrGatewayUnavailable,
		`429 slow down`:                                                                                 plugin.ErrGatewayUnavailable,
		`502 <html>`:                                                                                    plugin.ErrGatewayUnknown,
		"200 \ufeff{\"a\":1}":                                                                           plugin.ErrGatewayUnknown,
	} {
		h := newHost(t, map[string]string{"grant": grant, "create": answer})
		_, err := h.adapter(shoptest.NewClock()).
			Start(t.Context(), access(&memoryState{}), plugin.PaymentStart{Ref: "R1", Amount: 100_00, Currency: taka})
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", answer, err, want)
		}
	}
}

// Staff read why the gateway refused, without the secrets that it may quote.
func TestStart_GatewayWords(t *testing.T) {
	t.Parallel()
	h := newHost(t, map[string]string{
		"grant": grant, "create": `200 {"statusCode":"2001","statusMessage":"Invalid App Key hush-key for hush-secret, token eyJ.token"}`,
	})
	_, err := h.adapter(shoptest.NewClock()).
		Start(t.Context(), access(&memoryState{}), plugin.PaymentStart{Ref: "R1", Amount: 100_00, Currency: taka})
	const want = "the gateway refused: create: code 2001: Invalid App Key *** for ***, token ***"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A byte order mark, a long decimal and numbers as text are read as what they mean.
func TestQueryStatus_Spellings(t *testing.T) {
	t.Parallel()
	h := newHost(t, map[string]string{"grant": "200 \ufeff" + strings.TrimPrefix(grant, "200 "), "status": "200 \ufeff" +
		`{"trxID":"B1","transactionStatus":"completed","amount":969.9999999999,"currency":"BDT","merchantInvoice":"R1","statusCode":"0000"}`})
	got, err := h.adapter(shoptest.NewClock()).QueryStatus(t.Context(), access(&memoryState{}), plugin.StatusQuery{ExternalID: "TR1", Currency: taka})
	want := plugin.GatewayStatus{State: plugin.GatewayPaid, Ref: "R1", Amount: 970_00, Currency: "BDT", Readable: true, TransactionID: "B1"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

// A failed check of the credentials has the gateway's own words.
func TestCheck_GatewayWords(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]plugin.Refusal{
		`200 {"status":"fail","msg":"Invalid username and password combination"}`: {
			Kind: plugin.ErrGatewayRefused, Words: "status 200 without a code: Invalid username and password combination",
		},
		`200 {"statusCode":"2001","statusMessage":"Invalid App Key"}`: {Kind: plugin.ErrGatewayRefused, Words: "code 2001: Invalid App Key"},
		`200 {"statusCode":"9999","statusMessage":"System Error."}`:   {Kind: plugin.ErrGatewayUnavailable, Words: "code 9999: System Error."},
		`500 {"statusCode":"9999","statusMessage":"System Error."}`:   {Kind: plugin.ErrGatewayUnavailable, Words: "code 9999: System Error."},
		`401 {"message":"Unauthorized"}`:                              {Kind: plugin.ErrGatewayRefused, Words: "status 401 without a code: Unauthorized"},
	} {
		h := newHost(t, map[string]string{"grant": answer})
		err := h.adapter(shoptest.NewClock()).Check(t.Context(), access(&memoryState{}))
		got, ok := errors.AsType[*plugin.Refusal](err)
		if !ok || got.Kind != want.Kind || got.Words != want.Words {
			t.Errorf("%s: got %v, want %v with %q", answer, err, want.Kind, want.Words)
		}
	}
}

// Validating credentials sends a request even if a token is saved.
func TestCheck_SavedToken(t *testing.T) {
	t.Parallel()
	h := newHost(t, map[string]string{"grant": grant, "status": `200 {"statusCode":"2033","statusMessage":"Transaction not found"}`})
	state := &memoryState{}
	for range 2 {
		if err := h.adapter(shoptest.NewClock()).Check(t.Context(), access(state)); err != nil {
			t.Fatal(err)
		}
	}
	if h.count("grant") != 1 || h.count("status") != 2 {
		t.Errorf("got calls %v, want 1 grant and 2 queries", h.calls)
	}
	for _, answer := range []string{
		`403 {"message":"Forbidden"}`, `200 {"statusCode":"2001","statusMessage":"Invalid App Key"}`, `429 {"message":"Too Many Requests"}`,
	} {
		h.answers["status"] = answer
		if err := h.adapter(shoptest.NewClock()).Check(t.Context(), access(state)); err == nil {
			t.Errorf("%s: got valid credentials, want an error", answer)
		}
	}
}

// Buyers are redirected to the provider's own pages only.
func TestStart_ForeignPage(t *testing.T) {
	t.Parallel()
	h := newHost(t, map[string]string{"grant": grant})
	for _, page := range []string{
		"https://evil.example/pay", "javascript:alert(1)", "https://evil-bka.sh/", "https://payment.bka.sh@evil.example/", "",
	} {
		body, err := json.Marshal(map[string]string{"statusCode": "0000", "paymentID": "TR1", "bkashURL": page})
		if err != nil {
			t.Fatal(err)
		}
		h.answers["create"] = "200 " + string(body)
		_, err = h.adapter(shoptest.NewClock()).
			Start(t.Context(), access(&memoryState{}), plugin.PaymentStart{Ref: "R1", Amount: 100_00, Currency: taka})
		if !errors.Is(err, plugin.ErrGatewayRefused) {
			t.Errorf("%q: got error %v, want ErrGatewayRefused", page, err)
		}
	}
	h.answers["create"] = `200 {"statusCode":"0000","paymentID":"TR1","bkashURL":"https://payment.bkash.com/?paymentID=TR1",` +
		`"successCallbackURL":"https://shop.example/cb?paymentID=TR1&status=success&signature=nJ3ZQk8UeM"}`
	got, err := h.adapter(shoptest.NewClock()).
		Start(t.Context(), access(&memoryState{}), plugin.PaymentStart{Ref: "R1", Amount: 100_00, Currency: taka})
	want := plugin.StartedPayment{ExternalID: "TR1", RedirectURL: "https://payment.bkash.com/?paymentID=TR1", Signature: "nJ3ZQk8UeM"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

// A pending refund is not requested again, but a failed one is.
func TestRefund_EarlierRequest(t *testing.T) {
	t.Parallel()
	const completed = `200 {"refundTrxId":"F1","refundTransactionStatus":"Completed"}`
	for name, tt := range map[string]struct {
		status   string // response to the query of earlier refunds
		want     plugin.RefundResult
		requests int
	}{
		"none": {`200 {"refundTransactions":[]}`, plugin.RefundResult{State: plugin.RefundDone, RefundID: "F1"}, 1},
		"failed": {
			`200 {"refundTransactions":[{"refundTrxId":"F0","refundTransactionStatus":"Failed"}]}`,
			plugin.RefundResult{State: plugin.RefundDone, RefundID: "F1"}, 1,
		},
		"pending": {
			`200 {"refundTransactions":[{"refundTrxId":"F0","refundTransactionStatus":"Initiated"}]}`,
			plugin.RefundResult{State: plugin.RefundProcessing, RefundID: "F0"}, 0,
		},
		"completed": {
			`200 {"refundTransactions":[{"refundTrxId":"F0","refundTransactionStatus":"Completed"}]}`,
			plugin.RefundResult{State: plugin.RefundDone, RefundID: "F0"}, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, map[string]string{"grant": grant, "status": tt.status, "transaction": completed})
			got, err := h.adapter(shoptest.NewClock()).Refund(t.Context(), access(&memoryState{}), plugin.RefundRequest{
				Requested: true, ExternalID: "TR1", TransactionID: "B1", Amount: 970_00, Currency: taka,
			})
			if err != nil || got != tt.want || h.count("transaction") != tt.requests {
				t.Errorf("got %+v, %v after %v; want %+v", got, err, h.calls, tt.want)
			}
		})
	}
}
