package server_test

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/catalogue"
)

var (
	moneySteps = flag.Int("money.steps", 90, "steps of each walk of TestMoney_RandomDays")
	moneySeeds = flag.Int("money.seeds", 3, "walks of TestMoney_RandomDays")
)

// daySum is an amount of a response.
type daySum struct{ Amount int64 }

// dayOrder has the sums of an order, which each API returns alike.
type dayOrder struct {
	OrderNumber                                  int64
	Subtotal, Discount, DeliveryCharge, Rounding daySum
	Total, ReturnedAmount, Paid, Refunded, Due   daySum
	QuantityDiscount                             daySum
	Items                                        []struct{ Total, Discount, QuantityDiscount daySum }
	Credits                                      []dayCredit
	Status, PaymentStatus, PlacedAt              string
}

type dayCredit struct {
	ID       *string `json:"_id"`
	Quantity int
	Amount   daySum
}

// dayQuery is the GraphQL selection of a dayOrder.
const dayQuery = `orderNumber subtotal { amount } discount { amount } deliveryCharge { amount } rounding { amount }
	total { amount } returnedAmount { amount } paid { amount } refunded { amount } due { amount }
	quantityDiscount { amount } items { total { amount } discount { amount } quantityDiscount { amount } }
	credits { _id quantity amount { amount } } status paymentStatus placedAt`

// moneyDays is a shop whose staff, buyers and couriers act at random.
type moneyDays struct {
	*auditShop
	r        *rand.Rand
	orders   []string // invoice UIDs
	variants []string
	done     map[string]int // operations that succeeded
	key      string         // which does not expire
}

func (w *moneyDays) as(method, path, body string) *reply {
	w.t.Helper()
	return w.auditShop.as(method, path, body, "Authorization", w.key)
}

// must is as for a request that succeeds.
func (w *moneyDays) must(method, path, body string) (content map[string]any) {
	w.t.Helper()
	if got := w.as(method, path, body); got.status >= 300 || json.Unmarshal(got.body, &content) != nil {
		w.t.Fatalf("%s %s: got %d: %s", method, path, got.status, got.body)
	}
	return content
}

// TestMoney_RandomDays runs random operations of some days through HTTP. For each order, what its
// lines cost is what was paid, less refunds, and what is due; and both APIs, the lists, the
// reports, the ledger and the files have the same sums. For a long run:
// go test ./server -run RandomDays -money.seeds 30 -money.steps 500
func TestMoney_RandomDays(t *testing.T) {
	t.Parallel()
	for seed := range *moneySeeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			s := newAuditShop(t)
			s.removeInserted()
			w := &moneyDays{auditShop: s, r: rand.New(rand.NewPCG(uint64(seed), 43)), done: map[string]int{}, key: s.key(t)}
			for i, price := range []int64{45000, 333_33, 99_50} {
				made, err := s.shop.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
					Title: fmt.Sprint("Product ", price), Variants: []catalogue.VariantInput{{Price: price, Tracked: true, Stock: new(1000)}},
					QuantityPrices: []catalogue.QuantityPrices{{}, {{Quantity: 3, Price: 888_88}}, {{Quantity: 2, Price: 190_01}, {Quantity: 3, Price: 200_00}}}[i],
				})
				if err != nil {
					t.Fatal(err)
				}
				w.variants = append(w.variants, made.Variants[0].ID)
			}
			for step := range *moneySteps {
				name := w.step()
				s.shop.Clock.Advance(time.Duration(w.r.IntN(40)) * time.Minute)
				if step%15 == 14 {
					if w.r.IntN(2) == 0 { // otherwise the reports count the days themselves
						w.countDays()
					}
					w.check()
				}
				if t.Failed() {
					t.Fatalf("failed at step %d, %s", step, name)
				}
			}
			t.Log(w.done)
		})
	}
}

