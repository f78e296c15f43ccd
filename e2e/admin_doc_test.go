package e2e

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The program of docs/admin-api.md confirms, books and exports the day's orders, once however often
// it runs.
func TestAdminPage_Program(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("python3 cannot be run: %v", err)
	}
	_, text, _ := strings.Cut(readText(t, "../docs/admin-api.md"), "<!-- morning.py -->\n```python\n")
	text, _, found := strings.Cut(text, "```\n<!-- end of morning.py -->")
	if lines := strings.Count(text, "\n"); !found || lines > 60 {
		t.Fatalf("got a program of %d lines, want at most 60", lines)
	}
	dir := t.TempDir()
	program, file := filepath.Join(dir, "morning.py"), filepath.Join(dir, "orders.csv")
	if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	var placed []string
	for range 2 {
		placed = append(placed, p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: `{
			"items": [{"productId": "0ZRJS5B790K7P6HF38ZGHBY4KD", "quantity": 1}], "customer": {"name": "Ayesha Rahman", "phoneNumber": "01711-000000"},
			"shippingAddress": {"line1": "House 12, Road 5", "area": "Dhanmondi", "city": "Dhaka"}, "paymentMethod": "cod"}`}).text("invoiceUid"))
	}
	key := adminKey(t, data, "demo", "orders.read,orders.write,orders.fulfill,export")
	for attempt := range 2 {
		cmd := exec.Command(python, program, p.url, "demo", "courier_b", file)
		cmd.Env = append(os.Environ(), "STOREFRONT_KEY="+key)
		out, err := cmd.CombinedOutput()
		if err != nil || attempt == 0 && strings.Count(string(out), "shipments ") < len(placed) || attempt == 1 && len(out) > 0 {
			t.Fatalf("run %d: got %v\n%s", attempt+1, err, out)
		}
	}
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(saved), "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	status, consignments := slices.Index(rows[0], "Status"), slices.Index(rows[0], "Consignments")
	var booked []string
	for _, row := range rows[1:] {
		if row[status] == "processing" && strings.Count(row[consignments], "courier_b") == 1 {
			booked = append(booked, row[slices.Index(rows[0], "Invoice")])
		}
	}
	for _, order := range placed {
		if !slices.Contains(booked, order) {
			t.Errorf("got booked orders %v in the file, want %s among them", booked, order)
		}
	}
}
