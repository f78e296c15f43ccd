package cmd_test

import (
	"slices"
	"strings"
	"testing"

	"storefront/shop/page"
	"storefront/shop/staff"
)

// The log shows the values that differ, as they are written on a command line, and not those of a
// setting that nobody sent.
func TestAudit_Changes(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	for _, step := range []struct{ setting, want string }{
		{`limits={"messagesPerDay":1000000}`, "limits.messagesPerDay=1000000"},
		{`limits={"messagesPerDay":2000}`, "limits.messagesPerDay 1000000 → 2000"},
		{`limits={"messagesPerDay":2000,"codeInterval":90}`, "limits.codeInterval=90"},
		{"autoConfirm=true", "autoConfirm false → true"},
		{"autoConfirm=false", "autoConfirm true → false"},
		{"name=Acme Dhaka", "name Acme → Acme Dhaka"},
		{`deliveryCharges=[{"name":"Dhaka","charge":6000}]`,
			"deliveryCharges[0]._id=dhaka, deliveryCharges[0].charge=6000, deliveryCharges[0].name=Dhaka"},
		{`deliveryCharges=[{"name":"Dhaka","charge":8000},{"name":"Else","charge":9000}]`,
			"deliveryCharges[0].charge 6000 → 8000, deliveryCharges[1]._id=else, " +
				"deliveryCharges[1].charge=9000, deliveryCharges[1].name=Else"},
		{`deliveryCharges=[{"name":"Dhaka","charge":8000}]`,
			"deliveryCharges[1]._id else → -, deliveryCharges[1].charge 9000 → -, " +
				"deliveryCharges[1].name Else → -"},
		{`domains=["shop.example.com"]`, "domains=[shop.example.com]"},
		{"domains=[]", "domains [shop.example.com] → -"},
	} {
		c.must("tenant", "set", "acme", step.setting)
		line := strings.Split(c.must("audit", "acme", "--limit", "1"), "\n")[1]
		_, got, _ := strings.Cut(line, "settings.change")
		if got = strings.TrimLeft(got, " -"); !strings.HasSuffix(got, "  "+step.want) && got != step.want {
			t.Errorf("%s: got %q, want %q", step.setting, got, step.want)
		}
	}
}

// The entry of a new record shows what it has, and nothing that nobody set.
func TestAudit_NewRecords(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	for _, step := range []struct{ operation, body, want string }{
		{"createProduct", `{"title":"Mug","publishedAt":"2026-03-01T06:00:00Z","variants":[{"price":100,"stock":0,"tracked":true}]}`,
			"title=Mug, handle=mug, status=active, publishedAt=2026-03-01T06:00:00Z, " +
				"variants[0].price=100, variants[0].tracked=true, variants[0].lowStock=5, variants=1"},
		{"saveCoupon", `{"code":"TEN","kind":"percentage","basisPoints":1000}`, "active=true, basisPoints=1000, code=TEN, kind=percentage"},
		{"saveCollection", `{"title":"Eid"}`, "title=Eid"},
	} {
		c.must("api", "acme", step.operation, "--body", writeFile(t, "body.json", step.body))
		line := strings.Split(c.must("audit", "acme", "--limit", "1"), "\n")[1]
		if !strings.HasSuffix(strings.TrimRight(line, " "), "  "+step.want) {
			t.Errorf("%s: got %q, want %q", step.operation, line, step.want)
		}
	}
}

