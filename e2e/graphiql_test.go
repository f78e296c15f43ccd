package e2e

import (
	"encoding/json"
	"fmt"
	"testing"

	"storefront/e2e/browsertest"
)

// TestGraphiQL_Browser opens the page that the demo serves and runs each of its example tabs as it
// stands, in their order.
func TestGraphiQL_Browser(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	page := browsertest.Open(t)
	p := serve(t, "--dev", "--data", demoData(t))
	page.Go(p.url + "/graphql")
	page.Wait(`document.querySelectorAll(".graphiql-tab").length === 10`)
	for i, tab := range []string{"Products", "Product", "Shop", "Register", "Login", "Quote", "Place", "MyOrders", "Track", "WebhookUrls"} {
		page.Eval(fmt.Sprintf(`document.querySelectorAll(".graphiql-tab .graphiql-tab-button")[%d].click() ?? true`, i), nil)
		// GraphiQL reads the operation's name a moment after the tab is there.
		page.Wait(fmt.Sprintf(`document.querySelector(".graphiql-query-editor .CodeMirror").CodeMirror.operationName === %q`, tab))
		page.Click(".graphiql-execute-button")
		const result = `document.querySelector(".result-window .CodeMirror").CodeMirror.getValue()`
		page.Wait(result + ` !== "" && !document.querySelector(".graphiql-spinner")`)
		var text string
		page.Eval(result, &text)
		var answer struct {
			Data   map[string]any
			Errors []any
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Errors) > 0 {
			t.Errorf("%s: %v %s", tab, err, text)
		}
		for name, value := range answer.Data {
			if value == nil {
				t.Errorf("%s: %s is null: %s", tab, name, text)
			}
		}
		page.Screenshot(fmt.Sprintf("graphiql-%02d-%s", i, tab))
	}

	// On a phone the answer is below the editors, as wide as the page.
	page.Resize(360, 740)
	const box = `document.querySelector("%s").getBoundingClientRect()`
	editor, result := fmt.Sprintf(box, ".graphiql-query-editor"), fmt.Sprintf(box, ".graphiql-response")
	page.Wait(editor + ".width >= 300 && " + result + ".width >= 300 && " + result + ".height >= 300")
	page.Wait(result + ".top >= " + editor + ".bottom")
	page.Wait(`document.documentElement.scrollWidth <= innerWidth`)
	page.FullScreenshot("graphiql-phone")
}
