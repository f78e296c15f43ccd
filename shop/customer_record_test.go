package shop_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

func TestListCustomers_Search(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := shoptest.NewAccounts(t)
	rahim := a.Rahim(t)
	a.Clock.Advance(time.Second)
	karim := a.SignIn(t, shoptest.KarimsPhone)
	for search, want := range map[string][]string{
		"":                  {karim.User.ID, rahim.User.ID},
		"RAHIM@example.com": {rahim.User.ID},
		"01811-000000":      {karim.User.ID},
		"uddin":             {karim.User.ID, rahim.User.ID},
		"%":                 {},
		"nobody":            {},
	} {
		list, err := a.ListCustomers(ctx, access.Operator(), shop.CustomerFilter{Search: search})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range list.Nodes {
			got = append(got, *c.ID)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") || list.Meta.TotalCount != len(want) {
			t.Errorf("search %q: got %v, total %d; want %v", search, got, list.Meta.TotalCount, want)
		}
	}
	for _, account := range []string{rahim.User.ID, "rahim@example.com", "01711000000"} {
		got, err := a.FindCustomerRecord(ctx, access.Operator(), account)
		if err != nil || got.ID != rahim.User.ID || !got.HasPassword || got.PhoneVerified {
			t.Errorf("account %s: got %+v, %v", account, got, err)
		}
	}
	_, err := a.FindCustomerRecord(ctx, access.Operator(), "nobody@example.com")
	shoptest.WantCode(t, err, fault.CodeNotFound)
	limit := 0
	_, err = a.ListCustomers(ctx, access.Operator(), shop.CustomerFilter{Request: page.Request{Limit: &limit}})
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
}

// An account shows what its orders are worth, the record of its phone number, and what staff have
// recorded about that.
func TestListCustomers_Orders(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	rahim := s.Register(t, shoptest.RegisterInput("Rahim", "rahim@example.com", shoptest.RahimsPhone))
	karim := s.Register(t, shoptest.RegisterInput("Karim", "karim@example.com", ""))
	find := func(email string) (row shop.CustomerRow, details *shop.CustomerDetails) {
		t.Helper()
		list, err := s.ListCustomers(t.Context(), access.Operator(), shop.CustomerFilter{Search: email})
		if err != nil || len(list.Nodes) != 1 {
			t.Fatalf("list %s: got %+v, %v, want one account", email, list, err)
		}
		if details, err = s.FindCustomerRecord(t.Context(), access.Operator(), email); err != nil {
			t.Fatal(err)
		}
		row = list.Nodes[0]
		same := shop.CustomerRow{
			Kind:        shop.CustomerAccounts,
			ID:          &details.ID,
			Name:        details.Name,
			PhoneNumber: details.PhoneNumber,
			Email:       details.Email,
			Orders:      details.Orders,
			Spent:       details.Spent,
			LastOrderAt: details.LastOrderAt,
			Record:      details.Record,
			CreatedAt:   &details.CreatedAt,
		}
		if diff := cmp.Diff(row, same); diff != "" {
			t.Errorf("%s (-list +details):\n%s", email, diff)
		}
		if len(details.LatestOrders) != row.Orders {
			t.Errorf("%s: got %d latest orders, want %d", email, len(details.LatestOrders), row.Orders)
		}
		return list.Nodes[0], details
	}
	if row, details := find("rahim@example.com"); row.Spent.Amount != 0 || row.LastOrderAt != nil || row.Record != nil ||
		details.Contact == nil || details.Contact.Blocked != order.BlockNone {
		t.Errorf("before the first order: got %+v", details)
	}
	in := shoptest.RahimasOrder(shoptest.Wants(s.Card, 1))
	in.Customer.PhoneNumber = new(shoptest.RahimsPhone)
	var total int64
	for range 3 {
		s.Clock.Advance(time.Minute)
		total = s.Place(t, rahim, in).Total.Amount
	}
	list, err := s.Orders.ListOrders(t.Context(), access.Operator(), order.ListFilter{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), list.Nodes[1].ID, ""); err != nil {
		t.Fatal(err)
	}
	deliver := func(id string) {
		t.Helper()
		if _, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), id); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), id, nil); err != nil {
			t.Fatal(err)
		}
	}
	deliver(list.Nodes[0].ID)
	blocked := order.BlockCash
	if _, err := s.Orders.UpdateContact(t.Context(), access.Operator(), shoptest.RahimsPhone, order.ContactChange{Blocked: &blocked}); err != nil {
		t.Fatal(err)
	}
	row, details := find("rahim@example.com")
	if row.Orders != 3 || row.Spent.Amount != total || row.LastOrderAt == nil || !row.LastOrderAt.Equal(s.Clock.Now()) ||
		row.Record == nil || row.Record.Orders != 3 || row.Record.Cancelled != 1 {
		t.Errorf("got %+v, want three orders, of which one was cancelled and one paid", row)
	}
	if details.Contact == nil || details.Contact.Blocked != order.BlockCash {
		t.Errorf("got contact %+v, want it blocked", details.Contact)
	}
	deliver(s.Place(t, karim, shoptest.RahimasOrder(shoptest.Wants(s.Card, 1))).ID)
	if row, details := find("karim@example.com"); row.Spent.Amount != total || row.Record != nil || details.Contact != nil {
		t.Errorf("without a phone number: got %+v", details)
	}
}

