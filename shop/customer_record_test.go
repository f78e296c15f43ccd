package shop_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/page"
)

func TestListCustomers_Search(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	rahim := a.rahim(t)
	a.clock.Advance(time.Second)
	karim := a.signIn(t, karimsPhone)
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
			got = append(got, c.ID)
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
	wantCode(t, err, fault.CodeNotFound)
	limit := 0
	_, err = a.ListCustomers(ctx, access.Operator(), shop.CustomerFilter{Request: page.Request{Limit: &limit}})
	wantCode(t, err, fault.CodeValidationFailed)
}

// The orders stay, without personal data.
func TestDeleteCustomer_Erasure(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	a.guestOrder(t, "0000000000000001", rahimsPhone)
	a.guestOrder(t, "0000000000000002", karimsPhone)
	payload := a.signIn(t, rahimsPhone)
	caller := access.Caller{Bearer: payload.AccessToken}
	_, err := a.UpdateProfile(ctx, caller, account.ProfileInput{Email: new("rahim@example.com"), Address: &account.Address{Line1: "House 7", City: "Dhaka"}})
	if err != nil {
		t.Fatal(err)
	}
	a.guestOrder(t, "0000000000000003", rahimsPhone) // the phone is verified, so the order is this customer's

	a.exec(t, `
		INSERT INTO provider_calls (id, provider, key, content_type, body, event, verdict, reason, order_id, copies, received_at, last_at)
		VALUES ('call', 'gateway_a', CAST('key' AS BLOB), '', CAST('cus_name=Rahim' AS BLOB), '', 'applied', '', '0000000000000001', 1, 1, 1)`)
	a.exec(t, `
		INSERT INTO shipments (id, order_id, provider, consignment_id, tracking_code, status, moved_at, created_at, updated_at)
		VALUES ('parcel', '0000000000000001', 'courier_a', 'DL1', '', 'delivery_failed', 1, 1, 1)`)
	a.exec(t, `
		INSERT INTO parcel_events (id, shipment_id, event, status, note, at, received_at)
		VALUES ('1', 'parcel', 'failed', 'delivery_failed', 'Rahim was not at home', 1, 1),
			('2', 'parcel', 'failed', 'delivery_failed', 'neighbour of Rahim was contacted', 1, 1)`)
	a.exec(t, `UPDATE orders SET cancel_reason = 'Rahim is abroad' WHERE id = '0000000000000001'`)
	a.exec(t, `
		INSERT INTO idempotency_keys (scope, key, fingerprint, order_id, created_at)
		VALUES (?, 'tab-1', CAST('x' AS BLOB), '0000000000000001', 1)`, "place:phone:"+rahimsPhone)
	export, err := a.ExportCustomer(ctx, access.Operator(), rahimsPhone)
	if err != nil {
		t.Fatal(err)
	}
	if export.Customer.Name != "Rahim Uddin" || len(export.Customer.Addresses) != 1 || len(export.Orders) != 2 || len(export.Codes) != 1 ||
		export.Orders[0].Customer.PhoneNumber != rahimsPhone || export.Codes[0].Message == "" {
		t.Errorf("export: got %+v", export)
	}

	orders, err := a.DeleteCustomer(ctx, access.Operator(), payload.User.ID)
	if err != nil || orders != 2 {
		t.Fatalf("got %d erased orders, %v", orders, err)
	}
	_, err = a.Me(ctx, caller)
	wantCode(t, err, fault.CodeTokenInvalid)
	for _, id := range []string{"0000000000000001", "0000000000000003"} {
		order, err := a.FindOrderAsStaff(ctx, access.Operator(), id)
		if err != nil {
			t.Fatal(err)
		}
		nowhere := shop.OrderAddress{Country: new("BD")}
		diff := cmp.Diff(nowhere, order.ShippingAddress)
		if diff != "" || order.Customer != (shop.OrderCustomer{}) || order.Note != nil || order.Total.Amount != 100 {
			t.Errorf("order %s: got %+v\naddress (-want +got):\n%s", id, order, diff)
		}
		if _, err := a.FindOrder(ctx, access.Caller{}, id); err != nil {
			t.Errorf("public tracking of order %s: %v", id, err)
		}
	}
	if n := a.count(t, `SELECT count(*) FROM provider_calls WHERE instr(CAST(body AS TEXT), 'Rahim') > 0`); n != 0 {
		t.Errorf("webhook bodies contain the name in %d rows, want 0", n)
	}
	if n := a.count(t, `SELECT count(*) FROM parcel_events WHERE note <> ''`); n != 0 {
		t.Errorf("got %d shipment events with notes, want 0", n)
	}
	if n := a.count(t, `SELECT count(*) FROM parcel_events`); n != 1 {
		t.Errorf("got %d shipment events, want 1", n)
	}
	if other, err := a.FindOrderAsStaff(ctx, access.Operator(), "0000000000000002"); err != nil || other.Customer.PhoneNumber != karimsPhone {
		t.Errorf("another customer's order: got %+v, %v", other, err)
	}
	a.exec(t, `UPDATE orders SET customer_name = 'Karim', customer_email = NULL, line1 = '' WHERE id = '0000000000000002'`)
	var file strings.Builder
	if err := a.store.Export(ctx, a.cfg.ID, &file); err != nil {
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
		if n := a.count(t, `SELECT count(*) FROM `+table); n != 0 {
			t.Errorf("got %d rows of %s, want 0", n, table)
		}
	}
	_, err = a.DeleteCustomer(ctx, access.Operator(), payload.User.ID)
	wantCode(t, err, fault.CodeNotFound)

	// The phone number can be registered again, as a new account.
	if again := a.signIn(t, rahimsPhone); again.User.ID == payload.User.ID {
		t.Error("got the deleted account for the same phone number, want a new one")
	}
}

