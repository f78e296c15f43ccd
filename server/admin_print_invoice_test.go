package server_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
)

var tags = regexp.MustCompile(`<[^>]*>|\s+`)

// An invoice has what is to be paid as long as the cash is not reported, and then what the courier
// has collected, less refunds, whatever was due.
func TestPrintInvoice_Collected(t *testing.T) {
	t.Parallel()
	deliver := func(s *auditShop, path string) { s.must("POST", path+"/deliver", "{}") }
	part := func(s *auditShop, path string) {
		s.must("POST", path+"/deliver", `{"restock":[{"variantId":"<variant>","quantity":1}]}`)
	}
	refund := func(s *auditShop, path string) {
		s.must("POST", path+"/refund", `{"amount":2000,"reason":"goodwill"}`)
	}
	collects := func(amount int) func(s *auditShop, path string) {
		return func(s *auditShop, path string) {
			shipments := s.must("POST", path+"/shipments", `{"provider":"courier_a"}`)["shipments"].([]any)
			consignment := shipments[0].(map[string]any)["consignmentId"]
			deliver(s, path)
			s.must("POST", "cash/statements?courier=courier_a", fmt.Sprintf("consignment_id,collected,fee\n%s,%d,60\n", consignment, amount))
		}
	}
	type steps []func(s *auditShop, path string)
	for name, tt := range map[string]struct {
		steps   steps
		en, bn  string // the end of the sums
		missing string // in the English one
	}{
		"not reported": {
			en: "Total ৳1,420 To pay ৳1,420", bn: "মোট ৳১,৪২০ বাকি ৳১,৪২০", missing: "Paid",
		},
		"delivered": {
			steps: steps{deliver}, en: "Total ৳1,420 Paid ৳1,420", bn: "মোট ৳১,৪২০ পরিশোধিত ৳১,৪২০", missing: "To pay",
		},
		"a unit came back": {
			steps: steps{part}, en: "Total ৳1,420 Returned: 1 × Mug −৳450 Paid ৳970",
			bn: "মোট ৳১,৪২০ ফেরত: ১ × Mug −৳৪৫০ পরিশোধিত ৳৯৭০", missing: "To pay",
		},
		"the courier collected less": {
			steps: steps{collects(1400)}, en: "Total ৳1,420 Paid ৳1,400", bn: "মোট ৳১,৪২০ পরিশোধিত ৳১,৪০০", missing: "To pay",
		},
		"refunded in part": {
			steps: steps{deliver, refund}, en: "Total ৳1,420 Returned −৳20 Refunded −৳20 Paid ৳1,400",
			bn: "মোট ৳১,৪২০ ফেরত −৳২০ টাকা ফেরত −৳২০ পরিশোধিত ৳১,৪০০", missing: "To pay",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAuditShop(t)
			s.removeInserted()
			body := strings.Replace(placeBody, `"quantity":1`, `"quantity":3`, 1)
			path := "orders/" + s.must("POST", "orders", body)["order"].(map[string]any)["_id"].(string)
			for _, step := range tt.steps {
				step(s, path)
			}
			for language, want := range map[string]string{"en": tt.en, "bn": tt.bn} {
				page := s.get("/admin/v1/shops/test/print/invoice?lang="+language+"&ids="+strings.TrimPrefix(path, "orders/"),
					"x-tenant", "", "Cookie", s.owner)
				text := strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(string(page.body), " "))), " ")
				if !strings.Contains(text, want) || language == "en" && strings.Contains(text, tt.missing) {
					t.Errorf("%s: got %s\nwant %q, and not %q", language, text, want, tt.missing)
				}
			}
		})
	}
}