func (w *moneyDays) countDays() {
	w.t.Helper()
	w.shop.Clock.Advance(time.Minute)
	if _, err := w.shop.Sales.CountDays(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// step sends one request of staff, which may be refused.
func (w *moneyDays) step() string {
	if len(w.orders) == 0 || w.r.IntN(5) == 0 {
		w.place()
		return "place"
	}
	uid := w.orders[max(0, len(w.orders)-1-w.r.IntN(8))]
	path := "orders/" + uid
	name := []string{"shipments", "shipments", "deliver", "deliver", "part", "part", "part", "advances", "refund", "refund", "units", "units",
		"return", "cancel", "edit", "statement", "statement", "remove credit", "remove credit", "remove credit"}[w.r.IntN(20)]
	method, body := http.MethodPost, "{}"
	switch name {
	case "shipments":
		path, body = path+"/shipments", `{"provider":"courier_a"}`
	case "deliver", "return", "cancel":
		path += "/" + name
	case "part":
		path, body = path+"/deliver", `{"restock":`+w.units(uid, "damaged")+`}`
	case "advances":
		path, body = path+"/advances", fmt.Sprintf(`{"amount":%d,"method":"bkash"}`, []int{100, 100_00, 333_00}[w.r.IntN(3)])
	case "refund":
		path, body = path+"/refund", fmt.Sprintf(`{"amount":%d,"reason":"goodwill","confirmDuplicate":true}`, []int{1, 50_00, 450_00}[w.r.IntN(3)])
	case "units":
		path, body = path+"/refund", `{"confirmDuplicate":true,"items":`+w.units(uid, "")+`}`
	case "edit":
		method, body = http.MethodPatch, fmt.Sprintf(`{"deliveryCharge":%d,"staffDiscount":{"amount":%d,"reason":"regular"}}`,
			[]int{0, 60_00, 75_50}[w.r.IntN(3)], []int{0, 99_99}[w.r.IntN(2)])
	case "statement":
		return w.statement(uid)
	case "remove credit":
		id := w.creditAtRandom(uid)
		method, path = http.MethodDelete, path+"/credits/"+id
	}
	got := w.as(method, path, body)
	if got.status >= 500 {
		w.t.Errorf("%s: got %d %s", name, got.status, got.body)
	}
	if got.status < 300 {
		w.done[name]++
	}
	return name
}

// place places an order by phone.
func (w *moneyDays) place() {
	w.t.Helper()
	var items []string
	for _, i := range w.r.Perm(len(w.variants))[:1+w.r.IntN(3)] {
		items = append(items, fmt.Sprintf(`{"variantId":%q,"quantity":%d}`, w.variants[i], 1+w.r.IntN(3)))
	}
	placed := w.must("POST", "orders", fmt.Sprintf(`{"items":[%s],"source":"phone","confirm":true,
		"customer":{"name":"Karim","phoneNumber":"0181100000%d"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`,
		strings.Join(items, ","), w.r.IntN(4)))
	w.orders = append(w.orders, placed["order"].(map[string]any)["_id"].(string))
}

// units returns some of the units of an order, as the body of a request; damaged is the name of
// those that are not fit for sale.
func (w *moneyDays) units(uid, damaged string) string {
	var lines []string
	for _, item := range w.must("GET", "orders/"+uid, "")["items"].([]any) {
		units := w.r.IntN(int(item.(map[string]any)["quantity"].(float64)) + 1)
		line := fmt.Sprintf(`{"variantId":%q,"quantity":%d`, item.(map[string]any)["variantId"], units)
		switch {
		case damaged != "" && units > 0 && w.r.IntN(2) == 0:
			line = fmt.Sprintf(`{"variantId":%q,"quantity":%d,"damaged":1`, item.(map[string]any)["variantId"], units-1)
		case damaged == "" && units == 0:
			continue
		case damaged == "":
			line += fmt.Sprintf(`,"restock":%d`, w.r.IntN(units+1))
		}
		lines = append(lines, line+"}")
	}
	return "[" + strings.Join(lines, ",") + "]"
}

// statement enters what a courier collected for an order's shipment: what was due, or less.
func (w *moneyDays) statement(uid string) string {
	order := w.must("GET", "orders/"+uid, "")
	shipments := order["shipments"].([]any)
	if len(shipments) == 0 {
		return "statement"
	}
	due := int64(order["total"].(map[string]any)["amount"].(float64) - order["returnedAmount"].(map[string]any)["amount"].(float64))
	collected := max(0, due-[]int64{0, 0, 100_00}[w.r.IntN(3)])
	file := fmt.Sprintf("consignment_id,collected,fee\n%s,%d.%02d,%d\n",
		shipments[len(shipments)-1].(map[string]any)["consignmentId"], collected/100, collected%100, w.r.IntN(90))
	if got := w.as("POST", "cash/statements?courier=courier_a", file); got.status < 300 {
		w.done["statement"]++
	}
	return "statement"
}

// creditAtRandom returns the ID of one of an order's credits, or none.
func (w *moneyDays) creditAtRandom(uid string) string {
	order := w.read(uid)
	if len(order.Credits) == 0 {
		return "none"
	}
	if id := order.Credits[w.r.IntN(len(order.Credits))].ID; id != nil {
		return *id
	}
	return "none"
}

// read returns an order as staff read it.
func (w *moneyDays) read(uid string) (o dayOrder) {
	w.t.Helper()
	w.as("GET", "orders/"+uid, "").decode(&o)
	return o
}

// check compares the sums of each order with one another, and everywhere.
func (w *moneyDays) check() {
	w.t.Helper()
	w.checkInvariants()
	orders := map[string]dayOrder{} // by number
	for _, uid := range w.orders {
		staff := w.read(uid)
		orders[fmt.Sprint(staff.OrderNumber)] = staff
		w.checkSums(staff)
		var rest dayOrder
		w.get("/api/v1/orders/"+uid).ok(http.StatusOK, &rest)
		var graph struct{ Data struct{ Order dayOrder } }
		query, err := json.Marshal(map[string]any{"query": `{ order(orderId: "` + uid + `") { ` + dayQuery + ` } }`})
		if err != nil {
			w.t.Fatal(err)
		}
		w.send("POST", "/graphql", string(query)).ok(http.StatusOK, &graph)
		for api, other := range map[string]dayOrder{"REST": rest, "GraphQL": graph.Data.Order} {
			if diff := cmp.Diff(staff, other); diff != "" {
				w.t.Errorf("order %s (-staff +%s):\n%s", uid, api, diff)
			}
		}
	}
	w.checkFile(orders)
	w.checkReports(orders)
	w.checkBuyers()
	w.checkLedger()
}

// checkSums checks the equation of an order.
func (w *moneyDays) checkSums(o dayOrder) {
	w.t.Helper()
	var lines, credits, byQuantity int64
	for _, item := range o.Items {
		lines += item.Total.Amount + item.Discount.Amount
		byQuantity += item.QuantityDiscount.Amount
	}
	for _, credit := range o.Credits {
		credits += credit.Amount.Amount
	}
	cost := lines - o.ReturnedAmount.Amount - o.Discount.Amount + o.DeliveryCharge.Amount - o.Rounding.Amount
	if lines != o.Subtotal.Amount || byQuantity != o.QuantityDiscount.Amount ||
		credits != o.ReturnedAmount.Amount || cost != o.Paid.Amount-o.Refunded.Amount+o.Due.Amount {
		w.t.Errorf("order %d does not add up: lines of %d, credits of %d: %+v", o.OrderNumber, lines, credits, o)
	}
}

// decimal returns an amount as a file has it.
func decimal(amount int64) string {
	sign := ""
	if amount < 0 {
		sign, amount = "-", -amount
	}
	return fmt.Sprintf("%s%d.%02d", sign, amount/100, amount%100)
}

// table sends a request for a file, and returns its rows by column.
func (w *moneyDays) table(path string) (rows []map[string]string) {
	w.t.Helper()
	file := w.as("GET", path, "")
	cells, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(file.body), "\ufeff"))).ReadAll()
	if err != nil || file.status != http.StatusOK {
		w.t.Fatalf("%s: got %d, %v", path, file.status, err)
	}
	for _, cell := range cells[1:] {
		row := map[string]string{}
		for i, name := range cells[0] {
			row[name] = strings.TrimPrefix(cell[i], "'")
		}
		rows = append(rows, row)
	}
	return rows
}

