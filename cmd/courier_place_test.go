package cmd_test

import (
	"encoding/json"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/shop"
)

// The places of both couriers are listed, found in an address and sent with a booking, and a
// courier reports what it owes.
func TestCourier_Places(t *testing.T) {
	t.Parallel()
	f := newCourierFixture(t)
	f.fails(cmd.ExitFailed, "missing settings", "courier", "cities", "acme", "courier_a")
	if out := f.must("courier", "balance", "acme"); out != "No courier that reports a balance is configured.\n" {
		t.Errorf("courier balance: got\n%s", out)
	}
	f.must("plugin", "configure", "acme", "courier_a", "client_id=c", "client_secret=s", "username=shop@example.com", "password=p", "store_id=1")
	f.must("plugin", "configure", "acme", "courier_b", "api_key=k", "secret_key=s")
	dhanmondi := f.placeBody(strings.Replace(inDhanmondi, "ITEMS", f.product, 1))
	for command, want := range map[string]string{
		"stores acme courier_a":                    "1 Demo yes",
		"cities acme courier_a --search dha":       "1 Dhaka",
		"zones acme courier_a 1 --search mirpur":   "37 Mirpur 1 49 Mirpur 10",
		"areas acme courier_a 50":                  "8 Road 3 yes 9 Road 32 yes",
		"stations acme courier_b --search kotw":    "61 Kotwali Dhaka 204 Kotwali Chattogram",
		"stations acme courier_b --search nothing": "None found.",
		"balance acme":                             "courier_b owes ৳12,450.00 PAYOUT AMOUNT CHARGES METHOD STATUS TIME SFC-88213 ৳12,450.00 ৳124.00",
		"place acme " + dhanmondi + " courier_a":   "city 1 Dhaka zone 50 Dhanmondi area 9 Road 32",
	} {
		out := strings.Join(strings.Fields(f.must(append([]string{"courier"}, strings.Fields(command)...)...)), " ")
		if !strings.Contains(out, want) {
			t.Errorf("courier %s: got %s, want %s", command, out, want)
		}
	}
	f.fails(cmd.ExitFailed, "no list of police stations", "courier", "stations", "acme", "courier_a")
	f.fails(cmd.ExitUsage, "must be a number", "courier", "zones", "acme", "courier_a", "Dhaka")
	f.fails(cmd.ExitFailed, "refused to answer", "courier", "zones", "acme", "courier_a", "99")

	invoice := f.place()
	f.fails(cmd.ExitFailed, "no police station", "order", "ship", "acme", invoice, "--courier", "courier_b", "--station", "99")
	var order shop.StaffOrder
	out := f.must("order", "ship", "acme", invoice, "--courier", "courier_a", "--city", "1", "--zone", "49", "--json")
	if err := json.Unmarshal([]byte(out), &order); err != nil || len(order.Shipments) != 1 {
		t.Errorf("order ship: got %s, %v, want a shipment", out, err)
	}
	if out := f.must("audit", "acme"); !strings.Contains(out, "place") {
		t.Errorf("audit: got\n%s\nwant the place", out)
	}
}

const inDhanmondi = `{"items":[ITEMS],"customer":{"name":"Rahima Khatun","phoneNumber":"01711-223344"},` +
	`"shippingAddress":{"line1":"House 12, Road 32","area":"Dhanmondi","city":"Dhaka"}}`
