package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// shownMember is a staff member, as the Admin API returns it.
type shownMember struct {
	ID string `json:"_id"`
	Name, Role, Status,
	Email string
	InvitationExpiresAt *time.Time
}

func (m *merchant) members() map[string]shownMember {
	m.t.Helper()
	var list struct{ Nodes []shownMember }
	m.Eval(`fetch("/admin/v1/shops/demo/staff").then((response) => response.json())`, &list)
	all := map[string]shownMember{}
	for _, one := range list.Nodes {
		all[one.Name] = one
	}
	return all
}

// An owner invites, changes and removes staff members with nothing but the screen.
func TestDashboard_Team(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	t.Run("owner", func(t *testing.T) { testTeam(t, p, data) })
	t.Run("refused", func(t *testing.T) { testTeamRefused(t, p, data) })
	t.Run("failures", func(t *testing.T) { testTeamFailures(t, p) })
	t.Run("audit", func(t *testing.T) { testAudit(t, p, data) })
	t.Run("second factor", func(t *testing.T) { testSecondFactorRule(t, p, data) }) // the last: the owner has none
}

// Who requires a second factor of everybody has to set up the own one first.
func testSecondFactorRule(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 403")
	m.show("team", "#requireSecondFactor")
	m.set("#requireSecondFactor", "everyone")
	m.check("team-factor")
	m.submit("#set-factor form")
	m.Wait(`location.hash.endsWith("/account/factor")`)
	run(t, "tenant", "set", "demo", "requireSecondFactor=none", "--data", data)
}

