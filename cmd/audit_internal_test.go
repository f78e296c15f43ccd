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
	audit; backup list; backup verify; cod list; cod report; cod statement; cod statements; collection list; coupon list;
	courier areas; courier balance; courier cities; courier place; courier stations; courier stores; courier zones; customer list;
	customer show; doctor; engine ddl; events; graphql schema; health; job list; job show; key list; mail show; media list; media verify;
	message list; message templates; migrate; notify show; openapi; order check-shipment; order counts; order flags; order list;
	order parcels; order price; order shipments; order show; payment list; payment show; plugin list; plugin show; plugin urls;
	plugin validate; product list; product show; restore; sales; seed; serve; simulate; sms presets; sms show; staff list;
	staff show; status; stock history; stock list; stock low; tenant create; tenant delete; tenant export; tenant import; tenant list;
	tenant move; tenant show; token list; version; webhook list; webhook show; webhook-endpoint deliveries; webhook-endpoint list`

// changingCommands have the action that the audit log records of each. TestCommands_Audited runs
// most of them.
var changingCommands = map[string]string{
	"cod export": "export.cash", "cod reconcile": "cash.reconcile", "cod settle": "cash.reconcile",
	"collection add": "collection.add", "collection arrange": "collection.arrange", "collection create": "collection.save",
	"collection delete": "collection.delete", "collection remove": "collection.remove", "collection set": "collection.edit",
	"coupon create": "coupon.save", "coupon delete": "coupon.delete", "coupon disable": "coupon.disable", "coupon enable": "coupon.enable",
	"coupon set":       "coupon.edit",
	"customer contact": "contact.edit", "customer delete": "customer.delete", "customer export": "export.customer",
	"customer reset-password": "customer.reset_password",
	"job cancel":              "job.cancel", "job retry": "job.retry",
	"key rotate":     "signing_key.rotate",
	"mail configure": "mail.configure", "mail test": "mail.test",
	"media import":     "media.import",
	"message test":     "message.test",
	"notify configure": "notification.configure", "notify test": "notification.test",
	"order advance": "order.advance", "order call": "order.call", "order cancel": "order.cancel", "order cancel-shipment": "shipment.cancel",
	"order checked": "order.resolve", "order confirm": "order.confirm", "order deliver": "order.deliver", "order edit": "order.edit",
	"order export": "export.orders", "order mark-printed": "order.mark_printed", "order note": "order.note", "order place": "order.place",
	"order refund": "order.refund", "order return": "order.return", "order revoke-token": "order.replace_token", "order ship": "shipment.book",
	"order tag": "order.tag", "order track": "shipment.track",
	"payment refund": "payment.refund", "payment resolve": "payment.resolve", "payment settle": "payment.resolve",
	"plugin configure": "provider.configure",
	"product create":   "product.create", "product delete": "product.delete", "product duplicate": "product.duplicate",
	"product export": "export.products", "product import": "product.import", "product set": "product.edit",
	"sms configure": "sms.configure", "sms test": "sms.test",
	"staff invite": "staff.invite", "staff off": "staff.turn_off", "staff remove": "staff.remove", "staff reset": "staff.link",
	"staff set": "staff.edit", "staff sign-out": "staff.end_sessions",
	"stock adjust": "stock.change", "stock count": "stock.change", "stock set": "stock.change",
	"tenant mode": "shop.set_mode", "tenant resume": "shop.resume", "tenant set": "settings.change", "tenant suspend": "shop.suspend",
	"token create": "key.create", "token revoke": "key.revoke",
	"webhook replay":          "webhook.replay",
	"webhook-endpoint create": "webhook_endpoint.create", "webhook-endpoint delete": "webhook_endpoint.delete",
	"webhook-endpoint redeliver": "webhook_endpoint.redeliver", "webhook-endpoint rotate": "webhook_endpoint.rotate",
	"webhook-endpoint set": "webhook_endpoint.edit", "webhook-endpoint test": "webhook_endpoint.test",
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
