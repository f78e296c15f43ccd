package cmd

import (
	"fmt"
	"io"
)

// serving is what a started server tells the one who started it.
type serving struct {
	Address   string    `json:"address"`
	URL       string    `json:"url"`       // how this machine reaches it
	PublicURL string    `json:"publicUrl"` // "": not set
	DataDir   string    `json:"dataDir"`
	Metrics   string    `json:"metrics"`   // where Prometheus asks; "": nowhere
	SMSPage   string    `json:"smsPage"`   // where text messages are shown; "" without --dev
	Simulator string    `json:"simulator"` // where the simulated providers answer; "" without --dev
	Demo      *demoCart `json:"demo"`      // null without --dev
}

// printServing prints one line for programs, or addresses and commands for people.
func (a *app) printServing(s serving) error {
	if a.json { // one line, so that a program can wait for it
		if err := encode(a.Stdout, s, ""); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		return nil
	}
	return a.print(nil, func(w io.Writer) {
		if s.Demo == nil {
			fmt.Fprintf(w, "Storefront answers at %s.\n", s.URL)
			if s.Metrics != "" {
				fmt.Fprintf(w, "Metrics are at %s.\n", s.Metrics)
			}
			return
		}
		fmt.Fprintf(w, "Storefront is ready, with the demo shop %q, for this machine only.\n\n", demoUID)
		row(w, "  Storefront", s.URL+"/", "(open it in a browser)")
		row(w, "  Reference", s.URL+"/docs")
		row(w, "  GraphiQL", s.URL+"/graphql")
		row(w, "  REST", s.URL+"/api/v1/products", "(header x-tenant: "+demoUID+")")
		row(w, "  SMS, not sent", s.SMSPage, "(this machine only)")
		row(w, "  Payments", s.Simulator, "(simulated gateways, this machine only)")
		row(w, "  Data folder", s.DataDir)
		fmt.Fprint(w, "\nTry in another terminal: look around, ask by GraphQL, place an order.\n\n")
		for _, command := range s.Demo.commands(s.URL) {
			fmt.Fprintf(w, "  %s\n\n", command)
		}
	})
}