func testTeam(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 404")
	m.AllowProblem("status of 412")
	m.AllowProblem("status of 422")
	m.show("more", "main nav a")
	m.Click(`main nav a[href$="/team"]`)
	m.WaitVisible("#invite-button")
	m.check("team-alone")
	m.Click("#invite-button")
	m.WaitVisible("#invite #name")
	m.submit("#invite form")
	m.Wait(`document.activeElement.id === "name" && document.querySelectorAll("#invite .error").length === 2`)
	m.Fill("#invite #name", "Rina")
	m.Fill("#invite #contact", "০১৮১৯৩৩৬২০৪")
	m.waitText("#invite", "Everything, also staff, keys and closing the shop.") // each role with what it allows
	m.check("team-invite")
	m.submit("#invite form")
	m.WaitVisible("#link-url")
	m.check("team-link")
	var link, whatsapp, sms string
	m.Eval(`document.querySelector("#link-url").value`, &link)
	m.Eval(`document.querySelector("#link a").href`, &whatsapp)
	m.Eval(`document.querySelector("#link a[href^='sms:']").href`, &sms)
	if !strings.HasPrefix(link, p.url+"/admin/#/demo/link/") || !strings.HasPrefix(whatsapp, "https://wa.me/8801819336204?text=") ||
		!strings.HasPrefix(sms, "sms:+8801819336204?body=") || !strings.HasSuffix(sms, url.QueryEscape(link)) {
		t.Errorf("got the link %s, sent by %s and %s", link, whatsapp, sms)
	}
	m.Click("#copy-link")
	m.waitText(".toast", "Copied")
	m.Click("#link-done")
	m.WaitVisible("#team-invited [data-member]")
	rina := m.members()["Rina"]
	if rina.Role != "staff" || rina.Status != "invited" {
		t.Errorf("got %+v, want an invited staff member", rina)
	}
	if expires := rina.InvitationExpiresAt; expires == nil || expires.Before(time.Now()) {
		t.Errorf("the invitation expires at %v, want a time to come", expires)
	}
	m.waitText("#team-invited", "The link works until")

	// A new link makes the one before invalid; she joins with it.
	m.show("team/"+rina.ID, "#do-invite")
	m.Click("#do-invite")
	m.WaitVisible("#link-url")
	var renewed string
	m.Eval(`document.querySelector("#link-url").value`, &renewed)
	m.Click("#link-done")
	guest := &merchant{openWindow(t, p, 360)}
	guest.AllowProblem("status of 404")
	guest.AllowProblem("status of 401")
	guest.Go(link)
	guest.waitText("h1", "does not work")
	guest.Go(renewed)
	guest.WaitVisible("#password")
	guest.waitText(".sign-in", "invites you as Staff")
	guest.waitText("#main", "Demo owner invites you")
	guest.Fill("#password", "kolapata-7-nodi")
	guest.Click("form .primary")
	guest.WaitVisible(".tiles")

	// A lost phone: the sessions of a staff member end, who signs in again.
	m.show("team/"+rina.ID, "#do-invite, #do-sessions")
	m.Reload()
	m.WaitVisible("#do-sessions")
	m.Click("#do-sessions")
	m.WaitVisible("#confirm .bad")
	m.check("team-sessions")
	m.Click("#confirm .bad")
	m.waitText(".toast", "The sessions of Rina have ended")
	guest.Reload()
	guest.WaitVisible("#user")
	guest.Fill("#user", "01819-336204")
	guest.Fill("#password", "kolapata-7-nodi")
	guest.Click("form .primary")
	guest.WaitVisible(".tiles")

	// Her role changes, though somebody else changes her name meanwhile: both versions are shown.
	m.show("team", "#team-active [data-member]")
	m.show("team/"+rina.ID, "#do-off")
	m.Fill("#person #name", "Rina Akter")
	run(t, "api", "demo", "updateStaffMember", "--id", "+8801819336204", "--name", "Rina Begum", "--data", data)
	m.Click(`#person [value="viewer"]`)
	m.submit("#person form")
	m.WaitVisible("#conflict")
	m.check("team-conflict")
	m.Click("#conflict .primary")
	m.waitText(".toast", "Saved")
	if got := m.members()["Rina Akter"]; got.Role != "viewer" {
		t.Errorf("got %+v, want what was chosen", m.members())
	}
	guest.Reload()
	guest.WaitVisible("#user") // another role ends the sessions

	// Turned off, invited again, withdrawn.
	for _, step := range []struct{ button, toast string }{{"off", "turned off"}, {"remove", "removed"}} {
		m.WaitVisible("#do-" + step.button)
		m.Click("#do-" + step.button)
		m.WaitVisible("#confirm .bad")
		m.check("team-" + step.button)
		m.Click("#confirm .bad")
		m.waitText(".toast", step.toast)
	}
	m.Wait(`location.hash === "#/demo/team" && !document.querySelector("#team-off")`)
	if _, ok := m.members()["Rina Akter"]; ok {
		t.Error("a removed staff member is still there")
	}

	for name, one := range m.members() {
		if one.Status == "active" && one.InvitationExpiresAt != nil {
			t.Errorf("%s has joined, got an invitation until %v", name, one.InvitationExpiresAt)
		}
	}

	// The last owner stays one, on the screen too.
	m.Eval(`(document.querySelector("#team-active a").click(), true)`, nil)
	m.waitText("#person .hint:last-of-type", "last owner")
	m.check("team-owner")
	var n int
	if m.Eval(`document.querySelectorAll("#person [type=radio]:enabled, #do-off, #do-remove").length`, &n); n != 0 {
		t.Errorf("got %d controls that end the last owner, want none", n)
	}

	for i, width := range some([]int{320, 360, 1280}, 0, 3) {
		invite(t, data, []string{"Karim", "Nusrat", "Tania"}[i], []string{"a.long.address.of.karim@wholesale.example.com", "nusrat@example.com",
			"tania@example.com"}[i], []string{"manager", "staff", "viewer"}[i])
		w := openDashboard(t, p, width)
		for j, language := range some([]string{"en", "bn"}, i%2, 2) {
			w.use(language, []string{"light", "dark"}[(i+j)%2])
			w.show("team", "#team-invited [data-member]")
			w.show("team/"+w.members()["Karim"].ID, "#do-withdraw")
			w.Eval(`(location.hash = "#/demo/team", true)`, nil)
			w.WaitVisible("#invite-button")
			w.Click("#invite-button")
			w.WaitVisible("#invite #name")
			w.check("team-invite")
			w.Eval(`(document.querySelector("#invite .icon-button").click(), true)`, nil)
		}
	}
}

// invite invites a staff member by the command line, and returns the link's token.
func invite(t *testing.T, data, name, email, role string) string {
	t.Helper()
	var invited struct{ Link struct{ Token string } }
	text := run(t, "staff", "invite", "demo", "--role", role, "--name", name, "--email", email, "--json", "--data", data)
	if err := json.Unmarshal([]byte(text), &invited); err != nil {
		t.Fatal(err)
	}
	return invited.Link.Token
}

