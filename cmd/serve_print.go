package cmd

import (
	"fmt"
)

// serverInfo describes a started server.
type serverInfo struct {
	Address   string    `json:"address"`
	URL       string    `json:"url"`       // for clients on this machine
	PublicURL string    `json:"publicUrl"` // "" if not set
	Site      string    `json:"site"`      // URL of the demo shop's pages; "" without --dev
	DataDir   string    `json:"dataDir"`
	Metrics   string    `json:"metrics"`   // URL for Prometheus; "" without --metrics-listen
	SMSPage   string    `json:"smsPage"`   // URL of the page of text messages and e-mails; "" without --dev
	Simulator string    `json:"simulator"` // URL of the simulated providers; "" without --dev
	DemoLink  string    `json:"demoLink"`  // signs in to the dashboard as the demo's owner; "" without --dev
	SetupLink string    `json:"setupLink"` // creates the first shop in the dashboard; "" if there is one, or no dashboard
	Demo      *demoCart `json:"demo"`      // null without --dev

	dashboard string // public URL with a host name that serves the dashboard
}

// reach returns ", on this machine only" for a server that other machines cannot reach.
func (s serverInfo) reach() string {
	if checkLoopback(s.Address) != nil {
		return ""
	}
	return ", on this machine only"
}

// printServerInfo prints the URLs of a started server and, with --dev, commands to run.
//
// A JSON log contains the start too. Then text is printed on a terminal only, so that a collector
// of both outputs gets only JSON. The link to create the first shop is always printed, since no log
// may contain it.
func (a *app) printServerInfo(s serverInfo, logFormat string) error {
	if a.json { // one line, so that a program can wait for the server
		if err := encode(a.Stdout, s, ""); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		return nil
	}
	if s.Demo == nil && s.SetupLink == "" && logFormat == "json" && !terminal(a.Stdout) {
		return nil
	}
	return a.print(nil, func(w *table) {
		if s.Demo == nil {
			fmt.Fprintf(w, "Storefront is listening at %s%s.\n", s.URL, s.reach())
			if s.Metrics != "" {
				fmt.Fprintf(w, "Metrics are available at %s.\n", s.Metrics)
			}
			if s.SetupLink != "" {
				fmt.Fprintf(w, "There is no shop yet. Create the first one, within 24 hours:\n  %s\n", s.SetupLink)
			}
			return
		}
		fmt.Fprintf(w, "Storefront is running with the demo shop %q, on this machine only.\n\n", demoUID)
		if s.DemoLink != "" {
			fmt.Fprintf(w, "  Dashboard, which this link opens as the demo's owner:\n  %s\n\n", s.DemoLink) // too long for the table
		}
		row(w, "  Site", s.Site+"/", "(the shop's pages: open in a browser)")
		row(w, "  API reference", s.URL+"/docs", "(REST, interactive)")
		row(w, "  GraphiQL", s.URL+"/graphql", "(GraphQL, interactive)")
		row(w, "  REST API", s.URL+"/api/v1/products", "(header x-tenant: "+demoUID+")")
		row(w, "  Admin API", s.URL+"/admin/docs", "(for the merchant's programs)")
		row(w, "  SMS preview", s.SMSPage, "(text messages and e-mails are shown here instead of sent)")
		row(w, "  Providers", s.Simulator, "(simulated couriers and gateways)")
		row(w, "  Data folder", s.DataDir)
		fmt.Fprint(w, "\nRun in another terminal to search products, query GraphQL and place an order:\n\n")
		for _, command := range s.Demo.commands(s.URL) {
			fmt.Fprintf(w, "  %s\n\n", command)
		}
		fmt.Fprintf(w, "For a shop of your own: %s. Press Ctrl-C to stop the server.\n", a.command("tenant create UID --name NAME"))
	})
}