// The orders stay, without personal data.
func TestDeleteCustomer_Erasure(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, "0000000000000001", shoptest.RahimsPhone)
	a.InsertOrder(t, "0000000000000002", shoptest.KarimsPhone)
	payload := a.SignIn(t, shoptest.RahimsPhone)
	caller := access.Caller{Bearer: payload.AccessToken}
	_, err := a.UpdateProfile(ctx, caller, account.ProfileInput{Email: new("rahim@example.com"),
		Address: &account.Address{Line1: "House 7", City: "Dhaka"}})
	if err != nil {
		t.Fatal(err)
	}
	a.InsertOrder(t, "0000000000000003", shoptest.RahimsPhone) // the phone is verified, so the order is this customer's

	a.Exec(t, `
		INSERT INTO provider_webhooks (id, provider, key, content_type, body, event, verdict, reason, order_id, copies, received_at, last_at)
		VALUES ('call', 'gateway_a', x'6b6579', '', x'6375735f6e616d653d526168696d', '', 'applied', '', '0000000000000001', 1, 1, 1)`)
	a.Exec(t, `
		INSERT INTO shipments (id, order_id, provider, consignment_id, tracking_code, status, moved_at, created_at, updated_at)
		VALUES ('parcel', '0000000000000001', 'courier_a', 'DL1', '', 'delivery_failed', 1, 1, 1)`)
	a.Exec(t, `
		INSERT INTO parcel_events (id, shipment_id, event, status, note, at, received_at)
		VALUES ('1', 'parcel', 'failed', 'delivery_failed', 'Rahim was not at home', 1, 1),
			('2', 'parcel', 'failed', 'delivery_failed', 'neighbour of Rahim was contacted', 1, 1)`)
	a.Exec(t, `UPDATE orders SET cancel_reason = 'Rahim is abroad' WHERE id = '0000000000000001'`)
	a.Exec(t, `
		INSERT INTO idempotency_keys (scope, key, fingerprint, order_id, created_at)
		VALUES (?, 'tab-1', x'78', '0000000000000001', 1)`, "place:phone:"+shoptest.RahimsPhone)
	a.Exec(t, `
		INSERT INTO contacts (phone, note, tags, blocked, reason, updated_at)
		VALUES (?, 'Calls back', '["vip"]', 'none', 'Returned two', 1), ('+8801999000000', 'Another', '[]', 'none', '', 1)
		ON CONFLICT (phone) DO UPDATE
		SET note = excluded.note, tags = excluded.tags, reason = excluded.reason`, shoptest.RahimsPhone)
	export, err := a.ExportCustomer(ctx, access.Operator(), shoptest.RahimsPhone)
	if err != nil {
		t.Fatal(err)
	}
	contact := order.ExportedContact{
		PhoneNumber: shoptest.RahimsPhone, Note: new("Calls back"), Tags: []string{"vip"}, Blocked: order.BlockNone, BlockedReason: new("Returned two"),
	}
	if diff := cmp.Diff([]order.ExportedContact{contact}, export.Contacts); diff != "" {
		t.Errorf("contacts of the export (-want +got):\n%s", diff)
	}
	if export.Customer.Name != "Rahim Uddin" || len(export.Customer.Addresses) != 1 || len(export.Orders) != 2 || len(export.Codes) != 1 ||
		export.Orders[0].Customer.PhoneNumber != shoptest.RahimsPhone || export.Codes[0].Message == "" {
		t.Errorf("export: got %+v", export)
	}

	orders, err := a.DeleteCustomer(ctx, access.Operator(), payload.User.ID)
	if err != nil || orders != 2 {
		t.Fatalf("got %d erased orders, %v", orders, err)
	}
	_, err = a.Me(ctx, caller)
	shoptest.WantCode(t, err, fault.CodeTokenInvalid)
	for _, id := range []string{"0000000000000001", "0000000000000003"} {
		bought, err := a.Orders.FindOrderAsStaff(ctx, access.Operator(), id)
		if err != nil {
			t.Fatal(err)
		}
		nowhere := order.Address{Country: new("BD")}
		diff := cmp.Diff(nowhere, bought.ShippingAddress)
		if diff != "" || bought.Customer != (order.Customer{}) || bought.Note != nil || bought.Total.Amount != 100 {
			t.Errorf("order %s: got %+v\naddress (-want +got):\n%s", id, bought, diff)
		}
		if _, err := a.Orders.FindOrder(ctx, access.Caller{}, id); err != nil {
			t.Errorf("public tracking of order %s: %v", id, err)
		}
	}
	err = a.Store.View(ctx, a.Config.ID, func(_ context.Context, tx *db.Tx) error {
		return tx.Each(`SELECT body FROM provider_webhooks`, nil, func(r db.Row) error {
			var body []byte
			err := r.Scan(&body)
			if bytes.Contains(body, []byte("Rahim")) {
				t.Errorf("got the webhook body %q, want none with the name", body)
			}
			return err
		})
	})
	if err != nil {
		t.Error(err)
	}
	if n := a.Number(t, `SELECT count(*) FROM parcel_events WHERE note <> ''`); n != 0 {
		t.Errorf("got %d shipment events with notes, want 0", n)
	}
	if n := a.Number(t, `SELECT count(*) FROM parcel_events`); n != 1 {
		t.Errorf("got %d shipment events, want 1", n)
	}
	if other, err := a.Orders.FindOrderAsStaff(
		ctx, access.Operator(), "0000000000000002",
	); err != nil || other.Customer.PhoneNumber != shoptest.KarimsPhone {
		t.Errorf("another customer's order: got %+v, %v", other, err)
	}
	a.Exec(t, `UPDATE orders SET customer_name = 'Karim', customer_email = NULL, line1 = '' WHERE id = '0000000000000002'`)
	a.Exec(t, `UPDATE contacts SET name = 'Karim' WHERE phone = ?`, shoptest.KarimsPhone)
	checkBuyers(t, a)
	var file strings.Builder
	if err := a.Store.Export(ctx, a.Config.ID, &file); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(file.String()) {
		for _, personal := range []string{"Rahim", "1711000000", "@example.com", "House 7"} {
			if strings.Contains(line, personal) {
				t.Errorf("the file contains %s: %s", personal, line)
			}
		}
	}
	for _, table := range []string{"addresses", "customers", "otp_codes"} {
		if n := a.Number(t, `SELECT count(*) FROM `+table); n != 0 {
			t.Errorf("got %d rows of %s, want 0", n, table)
		}
	}
	_, err = a.DeleteCustomer(ctx, access.Operator(), payload.User.ID)
	shoptest.WantCode(t, err, fault.CodeNotFound)

	// The phone number can be registered again, as a new account.
	if again := a.SignIn(t, shoptest.RahimsPhone); again.User.ID == payload.User.ID {
		t.Error("got the deleted account for the same phone number, want a new one")
	}
}

