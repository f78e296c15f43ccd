package tenants_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"storefront/provider/mail"
	"storefront/provider/mail/mailtest"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/notify"
	"storefront/shop/outbox"
	"storefront/shop/plan"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// E-mails of the shop's mail server are notifications too: in the member's language, without
// personal data, and again after the server was down.
func TestNotifications_Email(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	mails := mailtest.New(t, &mailtest.Options{Plain: true})
	config := mails.Config(t, func(c *mail.Config) { c.Security, c.Username, c.Password = "none", "", "" })
	if err := n.Sender.ConfigureMail(t.Context(), access.Operator(), config); err != nil {
		t.Fatal(err)
	}
	owner := n.member(staff.RoleOwner, "mina")
	n.member(staff.RoleOwner, "tania") // has not chosen e-mails
	n.choose(owner, notify.Change{Events: map[outbox.Type]notify.Channels{outbox.OrderPlaced: {Email: true}}})
	n.work()
	mails.Answer(func(string) error { return &smtp.SMTPError{Code: 451, Message: "try again"} })
	placed := n.order()
	next := n.work()
	if got := mails.Unread(); len(got) != 0 || !next.After(n.clock.Now()) {
		t.Fatalf("got %d e-mails, the next attempt at %s, want none and one later", len(got), next)
	}
	mails.Answer(nil)
	n.clock.Advance(next.Sub(n.clock.Now()))
	n.work()
	m := mails.Next(t, "mina@example.com")
	if !strings.Contains(m.Subject, fmt.Sprintf("New order %d", placed.OrderNumber)) || !strings.Contains(m.Text, "৳100 · Dhaka") ||
		!strings.Contains(m.Text, "https://panel.example/admin/#/acme/order/"+placed.ID) {
		t.Errorf("got %+v", m)
	}
	if strings.Contains(m.Subject+m.Text, "Rahim") || strings.Contains(m.Text, "017") {
		t.Errorf("got personal data in %+v", m)
	}
	n.work()
	if got := mails.Unread(); len(got) != 0 {
		t.Errorf("got %+v, want one e-mail", got)
	}
}

// An e-mail to staff shows the picture of the product that it is about; without one it is text.
func TestNotifications_EmailPicture(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	mails := mailtest.New(t, &mailtest.Options{Plain: true})
	config := mails.Config(t, func(c *mail.Config) { c.Security, c.Username, c.Password = "none", "", "" })
	if err := n.Sender.ConfigureMail(t.Context(), access.Operator(), config); err != nil {
		t.Fatal(err)
	}
	owner := n.member(staff.RoleOwner, "mina")
	n.choose(owner, notify.Change{Events: map[outbox.Type]notify.Channels{outbox.OrderPlaced: {Email: true}, outbox.StockOut: {Email: true}}})
	n.work()
	n.order()
	n.work()
	if m := mails.Next(t, "mina@example.com"); m.HTML != "" {
		t.Errorf("without a picture: got the page %s", m.HTML)
	}
	image, _, err := n.Catalogue.UploadMedia(t.Context(), access.Operator(), catalogue.MediaUpload{
		ContentType: "image/png", Body: shoptest.PNG(t, 640, 320, 1),
	})
	if err != nil {
		t.Fatal(err)
	}
	in := catalogue.ProductInput{
		Title: "Tea <b>& milk</b>", Images: []catalogue.ImageInput{{Media: image.ID}},
		Variants: []catalogue.VariantInput{{Price: 10_000, Tracked: true, Stock: new(1)}},
	}
	if n.product, err = n.Catalogue.CreateProduct(t.Context(), access.Operator(), in); err != nil {
		t.Fatal(err)
	}
	n.order()
	n.work()
	for range 2 {
		m := mails.Next(t, "mina@example.com")
		if !strings.Contains(m.HTML, `<img src="https://shop.example/media/acme/`+image.ID+`/160.`) ||
			!strings.Contains(m.HTML, `width="64" height="32"`) || !strings.Contains(m.HTML, `href="https://panel.example/admin/#/acme/`) ||
			strings.Contains(m.HTML, "<b>") || strings.Contains(m.HTML, "Rahim") {
			t.Errorf("%s: got the page\n%s\nwant the picture and the link, texts as texts and no name", m.Subject, m.HTML)
		}
	}
}

// An owner gets an e-mail when the shop reaches a limit of its plan, without having chosen
// anything, once for each part of the limit.
func TestNotifications_PlanEmail(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	mails := mailtest.New(t, &mailtest.Options{Plain: true})
	config := mails.Config(t, func(c *mail.Config) { c.Security, c.Username, c.Password = "none", "", "" })
	if err := n.Sender.ConfigureMail(t.Context(), access.Operator(), config); err != nil {
		t.Fatal(err)
	}
	n.member(staff.RoleOwner, "mina")
	n.member(staff.RoleStaff, "rina")
	basic := &plan.Plan{Name: "basic", Revision: 1, Limits: plan.LimitSet{Products: new(int64(1))}}
	if _, err := n.SetPlan(t.Context(), access.Operator(), basic); err != nil {
		t.Fatal(err)
	}
	n.work()
	for range 2 {
		if _, err := n.WarnOfPlan(t.Context()); err != nil {
			t.Fatal(err)
		}
		n.work()
	}
	if m := mails.Next(t, "mina@example.com"); !strings.Contains(m.Subject, "100%") {
		t.Errorf("got %+v, want the limit that is reached", m)
	}
	if left := mails.Unread(); len(left) != 0 {
		t.Errorf("got %+v too, want one e-mail to the owner", left)
	}
}