func TestDeleteCustomer_Guest(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	a.guestOrder(t, "0000000000000001", rahimsPhone)
	a.guestOrder(t, "0000000000000002", karimsPhone)
	a.rahim(t) // has the phone number, but not verified
	if orders, err := a.DeleteCustomer(t.Context(), access.Operator(), rahimsPhone); err != nil || orders != 0 {
		t.Fatalf("account without verified phone: got %d erased orders, %v; want 0", orders, err)
	}

	export, err := a.ExportCustomer(t.Context(), access.Operator(), "01711-000000")
	if err != nil || export.Customer != nil || len(export.Orders) != 1 || export.Orders[0].Customer.PhoneNumber != rahimsPhone {
		t.Fatalf("export: got %+v, %v", export, err)
	}
	if orders, err := a.DeleteCustomer(t.Context(), access.Operator(), "01711-000000"); err != nil || orders != 1 {
		t.Fatalf("got %d erased orders, %v", orders, err)
	}
	if order, err := a.FindOrderAsStaff(t.Context(), access.Operator(), "0000000000000001"); err != nil || order.Customer != (shop.OrderCustomer{}) {
		t.Errorf("the guest's order: got %+v, %v; want no customer", order, err)
	}
	if order, err := a.FindOrderAsStaff(t.Context(), access.Operator(), "0000000000000002"); err != nil || order.Customer.PhoneNumber != karimsPhone {
		t.Errorf("another customer's order: got %+v, %v", order, err)
	}
	for _, again := range []string{"01711-000000", "", "nobody@example.com"} {
		_, err = a.DeleteCustomer(t.Context(), access.Operator(), again)
		wantCode(t, err, fault.CodeNotFound)
	}
}

func TestFile_NoPlainSecrets(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	registered := a.rahim(t)
	code := a.code(t, karimsPhone)
	signedIn, err := a.VerifyOTP(ctx, access.Caller{}, verifyInput(karimsPhone, code, "Karim"))
	if err != nil {
		t.Fatal(err)
	}
	reset, err := a.ResetPassword(ctx, access.Operator(), karimsPhone)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := a.store.Backup(ctx, a.cfg.ID, copied); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	message := a.sms.Messages()[0].Text
	for what, secret := range map[string]string{
		"password": goodPassword, "new password": reset, "token": registered.AccessToken, "second token": signedIn.AccessToken, "message": message,
	} {
		if strings.Contains(string(file), secret) {
			t.Errorf("the file contains the %s", what)
		}
	}
	// Four digits can occur in the file by chance, so the columns are checked.
	if n := a.count(t, `SELECT count(*) FROM otp_codes WHERE instr(CAST(code_hash AS TEXT), ?) > 0 OR message_id = ?`, code, code); n != 0 {
		t.Errorf("otp_codes contains the code in %d rows, want 0", n)
	}
}