// checkFile compares the file of orders.
func (w *moneyDays) checkFile(orders map[string]dayOrder) {
	w.t.Helper()
	seen := map[string]bool{}
	for _, row := range w.table("exports/orders") {
		o := orders[row["Order"]]
		if seen[row["Order"]] {
			continue
		}
		seen[row["Order"]] = true
		for column, sum := range map[string]daySum{
			"Total": o.Total, "Returned": o.ReturnedAmount, "Paid": o.Paid, "Refunded": o.Refunded, "Due": o.Due,
			"Discount": o.Discount, "Quantity discount": o.QuantityDiscount,
		} {
			if row[column] != decimal(sum.Amount) {
				w.t.Errorf("file of orders: order %s has %s %s, want %s", row["Order"], column, row[column], decimal(sum.Amount))
			}
		}
	}
	if len(seen) != len(orders) {
		w.t.Errorf("got %d orders in the file, want %d", len(seen), len(orders))
	}
}

// checkReports compares the report by day, its file, and the overview.
func (w *moneyDays) checkReports(orders map[string]dayOrder) {
	w.t.Helper()
	revenue := map[string]int64{} // by day
	for _, o := range orders {
		if !slices.Contains([]string{"cancelled", "expired", "pending_payment"}, o.Status) {
			at, err := time.Parse(time.RFC3339, o.PlacedAt)
			if err != nil {
				w.t.Fatal(err)
			}
			revenue[at.In(time.FixedZone("Dhaka", 6*3600)).Format(time.DateOnly)] += o.Total.Amount - o.ReturnedAmount.Amount
		}
	}
	period := "?from=" + w.shop.Clock.Now().AddDate(0, 0, -60).Format(time.DateOnly)
	var report struct {
		Total struct{ Revenue daySum }
		Rows  []struct {
			Key     string
			Revenue daySum
		}
	}
	w.as("GET", "analytics/days"+period, "").decode(&report)
	var sum int64
	for _, row := range report.Rows {
		if row.Revenue.Amount != revenue[row.Key] {
			w.t.Errorf("report of %s: got revenue %d, want %d", row.Key, row.Revenue.Amount, revenue[row.Key])
		}
		sum += row.Revenue.Amount
	}
	for _, row := range w.table("exports/analytics/days" + period) {
		if got, want := row["Revenue"], decimal(revenue[row["Key"]]); row["Key"] != "" && got != want {
			w.t.Errorf("file of %s: got revenue %s, want %s", row["Key"], got, want)
		}
	}
	var overview struct{ Revenue struct{ Value int64 } }
	w.as("GET", "analytics/overview"+period, "").decode(&overview)
	if report.Total.Revenue.Amount != sum || overview.Revenue.Value != sum {
		w.t.Errorf("got revenue %d in total and %d in the overview, want %d", report.Total.Revenue.Amount, overview.Revenue.Value, sum)
	}
}

