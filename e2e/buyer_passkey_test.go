package e2e

import (
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// A buyer adds a passkey with a code, signs in with it, and removes it with itself as the proof.
// What is not that passkey, for that shop and once, does not sign in.
func TestBuyer_Passkeys(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	run(t, "tenant", "create", "other", "--name", "Other", "--data", data)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	site := strings.Replace(p.url, "127.0.0.1", "localhost", 1) // the canonical host of the demo shop
	t.Run("Bangla", func(t *testing.T) {
		page, _ := newVisitor(t, p, 360, "dark")
		testBuyerPasskeys(t, p, page, site+"/bn", "01811-000021", `([0-9]{4}) আপনার`)
	})
	t.Run("English", func(t *testing.T) {
		page, _ := newVisitor(t, p, 360, "light")
		testBuyerPasskeys(t, p, page, site, "01811-000022", `([0-9]{4}) is your`)
	})
}

func testBuyerPasskeys(t *testing.T, p *process, page *window, site, phone, code string) {
	page.AllowProblem("422 (Unprocessable Entity)")
	page.AllowProblem("status of 401")
	device := page.AddAuthenticator()
	name := "passkey-" + strings.ToLower(t.Name()[strings.LastIndex(t.Name(), "/")+1:])
	page.SimulatePresence(device, false)
	page.Go(site + "/account")
	page.WaitVisible("[data-do=sign-in]")
	checkVisited(page, name+"-sign-in")
	page.Fill("#phone", phone)
	page.Click("main form .button")
	page.WaitVisible("#code")
	page.Fill("#code", page.waitCode(code))
	page.Fill("#name", "Karim")
	page.Click("main form .big")
	page.WaitVisible("[data-do=add]")
	checkVisited(page, name+"-none")

	page.SimulatePresence(device, true)
	page.Click("[data-do=add]")
	page.Wait(`document.querySelector("#passkey-name").value !== ""`)
	page.Fill("#passkey-name", "Pixel")
	checkVisited(page, name+"-name")
	page.Click("[data-ask=name] .button")
	page.WaitVisible("#passkey-code")
	right := page.waitCode(code)
	page.Fill("#passkey-code", right[:3]+string('0'+(right[3]-'0'+1)%10))
	page.Press(browsertest.Enter)
	page.WaitVisible(".passkeys [role=alert]")
	page.WaitVisible("#passkey-code")
	checkVisited(page, name+"-code-wrong")
	page.Fill("#passkey-code", right)
	page.Press(browsertest.Enter)
	page.Wait(`document.querySelector("[data-passkey]")?.dataset.name === "Pixel"`)
	page.WaitVisible("[data-do=rename]")
	page.Click("[data-do=rename]")
	page.WaitVisible("#passkey-name")
	page.Fill("#passkey-name", "My phone")
	page.Press(browsertest.Enter)
	page.Wait(`document.querySelector("[data-passkey]")?.dataset.name === "My phone"`)
	page.WaitVisible("[data-do=add]")
	checkVisited(page, name+"-list")

	page.SimulatePresence(device, false) // nobody answers at the device until the button is used
	page.Click("form.after .button")
	page.WaitVisible("[data-do=sign-in]")
	page.SimulatePresence(device, true)
	page.Click("[data-do=sign-in]")
	page.WaitVisible("[data-do=remove]")
	page.Wait(`document.querySelector("[data-passkey] .quiet").textContent.match(/202|২০২/)`) // its last use

	testBuyerPasskeyAnswers(t, page)
	page.Click("[data-do=remove]")
	page.Wait(`!document.querySelector("[data-passkey]") && !document.querySelector(".passkeys[hidden]")`)
	page.SimulatePresence(device, false)
	page.Click("form.after .button")
	page.WaitVisible("[data-do=sign-in]")
	page.SimulatePresence(device, true)
	page.Click("[data-do=sign-in]")
	page.WaitVisible(".passkeys [role=alert]") // the device still has what was removed
	checkVisited(page, name+"-removed")
}

// testBuyerPasskeyAnswers sends answers of the browser's own passkey that must not sign in.
func testBuyerPasskeyAnswers(t *testing.T, page *window) {
	t.Helper()
	const script = `(async () => {
		const path = document.querySelector("[data-passkeys]").dataset.passkeys
		const post = async (fields) => {
			const answer = await fetch(path, {method: "POST", body: new URLSearchParams(fields)})
			return {status: answer.status, body: await answer.json()}
		}
		const sign = async (options) =>
			(await navigator.credentials.get({publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options)})).toJSON()
		const use = async (credential) => (await post({do: "sign-in", credential: JSON.stringify(credential)})).status
		const own = await sign((await post({do: "begin-sign-in"})).body)
		const proof = await sign((await post({do: "prove"})).body)
		const {clientDataJSON, authenticatorData, signature, userHandle} = own.response
		const elsewhere = await fetch("/api/v1/auth/passkey", {method: "POST",
			headers: {"Content-Type": "application/json", "x-tenant": "other"},
			body: JSON.stringify({credential: {id: own.id, clientDataJSON, authenticatorData, signature, userHandle}})})
		return {purpose: await use(proof), otherShop: elsewhere.status, own: await use(own), replayed: await use(own)}
	})()`
	var got map[string]int
	page.Eval(script, &got)
	for what, status := range map[string]int{"purpose": 422, "otherShop": 401, "own": 200, "replayed": 422} {
		if got[what] != status {
			t.Errorf("%s: got status %d, want %d", what, got[what], status)
		}
	}
}

// Nothing of passkeys shows at an IP address, or at a host that is not the canonical one.
func TestBuyer_WithoutPasskeys(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--rate", "0", "--data", demoData(t))
	page, site := newVisitor(t, p, 360, "light")
	for _, at := range []string{p.url, site} {
		page.Go(at + "/account")
		page.WaitVisible("#phone")
		page.Wait(`document.documentElement.classList.contains("scripted") && !document.querySelector(".passkeys:not([hidden])")`)
		page.Wait(`document.querySelector("#phone").autocomplete === "tel"`)
	}
}
