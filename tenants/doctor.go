package tenants

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"storefront/db"
	"storefront/provider/simulator"
	"storefront/shop"
)

// Finding is one thing that was examined.
type Finding struct {
	Name    string `json:"name"`
	State   State  `json:"state"`
	Message string `json:"message"`
}

// State says how a finding is.
type State string

// The states of a finding.
const (
	Sound   State = "ok"
	Warning State = "warning" // works, and not for everyone
	Failing State = "failing"
)

// maxSkew is how far our clock may be from the one that our public address tells.
const maxSkew = 30 * time.Second

// Examine looks at whether a shop can be reached by its providers: its file, the public address,
// TLS and the clock behind it, the plugins' settings, and whether the couriers' addresses take a
// call with the shop's secret and refuse another. It touches no order. Codes: tenant_not_found.
func (t *Tenants) Examine(ctx context.Context, uid string) ([]Finding, error) {
	s, err := t.Any(ctx, uid)
	if err != nil {
		return nil, err
	}
	var list []Finding
	add := func(name string, state State, format string, args ...any) {
		list = append(list, Finding{name, state, fmt.Sprintf(format, args...)})
	}
	faults, err := t.store.Check(ctx, db.ID(uid))
	switch {
	case err != nil:
		return nil, fmt.Errorf("check the shop's file: %w", err)
	case len(faults) > 0:
		add("file", Failing, "%s", strings.Join(faults, "; "))
	default:
		add("file", Sound, "The shop's file is whole.")
	}
	list = append(list, t.examineAddress(ctx)...)
	plugins, err := s.FindPlugins(ctx, shop.Caller{Operator: true})
	if err != nil {
		return nil, err
	}
	for _, plugin := range plugins {
		list = append(list, t.examinePlugin(ctx, s, plugin)...)
	}
	return list, nil
}

// examineAddress calls our own public address.
func (t *Tenants) examineAddress(ctx context.Context) []Finding {
	address, err := url.Parse(t.public)
	switch {
	case err != nil || address.Host == "":
		return []Finding{{"public address", Failing, "There is none: set STOREFRONT_API_PUBLIC_URL to the server's address."}}
	case IsLocal(t.public):
		return append([]Finding{{"public address", Warning,
			t.public + " is an address of this machine or network: providers can not reach it. Set STOREFRONT_API_PUBLIC_URL."}}, t.examineAnswer(ctx)...)
	case address.Scheme != "https":
		return append([]Finding{{"public address", Warning, t.public + " is not https: providers refuse it, and secrets travel in the clear."}}, t.examineAnswer(ctx)...)
	}
	return append([]Finding{{"public address", Sound, t.public}}, t.examineAnswer(ctx)...)
}

func (t *Tenants) examineAnswer(ctx context.Context) []Finding {
	answer, err := t.ask(ctx, http.MethodGet, t.public+"/healthz", nil, nil)
	if err != nil {
		return []Finding{{"reach", Failing, "The public address does not answer: " + err.Error()}}
	}
	list := []Finding{{"reach", Sound, "The public address answers."}}
	if answer.Status != http.StatusOK || answer.Header.Get("X-Api-Version") == "" {
		list[0] = Finding{"reach", Failing, fmt.Sprintf("Something else answers at the public address, with %d.", answer.Status)}
	}
	told, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return list
	}
	if skew := t.now().Sub(told).Abs(); skew > maxSkew {
		return append(list, Finding{"clock", Failing, fmt.Sprintf("The clock of this machine differs by %s from the one of the public address.", skew.Round(time.Second))})
	}
	return append(list, Finding{"clock", Sound, "The clock is right."})
}

// IsLocal reports whether an address can be reached from this machine or network only.
func IsLocal(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	host := u.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified()
	}
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".localhost")
}

// examinePlugin looks at a plugin's settings and, for a courier, at its address.
func (t *Tenants) examinePlugin(ctx context.Context, s *shop.Shop, plugin shop.PluginStatus) (list []Finding) {
	name := string(plugin.Provider)
	if !plugin.Configured {
		return []Finding{{name, Sound, "Not configured."}}
	}
	hears := false
	for _, can := range plugin.Capabilities {
		if can.Ready {
			hears = hears || can.Name == shop.CanHear
			list = append(list, Finding{name + " " + string(can.Name), Sound, "All its settings are there."})
			continue
		}
		list = append(list, Finding{name + " " + string(can.Name), Warning, "Not set: " + strings.Join(can.Missing, ", ") + "."})
	}
	if hears && (plugin.Provider == shop.CourierA || plugin.Provider == shop.CourierB) {
		list = append(list, t.examineCourier(ctx, s, plugin.Provider))
	}
	return list
}

// examineCourier makes a call that touches no order, and one that is to be refused.
func (t *Tenants) examineCourier(ctx context.Context, s *shop.Shop, courier shop.Provider) Finding {
	name := string(courier) + " address"
	trial, err := t.tryCourier(ctx, s, courier, simulator.CourierTrial(courier), "", false)
	if err != nil {
		return Finding{name, Failing, err.Error()}
	}
	if trial.Status != http.StatusOK && trial.Status != http.StatusAccepted {
		return Finding{name, Failing, fmt.Sprintf("%s refuses the shop's own secret with %d: is it another server, or another data folder?", trial.URL, trial.Status)}
	}
	forged, err := t.tryCourier(ctx, s, courier, simulator.CourierTrial(courier), "", true)
	if err != nil {
		return Finding{name, Failing, err.Error()}
	}
	if forged.Status != http.StatusUnauthorized {
		return Finding{name, Failing, fmt.Sprintf("%s takes a wrong secret, with %d.", trial.URL, forged.Status)}
	}
	return Finding{name, Sound, trial.URL + " takes the shop's secret and refuses another."}
}
