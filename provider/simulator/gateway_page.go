package simulator

import (
	_ "embed"
	"html/template"
	"net/http"
)

//go:embed page.html
var pageHTML string

// page is where a person pays, and where the browser posts itself back to the shop as gateway_a has
// it do.
var page = template.Must(template.New("page").Parse(pageHTML))

type pageData struct {
	Gateway, Amount, Currency, Invoice string
	Payment                            string  // the gateway's own name for it
	Return                             *Return // not nil: the buyer has decided
}

func (s *Simulator) showPage(w http.ResponseWriter, r *http.Request) {
	p, ok := s.find(r.PathValue("id"))
	if !ok {
		http.Error(w, "There is no such payment: the simulator forgets them when it ends.", http.StatusNotFound)
		return
	}
	render(w, pageData{Gateway: p.gateway, Amount: p.amount, Currency: p.currency, Invoice: p.invoice, Payment: p.id})
}

// submitPage does what the buyer chose and sends the browser back.
func (s *Simulator) submitPage(w http.ResponseWriter, r *http.Request) {
	back, err := s.Finish(r.Context(), r.PathValue("id"), Result(r.FormValue("result")))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if back.Method == http.MethodGet {
		http.Redirect(w, r, back.URL, http.StatusFound)
		return
	}
	render(w, pageData{Return: &back})
}

func render(w http.ResponseWriter, data pageData) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = page.Execute(w, data) // who has gone does not read it
}