// checkBuyers checks that what is stored of buyers is what their orders add up to.
func checkBuyers(t *testing.T, a *shoptest.Accounts) {
	t.Helper()
	faults, err := a.CheckInvariants(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		if strings.Contains(fault, "accounts") || strings.Contains(fault, "guests") {
			t.Error(fault)
		}
	}
}

// Orders of a guest become an account's when it verifies their phone number or e-mail address, and
// those of another account when the two are joined.
func TestCustomers_OrdersMove(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, "0000000000000001", shoptest.RahimsPhone)
	a.InsertOrder(t, "0000000000000002", shoptest.KarimsPhone)
	a.InsertOrder(t, "0000000000000003", "+8801999000000")
	a.Exec(t, `UPDATE orders SET cash_paid = 100, paid = 100`)
	a.Exec(t, `UPDATE contacts SET spent = 100`)
	describe := func() string {
		t.Helper()
		list, err := a.ListCustomers(t.Context(), access.Operator(), shop.CustomerFilter{SortBy: shop.SortSpent})
		if err != nil {
			t.Fatal(err)
		}
		checkBuyers(t, a)
		all := []string{}
		for _, c := range list.Nodes {
			key := db.TextOf(c.PhoneNumber)
			all = append(all, fmt.Sprintf("%s %s %d %d", c.Kind, key, c.Orders, c.Spent.Amount))
		}
		return strings.Join(all, ", ")
	}
	want := func(what, list string) {
		t.Helper()
		if got := describe(); got != list {
			t.Errorf("%s: got %s, want %s", what, got, list)
		}
	}
	inTx := func(move func(*db.Tx, string, string) error, from, to string) error {
		return a.Store.Update(t.Context(), a.Config.ID, func(_ context.Context, tx *db.Tx) error { return move(tx, from, to) })
	}
	want("guests", "guest +8801999000000 1 100, guest +8801811000000 1 100, guest +8801711000000 1 100")
	rahim := a.SignIn(t, shoptest.RahimsPhone)
	want("phone verified", "account +8801711000000 1 100, guest +8801999000000 1 100, guest +8801811000000 1 100")
	if err := inTx(a.Orders.AttachGuestOrdersByEmail, rahim.User.ID, "guest@example.com"); err != nil {
		t.Fatal(err)
	}
	want("e-mail verified", "account +8801711000000 3 300")
	other := a.SignIn(t, "+8801511000000")
	if err := inTx(a.Orders.MoveOrders, rahim.User.ID, other.User.ID); err != nil {
		t.Fatal(err)
	}
	want("joined", "account +8801511000000 3 300, account +8801711000000 0 0")
	if err := inTx(a.Orders.MoveOrders, other.User.ID, rahim.User.ID); err != nil {
		t.Fatal(err)
	}
	if err := inTx(a.Orders.ReleaseOrders, rahim.User.ID, "guest@example.com"); err != nil {
		t.Fatal(err)
	}
	want("e-mail lost", "guest +8801999000000 1 100, guest +8801811000000 1 100, guest +8801711000000 1 100, "+
		"account +8801511000000 0 0, account +8801711000000 0 0")
}

