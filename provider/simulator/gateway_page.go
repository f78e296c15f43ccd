package simulator

import (
	"crypto/rand"
	_ "embed"
	"html/template"
	"net/http"
)

//go:embed page.html
var pageHTML string

// paymentPage is the payment page. For gateway_a it also posts the browser back to the shop.
var paymentPage = template.Must(template.New("page").Parse(pageHTML))

type pageData struct {
	Gateway, Amount, Currency, Invoice string
	Payment                            string  // the gateway's ID
	Return                             *Return // set once the buyer has acted
	Nonce                              string  // of the page's own scripts, set by render
}

func (s *Simulator) showPage(w http.ResponseWriter, r *http.Request) {
	p, ok := s.find(r.PathValue("id"))
	if !ok {
		http.Error(w, "Unknown payment. The simulator loses its payments when it stops.", http.StatusNotFound)
		return
	}
	render(w, pageData{Gateway: p.gateway, Amount: p.amount, Currency: p.currency, Invoice: p.invoice, Payment: p.id})
}

// submitPage performs the buyer's action and sends the browser back to the shop.
func (s *Simulator) submitPage(w http.ResponseWriter, r *http.Request) {
	ret, err := s.Finish(r.Context(), r.PathValue("id"), Result(r.FormValue("result")))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if ret.Method == http.MethodGet {
		http.Redirect(w, r, ret.URL, http.StatusFound)
		return
	}
	render(w, pageData{Return: &ret})
}

func render(w http.ResponseWriter, data pageData) {
	data.Nonce = rand.Text()
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	// The form's action is not restricted: it sends the browser to the shop, at any address.
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'nonce-"+data.Nonce+
		"'; base-uri 'none'; frame-ancestors 'none'")
	_ = paymentPage.Execute(w, data) // the client may be gone
}
