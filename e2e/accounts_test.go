package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db/dbtest"
)

// gateway is an SMS gateway on this machine.
type gateway struct {
	*httptest.Server
	mu       sync.Mutex
	messages map[string]string // the last one to each number
	status   int               // 0: it takes messages
}

const gatewaySecret = "gateway-s3cret"

func newGateway(t *testing.T) *gateway {
	t.Helper()
	g := &gateway{messages: map[string]string{}}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.status != 0 {
			w.WriteHeader(g.status)
			return
		}
		var message struct{ To, Text string }
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
			t.Errorf("gateway: %v", err)
		}
		g.messages[message.To] = message.Text
		_, _ = io.WriteString(w, `{"id":"m-1"}`)
	}))
	t.Cleanup(g.Close)
	return g
}

// configure makes the gateway a shop's own, by the command line.
func (g *gateway) configure(t *testing.T, data, uid string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "gateway.json")
	config := `{"url":"` + g.URL + `","allowHttp":true,"auth":{"kind":"bearer","token":"{secret.token}"},
		"body":{"kind":"json","json":{"to":"{to}","text":"{text}"}},"messageId":"id","secrets":{"token":"` + gatewaySecret + `"}}`
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "sms", "configure", uid, "--file", file, "--data", data)
}

// fail has it refuse every message from now on.
func (g *gateway) fail() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.status = http.StatusForbidden
}

var fourDigits = regexp.MustCompile(`\b[0-9]{4}\b`)

func (g *gateway) code(t *testing.T, phone string) string {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	code := fourDigits.FindString(g.messages[phone])
	if code == "" {
		t.Fatalf("no code for %s", phone)
	}
	return code
}

func (p *process) auth(op, tenant, token string, body map[string]any) response {
	p.t.Helper()
	return p.must(request{method: "POST", path: "/api/v1/auth/" + op, tenant: tenant, token: token, body: body})
}

func (a response) want(t *testing.T, status int, code string) response {
	t.Helper()
	if a.status != status || a.text("code") != code {
		t.Fatalf("got %d %s, want %d %q", a.status, a.body, status, code)
	}
	return a
}

// One account from its first code to its deletion, through crashes and beside the command line,
// after which neither the log nor a file nor a refusal holds a secret.
func TestAccount_SignUpToDeletion(t *testing.T) {
	t.Parallel()
	const phone, password = "+8801711000000", "a long and quiet river"
	data := newShop(t, "shop-a", 5)
	g := newGateway(t)
	g.configure(t, data, "shop-a")
	start := func() *process { return serve(t, "--data", data, "--private-providers", "--rate", "0") }
	p := start()
	logs := ""

	// The code outlives the process.
	p.auth("otp/send", "shop-a", "", map[string]any{"phoneNumber": "01711-000000"}).want(t, 200, "")
	code := g.code(t, phone)
	p.auth("otp/verify", "shop-a", "", map[string]any{"phoneNumber": phone, "code": code}).want(t, 422, "name_required")
	p.kill()
	logs += p.logged()
	p = start()
	signedIn := p.auth("otp/verify", "shop-a", "", map[string]any{"phoneNumber": phone, "code": code, "name": "Rahim Uddin"}).want(t, 200, "")
	token := signedIn.text("accessToken")
	p.auth("otp/verify", "shop-a", "", map[string]any{"phoneNumber": phone, "code": code}).want(t, 401, "otp_invalid")
	p.auth("change-password", "shop-a", token, map[string]any{"newPassword": password}).want(t, 403, "reauthentication_required")
	p.auth("otp/send", "shop-a", token, map[string]any{"phoneNumber": phone}).want(t, 200, "")
	first := map[string]any{"newPassword": password, "currentCode": g.code(t, phone)}
	token = p.auth("change-password", "shop-a", token, first).want(t, 200, "").text("accessToken")

	// So do failures.
	wrong := map[string]any{"user": phone, "password": "a wrong guess"}
	for range 5 {
		p.auth("login", "shop-a", "", wrong).want(t, 401, "invalid_credentials")
	}
	p.kill()
	logs += p.logged()
	p = start()
	limited := p.auth("login", "shop-a", "", map[string]any{"user": phone, "password": password}).want(t, 429, "rate_limited")
	if limited.header.Get("Retry-After") == "" || limited.header.Get("RateLimit") == "" {
		t.Errorf("headers of 429: %v", limited.header)
	}

	// A gateway that is out costs nothing.
	g.mu.Lock()
	g.status = http.StatusForbidden
	g.mu.Unlock()
	for range 3 {
		p.auth("otp/send", "shop-a", "", map[string]any{"phoneNumber": "01811000000"}).want(t, 503, "sms_unavailable")
	}
	g.mu.Lock()
	g.status = 0
	g.mu.Unlock()
	p.auth("otp/send", "shop-a", "", map[string]any{"phoneNumber": "01811000000"}).want(t, 200, "")

	// The command line works beside the server: a new signing key signs nobody out.
	me := request{method: "GET", path: "/api/v1/auth/me", tenant: "shop-a", token: token}
	run(t, "key", "rotate", "shop-a", "--data", data)
	time.Sleep(100 * time.Millisecond) // a server detects commits of another process within 50 ms
	p.must(me).want(t, 200, "")
	p.auth("otp/send", "shop-a", "", map[string]any{"phoneNumber": phone}).want(t, 200, "")
	again := p.auth("otp/verify", "shop-a", "", map[string]any{"phoneNumber": phone, "code": g.code(t, phone)}).want(t, 200, "")
	fresh := again.text("accessToken")
	if head(t, fresh) == head(t, token) {
		t.Error("the new token is of the old key")
	}
	p.must(request{method: "GET", path: "/api/v1/auth/me", tenant: "shop-a", token: fresh}).want(t, 200, "")

	product, _ := p.product("shop-a", "item-0")
	placed := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "shop-a", token: fresh, body: orderOf(product, 1)}).want(t, 201, "")
	run(t, "api", "shop-a", "deleteCustomer", "--id", phone, "--data", data)
	p.must(me).want(t, 401, "token_invalid")
	shown := run(t, "order", "show", "shop-a", placed.text("invoiceUid"), "--json", "--data", data)
	for _, personal := range []string{"Rahim", "01711", "House 1"} {
		if strings.Contains(shown, personal) {
			t.Errorf("the order still says %q: %s", personal, shown)
		}
	}

	if code := p.stop(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	logs += p.logged()
	secrets := map[string]string{
		"password": password, "wrong password": "a wrong guess", "token": token, "second token": fresh, "gateway's secret": gatewaySecret,
		"message": code + " is your", "phone": "1711000000",
	}
	for what, secret := range secrets {
		if strings.Contains(logs, secret) {
			t.Errorf("the log has the %s", what)
		}
	}
	delete(secrets, "phone")
	wantNoSecrets(t, data, secrets)
}