func TestDeleteCustomer_Guest(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, "0000000000000001", shoptest.RahimsPhone)
	a.InsertOrder(t, "0000000000000002", shoptest.KarimsPhone)
	a.Rahim(t) // has the phone number, but not verified
	if orders, err := a.DeleteCustomer(t.Context(), access.Operator(), shoptest.RahimsPhone); err != nil || orders != 0 {
		t.Fatalf("account without verified phone: got %d erased orders, %v; want 0", orders, err)
	}

	export, err := a.ExportCustomer(t.Context(), access.Operator(), "01711-000000")
	if err != nil || export.Customer != nil || len(export.Orders) != 1 || export.Orders[0].Customer.PhoneNumber != shoptest.RahimsPhone {
		t.Fatalf("export: got %+v, %v", export, err)
	}
	if orders, err := a.DeleteCustomer(t.Context(), access.Operator(), "01711-000000"); err != nil || orders != 1 {
		t.Fatalf("got %d erased orders, %v", orders, err)
	}
	if bought, err := a.Orders.FindOrderAsStaff(
		t.Context(), access.Operator(), "0000000000000001",
	); err != nil || bought.Customer != (order.Customer{}) {
		t.Errorf("the guest's order: got %+v, %v; want no customer", bought, err)
	}
	if order, err := a.Orders.FindOrderAsStaff(t.Context(), access.Operator(), "0000000000000002"); err != nil ||
		order.Customer.PhoneNumber != shoptest.KarimsPhone {
		t.Errorf("another customer's order: got %+v, %v", order, err)
	}
	if n := a.Number(t, `SELECT COUNT(*) FROM contacts WHERE phone = ?`, shoptest.RahimsPhone); n != 0 {
		t.Error("the guest's phone number is stored")
	}
	checkBuyers(t, a)
	for _, again := range []string{"01711-000000", "", "nobody@example.com"} {
		_, err = a.DeleteCustomer(t.Context(), access.Operator(), again)
		shoptest.WantCode(t, err, fault.CodeNotFound)
	}
}

func TestFile_NoPlainSecrets(t *testing.T) {
	t.Parallel()
	dbtest.NeedFiles(t, "it reads the file of a shop")
	ctx := context.Background()
	a := shoptest.NewAccounts(t)
	registered := a.Rahim(t)
	code := a.Code(t, shoptest.KarimsPhone)
	signedIn, err := a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(shoptest.KarimsPhone, code, "Karim"))
	if err != nil {
		t.Fatal(err)
	}
	reset, err := a.ResetPassword(ctx, access.Operator(), shoptest.KarimsPhone)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := a.Files.Backup(ctx, a.Config.ID, copied); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	message := a.SMS.Messages()[0].Text
	for what, secret := range map[string]string{
		"password": shoptest.Password, "new password": *reset.Password, "token": registered.AccessToken,
		"second token": signedIn.AccessToken, "message": message,
	} {
		if strings.Contains(string(file), secret) {
			t.Errorf("the file contains the %s", what)
		}
	}
	// Four digits can occur in the file by chance, so the columns are checked.
	if n := a.Number(t, `SELECT count(*) FROM otp_codes WHERE instr(CAST(code_hash AS TEXT), ?) > 0 OR message_id = ?`, code, code); n != 0 {
		t.Errorf("otp_codes contains the code in %d rows, want 0", n)
	}
}