// Each command that changes a shop prints JSON with --json, and is recorded in the audit log with
// the name of the system user. A command that only reads is not.
func TestCommands_Audited(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.env["SUDO_USER"] = "rina"
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	var level struct{ VariantID string }
	c.json(&level, "stock", "set", "acme", "MUG-L", "10")
	var whole staff.APIKey
	if c.json(&whole, "token", "create", "acme"); !slices.Equal(whole.Scopes, []staff.Scope{staff.ScopeAll}) {
		t.Errorf("token create without --scope: got the scopes %v, want *", whole.Scopes)
	}
	order := writeFile(t, "order.json", `{"source":"phone","customer":{"name":"Rahima","phoneNumber":"01711000000"},
		"shippingAddress":{"line1":"House 12","city":"Dhaka"},"items":[{"variantId":"`+level.VariantID+`","quantity":2}]}`)
	document := writeFile(t, "design.json", `{"design":"haat","tokens":{},"templates":{}}`)
	count := func() int {
		var list page.Page[staff.AuditEntry]
		c.json(&list, "audit", "acme", "--limit", "1")
		return list.Meta.TotalCount
	}
	before := count()
	for _, step := range []struct{ command, action string }{
		{"staff invite acme --name Karim --email karim@example.com --role manager", "staff.invite"},
		{"staff reset acme karim@example.com", "staff.link"},
		{"staff disable acme karim@example.com", "staff.turn_off"},
		{"staff list acme", ""},
		{"token create acme --name Till --scope orders.read", "key.create"},
		{"token list acme", ""},
		{"api acme placeOrder --body <order>", "order.place"},
		{"api acme addNote --order-id 1001 --text Gift", "order.note"},
		{"api acme setTags --order-id #1001 --tags gift --tags fragile", "order.tag"},
		{"api acme getOrder --order-id 1001", ""},
		{"api acme changeStock --variantId MUG-L --adjust 2", "stock.change"},
		{"api acme updateProduct --id mug --title Cup --vendor null", "product.edit"},
		{"api acme deleteProduct --id lamp", "product.delete"},
		{"api acme updateSettings --auto-confirm true", "settings.change"},
		{"api acme changeOrders --action tag --filter {\"source\":[\"phone\"]} --options {\"tags\":[\"eid\"]}", "order.tag"},
		{"api acme listOrders --tags eid", ""},
		{"api acme createWebhookEndpoint --url https://127.0.0.1:9/hook", "webhook_endpoint.create"},
		{"coupon create acme --code EID10 --percent 10", "coupon.save"},
		{"coupon list acme", ""},
		{"design show acme", ""},
		{"design apply acme <design>", "design.edit"},
		{"design publish acme", "design.publish"},
		{"design restore acme 1", ""}, // it is live
		{"stock set acme MUG-L 20", "stock.change"},
		{"customer list acme --guests", ""},
		{"media verify acme", ""},
		{"order show acme 1001", ""},
		{"order ship acme 1001 --courier courier_b --consignment 1424107", "shipment.record"},
		{"order deliver acme 1001", "order.deliver"},
		{"order return acme 1001", "order.return"},
		{"order refund acme 1001", "order.refund"},
		{"tenant set acme name=Acme-Dhaka", "settings.change"},
		{"tenant mode acme sandbox", "shop.set_mode"},
		{"tenant suspend acme", "shop.suspend"},
		{"tenant resume acme", "shop.resume"},
		{"key rotate acme", "signing_key.rotate"},
		{"key list acme", ""},
		{"plugin configure acme courier_b api_key=a secret_key=b", "provider.configure"},
		{"plugin list acme", ""},
		{"audit acme", ""},
	} {
		args := strings.Fields(step.command)
		for i := range args {
			switch args[i] {
			case "<order>":
				args[i] = order
			case "<design>":
				args[i] = document
			}
		}
		var printed any
		c.json(&printed, args...)
		var list page.Page[staff.AuditEntry]
		c.json(&list, "audit", "acme", "--limit", "1")
		added := list.Meta.TotalCount - before
		before = list.Meta.TotalCount
		newest := list.Nodes[0]
		got := string(newest.Actor.Kind) + " " + newest.Actor.Name + " " + string(newest.Via) + " " + newest.Action
		switch {
		case step.action == "" && added != 0:
			t.Errorf("%s: got %d entries, the newest %s, want none", step.command, added, got)
		case step.action != "" && (added < 1 || got != "cli rina cli "+step.action):
			t.Errorf("%s: got %d entries, the newest %s, want %s", step.command, added, got, step.action)
		}
	}
}
