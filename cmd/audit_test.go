package cmd_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/shop/page"
	"storefront/shop/staff"
)

// Each command that changes a shop prints JSON with --json, and is recorded in the audit log with
// the name of the system user. A command that only reads is not.
func TestCommands_Audited(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.env["SUDO_USER"] = "rina"
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("stock", "set", "acme", "MUG-L", "10")
	var whole staff.APIKey
	if c.json(&whole, "token", "create", "acme"); !slices.Equal(whole.Scopes, []staff.Scope{staff.ScopeAll}) {
		t.Errorf("token create without --scope: got the scopes %v, want *", whole.Scopes)
	}
	ids := map[string]string{}
	count := func() int {
		var list page.Page[staff.AuditEntry]
		c.json(&list, "audit", "acme", "--limit", "1")
		return list.Meta.TotalCount
	}
	before := count()
	for _, step := range []struct{ command, action string }{
		{"staff invite acme --name Karim --email karim@example.com --role manager", "staff.invite"},
		{"staff set acme karim@example.com --role staff", "staff.edit"},
		{"staff reset acme karim@example.com", "staff.link"},
		{"staff off acme karim@example.com", "staff.turn_off"},
		{"staff list acme", ""},
		{"token create acme --name Till --scope orders.read", "key.create"},
		{"token list acme", ""},
		{"order place acme --source phone --item MUG-L=2 --name Rahima --phone 01711000000 --line1 House-12 --city Dhaka", "order.place"},
		{"order note acme 1001 Gift", "order.note"},
		{"order tag acme 1001 --add gift", "order.tag"},
		{"order call acme 1001 no_answer", "order.call"},
		{"order edit acme 1001 --item MUG-L=1", "order.edit"},
		{"order advance acme 1001 --amount 20 --method bkash", "order.advance"},
		{"order show acme 1001", ""},
		{"webhook-endpoint create acme https://127.0.0.1:9/hook", "webhook_endpoint.create"},
		{"webhook-endpoint list acme", ""},
		{"webhook-endpoint test acme <endpoint>", "webhook_endpoint.test"},
		{"webhook-endpoint redeliver acme <endpoint> --from 2026-01-01", "webhook_endpoint.redeliver"},
		{"webhook-endpoint deliveries acme <endpoint>", ""},
		{"media list acme", ""},
		{"media verify acme", ""},
		{"coupon create acme --code EID10 --percent 10", "coupon.save"},
		{"coupon set acme EID10 --limit 100", "coupon.edit"},
		{"coupon disable acme EID10", "coupon.disable"},
		{"coupon enable acme EID10", "coupon.enable"},
		{"coupon delete acme EID10 --yes", "coupon.delete"},
		{"coupon list acme", ""},
		{"product duplicate acme mug", "product.duplicate"},
		{"product set acme mug --title Cup", "product.edit"},
		{"product create acme --title Bowl --price 450 --status draft", "product.create"},
		{"product delete acme bowl --yes", "product.delete"},
		{"collection create acme --title Eid --handle eid", "collection.save"},
		{"collection set acme eid --position 2", "collection.edit"},
		{"collection add acme eid mug lamp", "collection.add"},
		{"collection arrange acme eid lamp mug", "collection.arrange"},
		{"collection remove acme eid lamp", "collection.remove"},
		{"collection delete acme eid --yes", "collection.delete"},
		{"stock adjust acme MUG-L --by 2", "stock.change"},
		{"stock count acme MUG-L=25", "stock.change"},
		{"stock list acme", ""},
		{"customer contact acme 01711-000000 --note Wholesale", "contact.edit"},
		{"customer list acme --guests", ""},
		{"order mark-printed acme 1001", "order.mark_printed"},
		{"order ship acme 1001 --courier courier_b --consignment 1424107", "shipment.record"},
		{"order deliver acme 1001", "order.deliver"},
		{"order return acme 1001", "order.return"},
		{"order refund acme 1001", "order.refund"},
		{"order revoke-token acme 1001", "order.replace_token"},
		{"order counts acme", ""},
		{"order flags acme", ""},
		{"tenant set acme name=Acme-Dhaka", "settings.change"},
		{"tenant mode acme sandbox", "shop.set_mode"},
		{"tenant suspend acme", "shop.suspend"},
		{"tenant resume acme", "shop.resume"},
		{"key rotate acme", "signing_key.rotate"},
		{"key list acme", ""},
		{"plugin configure acme courier_b api_key=a secret_key=b", "provider.configure"},
		{"plugin list acme", ""},
		{"customer delete acme 01711-000000 --yes", "customer.delete"},
		{"staff sign-out acme karim@example.com", "staff.end_sessions"},
		{"staff remove acme karim@example.com", "staff.remove"},
		{"webhook-endpoint set acme <endpoint> --name Partner", "webhook_endpoint.edit"},
		{"webhook-endpoint rotate acme <endpoint>", "webhook_endpoint.rotate"},
		{"webhook-endpoint delete acme <endpoint>", "webhook_endpoint.delete"},
		{"analytics acme --from 2026-01-01 --to 2026-01-31", ""},
		{"notify show acme", ""},
		{"audit acme", ""},
	} {
		args := strings.Fields(step.command)
		for i := range args {
			if id, ok := ids[args[i]]; ok {
				args[i] = id
			}
		}
		var printed any
		if strings.HasPrefix(step.command, "webhook-endpoint test") { // which reports a delivery that was refused as a failure
			if r := c.run(append(args, "--json")...); r.code != cmd.ExitFailed || json.Unmarshal([]byte(r.stdout), &printed) != nil {
				t.Errorf("%s: got exit code %d and %s, want the delivery as JSON", step.command, r.code, r.stdout)
			}
		} else {
			c.json(&printed, args...)
		}
		if record, ok := printed.(map[string]any); ok && strings.HasPrefix(step.command, "webhook-endpoint create") {
			ids["<endpoint>"] = record["_id"].(string)
		}
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
