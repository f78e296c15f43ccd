package cmd

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"storefront/shop/access"
)

// readingCommands only read, or are about the server and the data folder.
const readingCommands = `
	api list; audit; backup list; backup verify; collection list; coupon list; customer list; defaults show; design show; doctor; engine ddl; events;
	graphql schema; health; incident list; job list; key list; key public; media verify; migrate; openapi; operator list; order list; order show;
	payment list; plan list; plugin list; plugin urls;
	plugin validate; product list; restore; seed; serve; simulate; site check; staff list; status; support; tenant create; tenant delete;
	tenant export; tenant import; tenant list; tenant move; tenant show; token list;
	trash list; trash purge; version; webhook list; webhook listen; webhook show`

// changingCommands have the action that the audit log records of each. TestCommands_Audited runs
// most of them.
var changingCommands = map[string]string{
	"cod reconcile": "cash.reconcile",
	"coupon create": "coupon.save", "customer reset-password": "customer.reset_password", "key rotate": "signing_key.rotate",
	"design apply": "design.edit", "design publish": "design.publish", "design restore": "design.restore",
	"incident open": "incident.open", "incident remove": "incident.remove", "incident update": "incident.update",
	"mail configure": "mail.configure", "mail test": "mail.test", "mcp": "agent.read",
	"media import": "media.import", "notify test": "notification.test",
	"operator create": "staff.invite", "operator remove": "staff.remove", "operator reset": "staff.link",
	"operator set-role": "staff.edit",
	"order cancel":      "order.cancel", "order confirm": "order.confirm", "order deliver": "order.deliver", "order refund": "order.refund",
	"order return": "order.return", "order ship": "shipment.book", "order track": "shipment.track",
	"defaults mail": "defaults.set", "defaults set": "defaults.set", "defaults sms": "defaults.set",
	"plan assign": "shop.plan", "plan remove": "plan.remove", "plan set": "plan.save",
	"payment refund": "payment.refund", "payment resolve": "payment.resolve", "plugin configure": "provider.configure",
	"product export": "export.products", "product import": "product.import", "sms configure": "sms.configure", "sms test": "sms.test",
	"staff disable": "staff.turn_off", "staff invite": "staff.invite", "staff reset": "staff.link", "stock set": "stock.change",
	"tenant mode": "shop.set_mode", "tenant resume": "shop.resume", "tenant sandbox": "key.create",
	"tenant set": "settings.change", "tenant suspend": "shop.suspend",
	"token create": "key.create", "token revoke": "key.revoke", "webhook replay": "webhook.replay",
}

// Every command is known to change a shop, and by which audited action, or not to.
func TestCommands_Declared(t *testing.T) {
	t.Parallel()
	reading := map[string]bool{}
	for name := range strings.SplitSeq(readingCommands, ";") {
		reading[strings.TrimSpace(name)] = true
	}
	actions := map[string]bool{}
	for _, use := range access.UseCases() {
		actions[use.Action] = true
	}
	var walk func(c *cobra.Command)
	missing := maps.Clone(changingCommands)
	walk = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			walk(below)
		}
		if !c.Runnable() || c.HasSubCommands() {
			return
		}
		_, name, _ := strings.Cut(c.CommandPath(), " ")
		action, changes := changingCommands[name]
		switch {
		case changes == reading[name]:
			t.Errorf("%s: declare whether it only reads, or which action it records", name)
		case changes && !actions[action]:
			t.Errorf("%s: no use case has the action %q", name, action)
		}
		delete(missing, name)
		delete(reading, name)
	}
	walk(newRootCommand(&app{}))
	if len(missing)+len(reading) > 0 {
		t.Errorf("got no commands %v, %v", slices.Sorted(maps.Keys(missing)), slices.Sorted(maps.Keys(reading)))
	}
}
