package cmd_test

import (
	"os"
	"strings"
	"testing"

	"storefront/cmd"
)

// The simulated couriers of a second start still have the shipments of the first.
func TestServe_SimulatorOfSecondStart(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	p, _ := serveDemo(t, c.dir)
	orders := strings.Fields(c.must("order", "list", "demo", "--view", "toPack", "--format", "uid"))
	if len(orders) < 2 {
		t.Fatalf("got orders %q to pack, want two", orders)
	}
	c.must("order", "ship", "demo", orders[0], "--courier", "courier_b")
	if code := p.stop(os.Interrupt); code != cmd.ExitOK {
		t.Fatalf("first start: got exit code %d", code)
	}

	serve(t, c.dir, "--dev")
	c.must("order", "ship", "demo", orders[1], "--courier", "courier_b")
	c.must("simulate", "demo", "courier_b", "delivered", "--order", orders[0])
	var got struct{ FulfillmentStatus string }
	c.json(&got, "order", "track", "demo", orders[0])
	if got.FulfillmentStatus != "delivered" {
		t.Errorf("got delivery %s, want delivered", got.FulfillmentStatus)
	}
}