// head returns the header of a token, which names the signing key.
func head(t *testing.T, token string) string {
	t.Helper()
	head, _, _ := strings.Cut(token, ".")
	if head == "" {
		t.Fatalf("no token: %q", token)
	}
	return head
}

// wantNoSecrets looks for secrets in every file of a data folder.
func wantNoSecrets(t *testing.T, data string, secrets map[string]string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(data, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files++
		for what, secret := range secrets {
			if strings.Contains(string(content), secret) {
				t.Errorf("%s holds the %s", filepath.Base(name), what)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files, %v", files, err)
	}
}

// In development codes are shown in the log and on a page for this machine, and nowhere else.
func TestServeDev_ShowsCodes(t *testing.T) {
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	p.auth("otp/send", "demo", "", map[string]any{"phoneNumber": "01711-000000"}).want(t, 200, "")
	page := regexp.MustCompile(`SMS preview\s+(http://127\.0\.0\.1:\d+)`).FindStringSubmatch(p.logged())
	if page == nil {
		t.Fatalf("no address of the page in:\n%s", p.logged())
	}
	look := func(host string, header ...string) (int, string) {
		r, err := http.NewRequest("GET", page[1]+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			r.Host = host
		}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	status, body := look("")
	shown := regexp.MustCompile(`([0-9]{4}) is your`).FindStringSubmatch(body)
	if status != http.StatusOK || shown == nil {
		t.Fatalf("page of text messages: got %d, want 200 and a code\n%s", status, body)
	}
	for _, refused := range [][]string{
		{"evil.example"}, {"", "X-Forwarded-For", "192.0.2.1"}, {"", "Forwarded", "for=192.0.2.1"}, {"", "Via", "1.1 tunnel"},
	} {
		if status, body := look(refused[0], refused[1:]...); status != http.StatusForbidden || strings.Contains(body, shown[1]) {
			t.Errorf("%v: got %d %s, want 403", refused, status, body)
		}
	}
	if a := p.must(request{method: "GET", path: "/", tenant: "demo"}); strings.Contains(string(a.body), shown[0]) {
		t.Error("the API's own listener shows the code at /")
	}
	p.auth("otp/verify", "demo", "", map[string]any{"phoneNumber": "01711000000", "code": shown[1], "name": "Rahim"}).want(t, 200, "")
	dbtest.Eventually(t, "the development log shows the code", func() bool {
		return strings.Contains(p.logged(), shown[1]+" is your")
	}, p.logged)
}

// A shop's worth of customers comes from one address at once, and everyone gets in. A client sends
// a request again that took too long, as on a machine that is busy with other work.
func TestAccount_ManyCustomersAtOneAddress(t *testing.T) {
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	const customers = 24 // at once: fewer than codes may be under way for one address
	send := func(req request) (response, error) {
		for {
			a, err := p.do(req)
			if err != nil || a.status != http.StatusServiceUnavailable || !strings.Contains(string(a.body), "took too long") {
				return a, err
			}
		}
	}
	var wg sync.WaitGroup
	for i := range customers {
		wg.Go(func() {
			phone := fmt.Sprintf("018%08d", i)
			register := map[string]any{"name": "Buyer", "phoneNumber": phone, "password": "a long and quiet river"}
			a, err := send(request{method: "POST", path: "/api/v1/auth/register", tenant: "demo", body: register})
			if err != nil || a.status != http.StatusCreated {
				t.Errorf("register %d: %d %s %v", i, a.status, a.body, err)
			}
			a, err = send(request{method: "POST", path: "/api/v1/auth/otp/send", tenant: "demo", body: map[string]any{"phoneNumber": phone}})
			if err != nil || a.status != http.StatusOK {
				t.Errorf("code %d: %d %s %v", i, a.status, a.body, err)
			}
			for range 3 {
				a, err = send(request{method: "POST", path: "/api/v1/auth/login", tenant: "demo",
					body: map[string]any{"user": phone, "password": "a long and quiet river"}})
				if err != nil || a.status != http.StatusOK {
					t.Errorf("login %d: %d %s %v", i, a.status, a.body, err)
				}
			}
		})
	}
	wg.Wait()
}
