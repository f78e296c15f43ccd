package e2e

import (
	"fmt"
	"testing"
)

// A change of orders is undone from its message, from the dialog of a job, and by a key.
func TestDashboard_Undo(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	t.Run("on a phone", func(t *testing.T) { testUndoPhone(t, p, data) })
	t.Run("on a desk", func(t *testing.T) { testUndoDesk(t, p, data) })
}

func wantStatus(t *testing.T, data, want string, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if order := showOrder(t, data, id); order.Status != want {
			t.Errorf("order %s: got %s, want %s", id, order.Status, want)
		}
	}
}

func testUndoPhone(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	m.use("bn", "dark")
	ids := placeOrders(t, p, 2)
	m.show("order/"+ids[0], ".action-bar .primary")
	m.Click(".action-bar .primary")
	m.waitText(".toasts .toast button", "ফেরান")
	m.check("undo")
	m.checkTargets("undo")
	wantStatus(t, data, "confirmed", ids[0])
	m.Click(".toasts .toast button")
	m.waitText(".toasts .toast", "আগের মতো করা হলো।")
	wantStatus(t, data, "pending", ids[0])

	// The order of a call that is undone is called again.
	m.show("call/"+ids[0], ".outcomes")
	m.Click(".outcomes .soft")
	m.waitText(".top .toast button", "ফেরান")
	m.check("undo-call")
	m.Click(".top .toast button")
	m.Wait(fmt.Sprintf(`location.hash.endsWith("call/%s") && document.querySelector(".callee")`, ids[0]))
	m.waitText(".top .toast", "আগের মতো করা হলো।")
	wantStatus(t, data, "pending", ids[0])
}

func testUndoDesk(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 1280)
	ids := placeOrders(t, p, 3)
	m.show("orders?view=toConfirm", "tr[data-order]")
	m.waitOrders(ids)
	for _, id := range ids {
		m.Click(fmt.Sprintf(`[data-order=%q] .pick-cell input`, id))
	}
	m.Click(".selection .primary")
	m.waitJob("3 done")
	m.WaitVisible("#undo-job")
	m.check("undo-job")
	m.Click("#undo-job")
	m.waitText(".toasts .toast", "Undone.")
	m.waitOrders(ids)
	wantStatus(t, data, "pending", ids...)

	m.Click(fmt.Sprintf(`[data-order=%q] a.cell`, ids[1]))
	m.WaitVisible(".pane .action-bar .primary")
	m.Press("c")
	m.waitText(".toasts .toast button", "Undo")
	m.Press("z")
	m.waitText(".toasts .toast", "Undone.")
	wantStatus(t, data, "pending", ids[1])
}