// checkBuyers compares what buyers spent, in their list and in their records, with what was paid
// and not refunded for their orders.
func (w *moneyDays) checkBuyers() {
	w.t.Helper()
	spent := map[string]int64{}
	for _, uid := range w.orders {
		var buyer struct{ Customer struct{ PhoneNumber string } }
		w.as("GET", "orders/"+uid, "").decode(&buyer)
		o := w.read(uid)
		spent[buyer.Customer.PhoneNumber] += max(0, o.Paid.Amount-o.Refunded.Amount)
	}
	var list struct {
		Nodes []struct {
			PhoneNumber string
			Spent       daySum
		}
	}
	w.as("GET", "customers?limit=100&kind=guest", "").decode(&list)
	if len(list.Nodes) != len(spent) {
		w.t.Errorf("got %d buyers, want %d", len(list.Nodes), len(spent))
	}
	for _, buyer := range list.Nodes {
		var contact struct{ Guest struct{ Spent daySum } }
		w.as("GET", "contacts/"+buyer.PhoneNumber, "").decode(&contact)
		if want := spent[buyer.PhoneNumber]; buyer.Spent.Amount != want || contact.Guest.Spent.Amount != want {
			w.t.Errorf("%s: spent %d in the list, %d in the record, want %d", buyer.PhoneNumber,
				buyer.Spent.Amount, contact.Guest.Spent.Amount, want)
		}
	}
}

// checkLedger compares the file of the ledger with its list, with what couriers hold or have paid
// out, and with what was paid for their orders.
func (w *moneyDays) checkLedger() {
	w.t.Helper()
	var ledger struct {
		Nodes []struct {
			ConsignmentID string
			Collected     *daySum
		}
	}
	w.as("GET", "cash/shipments?limit=100", "").decode(&ledger)
	reported := map[string]int64{}
	for _, line := range ledger.Nodes {
		if line.Collected != nil {
			reported[line.ConsignmentID] = line.Collected.Amount
		}
	}
	var held, paidOut int64
	collected := map[string]int64{} // by order
	for _, row := range w.table("exports/cash") {
		cash := w.amountOf(row["Collected"])
		if amount, isReported := reported[row["Consignment"]]; isReported && amount != cash {
			w.t.Errorf("shipment %s: %d collected in the file, %d in the list", row["Consignment"], cash, amount)
		}
		collected[row["Invoice"]] += cash
		if row["Paid out"] == "" {
			held += cash
		}
		paidOut += w.amountOf(row["Paid out"])
	}
	var report struct {
		Couriers []struct{ Held, PaidOut daySum }
	}
	w.as("GET", "cash", "").decode(&report)
	for _, courier := range report.Couriers {
		held, paidOut = held-courier.Held.Amount, paidOut-courier.PaidOut.Amount
	}
	if held != 0 || paidOut != 0 {
		w.t.Errorf("the file has %d more cash held and %d more paid out than the report", held, paidOut)
	}
	for uid, cash := range collected {
		var order struct {
			Paid     daySum
			Advances []struct{ Amount daySum }
		}
		w.as("GET", "orders/"+uid, "").decode(&order)
		paid := order.Paid.Amount
		for _, advance := range order.Advances {
			paid -= advance.Amount.Amount
		}
		if cash > 0 && cash != paid {
			w.t.Errorf("order %s: the ledger has %d, the order %d paid in cash", uid, cash, paid)
		}
	}
}

// amountOf returns an amount of a file; 0 if it is empty.
func (w *moneyDays) amountOf(text string) (amount int64) {
	w.t.Helper()
	if text == "" {
		return 0
	}
	digits := strings.ReplaceAll(strings.TrimPrefix(text, "-"), ".", "")
	if _, err := fmt.Sscan(digits, &amount); err != nil {
		w.t.Fatalf("got amount %q: %v", text, err)
	}
	if strings.HasPrefix(text, "-") {
		return -amount
	}
	return amount
}
