package e2e

import "testing"

// An owner chooses the step of a purchase, replaces the access token, sends a test event, and reads
// what an advertiser has answered.
func TestDashboard_Advertising(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	refuseConversion(t, data)
	p := serve(t, "--dev", "--data", data)
	for _, width := range []int{360, 1280} {
		m := openDashboard(t, p, width)
		m.show("settings/advertising", "#advertiser-meta [data-test]")
		m.check("advertising")
		if width == 360 {
			m.Click("label:has(input[name=step-meta][value=delivery])")
			m.Click("#set-advertising .save")
			m.Wait(`!document.querySelector("#set-advertising .save:not(:disabled)")`)
			m.Fill("#token-meta", "wrong")
			m.Click("#advertiser-meta .save")
			m.waitText(".toast", "Saved")
			m.Click("#advertiser-meta [data-test]")
			m.waitText("#advertiser-meta [role=alert]", "did not accept")
			m.check("advertising-refused")
			m.Fill("#token-meta", "simulated")
			m.Click("#advertiser-meta .save")
			m.Wait(`!document.querySelector("#advertiser-meta [role=alert]")`)
			m.Click("#advertiser-meta [data-test]")
			m.waitText(".toast", "accepted the test")
		}
		m.Click("#to-conversions")
		m.WaitVisible("#conversions summary")
		m.Click("#conversions summary")
		m.waitText("#conversions", "Invalid parameter")
		m.check("conversions")
	}
	m := openDashboard(t, p, 360)
	m.show("conversions?status=waiting", ".empty")
	m.check("conversions-none")
	m.show("conversions", "#conversions summary")
	m.Click("#conversions summary")
	m.Click("#conversions .button.mini")
	m.Wait(`document.querySelector("#conversions .status").classList.contains("done")`)
}
