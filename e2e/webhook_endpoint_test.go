package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"storefront/db/dbtest"
)

// newEndpoint creates a webhook endpoint and returns its ID and secret.
func newEndpoint(t *testing.T, data, uid, url string, more ...string) (id, secret string) {
	t.Helper()
	var created struct {
		ID     string `json:"_id"`
		Secret string
	}
	text := run(t, append([]string{"api", uid, "createWebhookEndpoint", "--url", url, "--json", "--data", data, "--private-providers"}, more...)...)
	if err := json.Unmarshal([]byte(text), &created); err != nil {
		t.Fatal(err)
	}
	return created.ID, created.Secret
}

// A server is killed after a receiver has a webhook and before the result is recorded: the webhook
// is sent again with the same ID, and no event is missing.
func TestWebhookEndpoint_KilledServer(t *testing.T) {
	t.Parallel()
	const orders = 5
	var mu sync.Mutex
	got := map[string]int{}      // webhooks, by ID
	subjects := map[string]int{} // the same, by order
	silent := true
	held := make(chan struct{}, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var event struct{ Data struct{ Subject string } }
		if err != nil || json.Unmarshal(body, &event) != nil {
			t.Errorf("got the body %q, %v", body, err)
		}
		mu.Lock()
		got[r.Header.Get("webhook-id")]++
		subjects[event.Data.Subject]++
		hold := silent && len(got) >= 3
		mu.Unlock()
		if hold {
			select {
			case held <- struct{}{}:
			default:
			}
			<-r.Context().Done()
		}
	}))
	t.Cleanup(receiver.Close)
	data := newShop(t, "acme", orders)
	newEndpoint(t, data, "acme", receiver.URL, "--types", "order.placed")
	args := []string{"--data", data, "--rate", "0", "--private-providers"}
	p := serve(t, args...)
	id, _ := p.product("acme", "item-0")
	var placed []string
	for range orders {
		placed = append(placed, p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: orderOf(id, 1)}).text("invoiceUid"))
	}
	<-held
	p.kill()
	mu.Lock()
	silent = false
	mu.Unlock()
	serve(t, args...)
	dbtest.Eventually(t, "every order has arrived, and the interrupted webhooks again", func() bool {
		mu.Lock()
		defer mu.Unlock()
		repeated := false
		for _, n := range got {
			repeated = repeated || n == 2
		}
		return repeated && len(subjects) == len(placed)
	})
	mu.Lock()
	defer mu.Unlock()
	for id, n := range got {
		if n > 2 {
			t.Errorf("%s: got it %d times", id, n)
		}
	}
	for _, invoice := range placed {
		if subjects[invoice] == 0 {
			t.Errorf("%s: got no webhook", invoice)
		}
	}
	if len(got) != orders {
		t.Errorf("got %d webhooks, want %d", len(got), orders)
	}
}

// The receiver of docs/admin-api.md accepts what the server sends and refuses everything else.
func TestAdminPage_Receiver(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("python3 cannot be run: %v", err)
	}
	_, text, _ := strings.Cut(readText(t, "../docs/admin-api.md"), "<!-- receiver.py -->\n```python\n")
	text, _, found := strings.Cut(text, "```\n<!-- end of receiver.py -->")
	if !found {
		t.Fatal("got no receiver in the page")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "receiver.py")
	if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	port := dbtest.FreePorts(t, 1)
	address := fmt.Sprintf("http://127.0.0.1:%d/", port)
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	id, secret := newEndpoint(t, data, "demo", address, "--types", "order.placed", "--types", "order.cancelled")

	cmd := exec.Command(python, program, strconv.Itoa(port))
	cmd.Env = append(os.Environ(), "WEBHOOK_SECRET="+secret)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := dbtest.StartServer(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	dbtest.Eventually(t, "the receiver listens", func() bool {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	if got := run(t, "api", "demo", "testWebhookEndpoint", "--id", id, "--data", data); !strings.Contains(got, "response status: 204") {
		t.Errorf("got %q", got)
	}
	forged, err := http.NewRequest(http.MethodPost, address, strings.NewReader(`{"type":"order.placed","data":{"orderNumber":7}}`))
	if err != nil {
		t.Fatal(err)
	}
	forged.Header.Set("webhook-id", "msg_1")
	forged.Header.Set("webhook-timestamp", "1772344800")
	forged.Header.Set("webhook-signature", "v1,K0Ci2dl3puCMYe/dIGaTK4Ge3ga9UACSItY4q6cPDlQ=")
	resp, err := http.DefaultClient.Do(forged)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("forged webhook: got %d, want 401", resp.StatusCode)
	}
	placed := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: `{
		"items": [{"productId": "0ZRJS5B790K7P6HF38ZGHBY4KD", "quantity": 1}], "customer": {"name": "Ayesha Rahman", "phoneNumber": "01711-000000"},
		"shippingAddress": {"line1": "House 12, Road 5", "area": "Dhanmondi", "city": "Dhaka"}, "paymentMethod": "cod"}`})
	var order struct{ OrderNumber int64 }
	if err := json.Unmarshal([]byte(placed.body), &order); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var printed []string
	for len(printed) < 2 && lines.Scan() {
		printed = append(printed, lines.Text())
	}
	if len(printed) < 2 || !strings.Contains(printed[0], " test") || !strings.HasSuffix(printed[1], fmt.Sprintf(" order.placed %d", order.OrderNumber)) {
		t.Errorf("got %q, want the test and the order %d", printed, order.OrderNumber)
	}
	var deliveries string
	dbtest.Eventually(t, "the server has recorded both responses", func() bool {
		deliveries = run(t, "api", "demo", "listDeliveries", "--id", id, "--data", data)
		return strings.Count(deliveries, " sent ") == 2
	}, func() string { return deliveries })
	if strings.Contains(deliveries, secret) {
		t.Errorf("got the secret in %s", deliveries)
	}
}
