package cmd

import (
	"fmt"
	"io"
)

// serverInfo describes a started server.
type serverInfo struct {
	Address   string    `json:"address"`
	URL       string    `json:"url"`       // for clients on this machine
	PublicURL string    `json:"publicUrl"` // "" if not set
	DataDir   string    `json:"dataDir"`
	Metrics   string    `json:"metrics"`   // URL for Prometheus; "" without --metrics-listen
	SMSPage   string    `json:"smsPage"`   // URL of the page of text messages; "" without --dev
	Simulator string    `json:"simulator"` // URL of the simulated providers; "" without --dev
	Demo      *demoCart `json:"demo"`      // null without --dev
}

// reach returns ", on this machine only" for a server that other machines cannot reach.
func (s serverInfo) reach() string {
	if checkLoopback(s.Address) != nil {
		return ""
	}
	return ", on this machine only"
}

// printServerInfo prints the URLs of a started server and, with --dev, commands to run.
func (a *app) printServerInfo(s serverInfo) error {
	if a.json { // one line, so that a program can wait for the server
		if err := encode(a.Stdout, s, ""); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		return nil
	}
	return a.print(nil, func(w io.Writer) {
		if s.Demo == nil {
			fmt.Fprintf(w, "Storefront is listening at %s%s.\n", s.URL, s.reach())
			if s.Metrics != "" {
				fmt.Fprintf(w, "Metrics are available at %s.\n", s.Metrics)
			}
			return
		}
		fmt.Fprintf(w, "Storefront is running with the demo shop %q, on this machine only.\n\n", demoUID)
		row(w, "  Storefront", s.URL+"/", "(open in a browser)")
		row(w, "  API reference", s.URL+"/docs", "(REST, interactive)")
		row(w, "  GraphiQL", s.URL+"/graphql", "(GraphQL, interactive)")
		row(w, "  REST API", s.URL+"/api/v1/products", "(header x-tenant: "+demoUID+")")
		row(w, "  SMS preview", s.SMSPage, "(text messages are shown here instead of sent)")
		row(w, "  Providers", s.Simulator, "(simulated couriers and gateways)")
		row(w, "  Data folder", s.DataDir)
		fmt.Fprint(w, "\nRun in another terminal to search products, query GraphQL and place an order:\n\n")
		for _, command := range s.Demo.commands(s.URL) {
			fmt.Fprintf(w, "  %s\n\n", command)
		}
	})
}
