package simulator

import (
	"html/template"
	"net/http"
)

// page is where a person pays, and where the browser posts itself back to the shop as gateway_a has
// it do.
var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Simulated payment</title>
<style>
body { font: 1.05rem/1.6 system-ui, sans-serif; max-width: 28rem; margin: 12vh auto; padding: 0 1rem }
button { font: inherit; display: block; width: 100%; margin: .6rem 0; padding: .7rem; cursor: pointer }
</style>
{{if .Back}}
<form id="back" method="{{.Back.Method}}" action="{{.Back.URL}}">
{{range $name, $values := .Back.Form}}{{range $values}}<input type="hidden" name="{{$name}}" value="{{.}}">
{{end}}{{end}}<button>Go back to the shop</button>
</form>
<script>document.getElementById("back").submit()</script>
{{else}}
<h1>{{.Amount}} {{.Currency}}</h1>
<p>Simulated {{.Gateway}}, order {{.Invoice}}. No money moves. Close the tab to leave the payment open.</p>
<form method="post">
<button id="pay" name="result" value="pay">Pay</button>
<button id="fail" name="result" value="fail">Let it fail</button>
<button id="cancel" name="result" value="cancel">Cancel</button>
</form>
<script>
// An address that ends in #pay, #fail or #cancel does it at once: for scripts that drive a browser.
const wanted = document.getElementById(location.hash.slice(1))
if (wanted) wanted.click()
</script>
{{end}}
</html>
`))

type pageData struct {
	Gateway, Amount, Currency, Invoice string
	Back                               *Back
}

func (s *Simulator) showPage(w http.ResponseWriter, r *http.Request) {
	p, ok := s.find(r.PathValue("id"))
	if !ok {
		http.Error(w, "There is no such payment: the simulator forgets them when it ends.", http.StatusNotFound)
		return
	}
	render(w, pageData{Gateway: p.gateway, Amount: p.amount, Currency: p.currency, Invoice: p.invoice})
}

// leavePage does what the buyer chose and sends the browser back.
func (s *Simulator) leavePage(w http.ResponseWriter, r *http.Request) {
	back, err := s.Finish(r.Context(), r.PathValue("id"), Result(r.FormValue("result")))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if back.Method == http.MethodGet {
		http.Redirect(w, r, back.URL, http.StatusFound)
		return
	}
	render(w, pageData{Back: &back})
}

func render(w http.ResponseWriter, data pageData) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = page.Execute(w, data) // who has gone does not read it
}
