package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// A courier's statement of 60 shipments is previewed with its differences, and entered.
func TestDashboard_Cash(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	t.Run("balances", func(t *testing.T) { testBalances(t, p) })
	t.Run("statement", func(t *testing.T) { testStatement(t, p, data) })
	for i, width := range some([]int{320, 1280}, 0, 2) { // a window each: few may be open at once
		t.Run(fmt.Sprintf("at %d px", width), func(t *testing.T) {
			m := openDashboard(t, p, width)
			m.use([]string{"bn", "en"}[i%2], []string{"dark", "light"}[i%2])
			m.show("cash", ".cash .card")
			m.show("cash/statement", ".file")
			m.show("cash/history", "main li")
			m.show("cash/shipments?status=different", ".views")
		})
	}
}

// What a courier owes by its own account stands beside the ledger, which is shown without it, too.
func testBalances(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 500")
	m.Eval(`(() => {
		const real = fetch
		window.failing = true
		window.answer = (one) => ({...one, balance: null, payouts: [], problem: "The courier did not respond. Try again in a moment."})
		window.fetch = async (url, init) => {
			if (!/\/cash\/balances$/.test(url)) return real(url, init)
			if (window.failing) return Response.json({code: "internal", detail: "The request failed."}, {status: 500})
			const response = await (await real(url, init)).json()
			return Response.json({nodes: response.nodes.map(window.answer)})
		}
		return true
	})()`, nil)
	m.show("cash", "#cash-courier_b")
	m.waitText("#no-balances", "could not be loaded")
	m.Eval(`(window.failing = false, true)`, nil)
	m.Click("#no-balances .balance-retry")
	m.waitText("#balance-courier_b", "did not respond")
	m.check("balance-failed")
	m.Eval(`(window.answer = (one) => one, true)`, nil)
	m.Click("#balance-courier_b .balance-retry")
	m.waitText("#cash-courier_b", "Owed by Steadfast’s own account")
	m.waitText("#balance-courier_b", "৳12,450")
	m.waitText("#balance-courier_b", "as of ")
	m.Wait(`!document.querySelector("#cash-courier_a [id^=balance], #no-balances, .balance-retry")`) // Pathao reports none
	m.Click("#payouts-courier_b summary")
	m.waitText("#payouts-courier_b", "SFC-88213")
	m.waitText("#payouts-courier_b", "charges ৳124")
	m.check("balances")
}

func testStatement(t *testing.T, p *process, data string) {
	t.Helper()
	m := &taps{merchant: openDashboard(t, p, 360)}
	testTwoReasons(m.merchant)
	testColumns(m.merchant)
	run(t, "stock", "set", "demo", mangoPickle(t, p), "100", "--data", data)
	var statement strings.Builder
	statement.WriteString("consignment_id,collected,fee\n")
	ids := placeOrders(t, p, 60)
	for i := range ids {
		fmt.Fprintf(&statement, "DL%06d,340,60\n", i)
	}
	m.Eval(fmt.Sprintf(`(async () => {
		const post = (path, body) => fetch("/admin/v1/shops/demo/" + path, {method: "POST", headers: {"Content-Type": "application/json"},
			body: JSON.stringify(body)})
		const ids = %q.split(",")
		for (let i = 0; i < ids.length; i++) {
			await post("orders/" + ids[i] + "/confirm", {})
			const done = await post("orders/" + ids[i] + "/shipments", {provider: "courier_b", consignmentId: "DL" + String(i).padStart(6, "0")})
			if (!done.ok) throw new Error(await done.text())
		}
		return true
	})()`, strings.Join(ids, ",")), nil)
	statement.WriteString("UNKNOWN1,100,60\n")
	m.show("cash", ".cash .card")
	m.tap("#enter")
	m.WaitVisible(".file")
	m.check("statement")
	m.n++ // the file is chosen
	m.chooseFile("INV-1.csv", statement.String())
	m.WaitVisible("#enter-it")
	m.waitText("#enter-it", "60")
	m.waitText(".differences", "UNKNOWN1")
	m.check("statement-previewed")
	m.tap("#enter-it")
	m.waitText(".toast", "60 shipments entered")
	m.want("enter a statement of 60 shipments", 4)
	m.waitText("main", "Steadfast")
	m.check("statements")
	m.Click(`main li:has(.tone-bad) a`) // the newest one that has differences
	m.waitText(".differences", "UNKNOWN1")
	m.waitText("#record", "60 shipments")
	m.check("statement-entered")
	m.show("cash/shipments?status=held", ".views")
	m.show("cash", ".cash .card")
}

// A column that is not understood is shown with examples, and nothing is entered before it is said
// what it has. What arrived at the bank is compared.
func testColumns(m *merchant) {
	var row string
	m.Eval(`fetch("/admin/v1/shops/demo/cash/shipments?courier=courier_a&status=held").then((response) => response.json())
		.then(({nodes}) => nodes[0].consignmentId)`, &row)
	for i, language := range []string{"bn", "en"} {
		m.use(language, []string{"dark", "light"}[i])
		m.show("cash/statement", ".file")
		m.chooseFile("INV-77.csv", "Payout INV-77,,\n,,\nConsignment ID,Final Due (Tk),Rider\n"+row+",910,Karim\nUNKNOWN1,90,Rahim\nTotal,1100,\n")
		m.WaitVisible("#columns select")
		m.Wait(`document.querySelector("#enter-it").disabled`)
		m.check("statement-columns")
		m.Eval(`(() => {
			const choice = document.querySelector("#column-1")
			choice.value = "paidOut"
			return choice.dispatchEvent(new Event("change", {bubbles: true}))
		})()`, nil)
		m.WaitVisible("#preview")
		m.Fill("#arrived", "900")
		m.WaitVisible("#missing")
		m.check("statement-arrived")
		m.Click(".action-bar .square") // nothing of it is entered
		m.WaitVisible(".file")
	}
}

// A shipment that differs for two reasons stands in a statement's preview once, with both. A total
// stands there by its line.
func testTwoReasons(m *merchant) {
	var row string
	m.Eval(`fetch("/admin/v1/shops/demo/cash/shipments?courier=courier_a&status=held").then((response) => response.json())
		.then(({nodes}) => nodes[0].consignmentId + "," + (nodes[0].collected.amount / 100 - 100) + ",60")`, &row)
	m.show("cash/statement", ".file")
	m.Click("details summary")
	m.Fill("#csv", "consignment_id,collected,fee\n"+row+"\nমোট,1240,60\n")
	m.Click("#check")
	m.waitText(".differences", "reported before")
	m.waitText(".differences", "than was due")
	m.Wait(`document.querySelectorAll(".differences li").length === 1`)
	m.waitText("#skipped", "1 line is about no shipment, such as a total. It is not entered.")
	m.waitText("#skipped", "Line 3 মোট 1240 60")
	m.check("statement-with-total")
	m.Click(".action-bar .square") // nothing of it is entered
	m.WaitVisible(".file")
}