// A manager changes staff and viewers only. A viewer is not offered the screen, and learns why.
func testTeamRefused(t *testing.T, p *process, data string) {
	m := asMember(t, p, data, "manager")
	m.show("team", "#team-active [data-member]")
	owner := ""
	for _, one := range m.members() {
		if one.Role == "owner" {
			owner = one.ID
		}
	}
	m.show("team/"+owner, "#person")
	m.waitText("#person", "Only an owner")
	var n int
	if m.Eval(`document.querySelectorAll("#person .save, [id^=do-]").length`, &n); n != 0 {
		t.Errorf("got %d controls for an owner, want none for a manager", n)
	}
	v := asMember(t, p, data, "viewer")
	v.show("team", ".empty")
	v.waitText(".empty", "Your role does not include this")
}

func testTeamFailures(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 500")
	m.show("home", ".tiles")
	m.Eval(`(() => {
		const real = fetch
		window.fetch = (address, ...rest) => String(address).endsWith("/staff") ? new Promise((done) => { window.fail = () =>
			done(new Response('{"code": "internal", "requestId": "01TEST"}', {status: 500})) }) : real(address, ...rest)
		location.hash = "#/demo/team"
		return true
	})()`, nil)
	m.Wait("window.fail && document.querySelector('.skeleton:not(.unseen)')")
	m.Screenshot(m.shots + "team-loading")
	m.Eval(`(window.fail(), true)`, nil)
	m.waitText(".empty", "01TEST")
	m.check("team-failed")
}

// The audit log shows who has changed what with both values, is filtered, and leads to what was
// changed.
func testAudit(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 500")
	made := m.create(map[string]any{"title": "Brass lamp", "variants": []any{map[string]any{"price": 90000, "stock": 4}}})
	m.edit(made.ID, map[string]any{"title": "Brass lamp, large", "tags": []string{"brass", "large"}})
	for i := range 60 {
		m.edit(made.ID, map[string]any{"title": fmt.Sprintf("Brass lamp, size %d", i)})
	}
	run(t, "api", "demo", "updateProduct", "--id", made.ID, "--title", "Brass lamp, by hand", "--data", data)
	m.show("team", "#to-audit")
	m.Click("#to-audit")
	m.WaitVisible("#audit summary")
	m.waitText("#audit details:first-child", "Brass lamp")
	m.Click("#audit details:first-child summary")
	m.waitText("#audit details:first-child", "size 59")
	m.waitText("#audit details:first-child", "by hand")
	m.check("audit")
	m.Click("#audit details:first-child [data-only=subject]")
	m.Wait(`document.querySelector('.chip.on[href="#/demo/team/audit"]') &&
		[...document.querySelectorAll("#audit summary")].every((one) => /Brass lamp/.test(one.innerText))`)
	m.Click(`.pages a[href*="subject="][href*="page=2"]`)
	m.Wait(`/[?&]page=2/.test(location.hash) && !document.querySelector('.pages a[href*="page=3"]') && document.querySelector("#audit details")`)
	m.set("#audit-actor", "cli")
	m.Wait(`/subject=.*actor=cli|actor=cli.*subject=/.test(location.hash) && !location.hash.includes("page=") &&
		document.querySelectorAll("#audit details").length === 1`)
	m.set("#audit-period", "today")
	m.Wait(`location.hash.includes("period=today") && document.querySelectorAll("#audit details").length === 1`)
	m.Click("#audit summary")
	m.Click("#audit [data-open]")
	m.WaitVisible("#product #status")
	m.show("team/audit?action=product.none", ".empty")
	for i, width := range some([]int{320, 360, 1280}, 0, 3) {
		w := openDashboard(t, p, width)
		for j, language := range some([]string{"en", "bn"}, i%2, 2) {
			w.use(language, []string{"light", "dark"}[(i+j)%2])
			w.show("team/audit", "#audit summary")
			w.Eval(`([...document.querySelectorAll("#audit details")].slice(0, 3).forEach((one) => { one.open = true }), true)`, nil)
			w.check("audit-open")
		}
	}
	v := asMember(t, p, data, "staff")
	v.show("team/audit", ".empty")
	v.waitText(".empty", "Your role does not include this")
	m.show("home", ".tiles")
	m.Eval(`(() => {
		const real = fetch
		window.fetch = (address, ...rest) => /audit/.test(address) ?
			Promise.resolve(new Response('{"code": "internal", "requestId": "01TEST"}', {status: 500})) : real(address, ...rest)
		location.hash = "#/demo/team/audit?period=week"
		return true
	})()`, nil)
	m.waitText(".empty", "01TEST")
	m.check("audit-failed")
}
