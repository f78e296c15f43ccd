package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"syscall"
	"time"

	"storefront/provider/simulator"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/plugin"
	"storefront/tenants"
)

// startSimulator serves the simulated providers of --dev and stores their URL in info. Without
// --dev it does nothing and returns no simulator.
func (a *app) startSimulator(f serveFlags, in listeners, log *slog.Logger, info *serverInfo) (sim *simulator.Simulator, stop func(), err error) {
	if !f.dev {
		return nil, func() {}, nil
	}
	sim = simulator.New()
	info.Simulator, stop, err = a.serveSimulator(sim, f.developmentAddress(in, 2), log)
	return sim, stop, err
}

// developmentAddress returns the address of another listener of --dev: on loopback, at the API's
// port plus offset. If the API's port is a free one, so is the other.
func (f serveFlags) developmentAddress(in listeners, offset int) string {
	_, wanted, _ := net.SplitHostPort(f.address())
	api, ok := in.addr().(*net.TCPAddr)
	if !ok || wanted == "0" || api.Port+offset > math.MaxUint16 {
		return "127.0.0.1:0"
	}
	return fmt.Sprintf("127.0.0.1:%d", api.Port+offset)
}

// listenNear listens at address, or at a free port if another program uses it. It logs the change.
func listenNear(address, service string, log *slog.Logger) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return listener, err
	}
	if listener, err = net.Listen("tcp", "127.0.0.1:0"); err == nil {
		log.Warn("port in use, another one chosen", "service", service, "inUse", address, "address", listener.Addr().String())
	}
	return listener, err
}

// serveSimulator serves the simulated providers on a loopback listener of their own and makes the
// shops of this process use them, except for the providers in --provider-url.
func (a *app) serveSimulator(sim *simulator.Simulator, listen string, log *slog.Logger) (address string, stop func(), err error) {
	listener, err := listenNear(listen, "simulated providers", log)
	if err != nil {
		return "", nil, fmt.Errorf("listen for simulated providers: %w", err)
	}
	s := &http.Server{Handler: sim.Handler(), ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(listener) // returns after Close
	}()
	address = localURL(listener.Addr())
	var urls []string
	for provider, base := range simulator.Addresses(address) {
		for _, mode := range []plugin.Mode{plugin.Live, plugin.Sandbox} {
			urls = append(urls, fmt.Sprintf("%s:%s=%s", provider, mode, base))
		}
	}
	urls = append(urls, "meta="+address+"/meta", "tiktok="+address+"/tiktok")
	a.providerURLs = append(urls, a.providerURLs...) // later entries override earlier ones
	a.privateProviders = true
	return address, func() {
		_ = s.Close()
		<-done
	}, nil
}

// demoCredentials are the demo shop's credentials at the simulated providers.
var demoCredentials = map[plugin.Provider]map[string]string{
	plugin.CourierA: {
		"webhook_secret": "simulated", "client_id": "demo", "client_secret": "simulated", "username": "demo@example.com",
		"password": "simulated", "store_id": "1",
	},
	plugin.CourierB: {"webhook_token": "simulated", "api_key": "simulated", "secret_key": "simulated"},
	plugin.GatewayA: {
		"store_id": "demo", "store_password": "simulated", "sandbox_store_id": "demo-test", "sandbox_store_password": "simulated-test",
	},
	plugin.GatewayB: {
		"username": "demo", "password": "simulated", "app_key": "simulated", "app_secret": "simulated",
		"sandbox_username": "demo-test", "sandbox_password": "simulated", "sandbox_app_key": "simulated", "sandbox_app_secret": "simulated",
	},
}

// configureDemo configures the demo shop's providers that are not configured yet.
func configureDemo(ctx context.Context, t *tenants.Tenants) error {
	s, err := t.FindIncludingSuspended(ctx, demoUID)
	if err != nil {
		return err
	}
	operator := access.Operator()
	plugins, err := s.ListPlugins(ctx, operator)
	if err != nil {
		return err
	}
	for _, plugin := range plugins {
		credentials := demoCredentials[plugin.Provider]
		if plugin.Configured || credentials == nil {
			continue
		}
		changes := make(map[string]json.RawMessage, len(credentials))
		for name, value := range credentials {
			if changes[name], err = json.Marshal(value); err != nil {
				return fmt.Errorf("configure %s: %w", plugin.Provider, err)
			}
		}
		if _, err := s.ConfigurePlugin(ctx, operator, plugin.Provider, changes); err != nil {
			return fmt.Errorf("configure %s: %w", plugin.Provider, err)
		}
		if _, err := s.ValidatePlugin(ctx, operator, plugin.Provider); err != nil {
			return fmt.Errorf("check %s: %w", plugin.Provider, err)
		}
	}
	return configureDemoAdvertisers(ctx, s)
}

// configureDemoAdvertisers stores the access tokens of the demo shop's advertisers that have none.
func configureDemoAdvertisers(ctx context.Context, s *shop.Shop) error {
	advertisers, err := s.Conversions.ListReceivers(ctx, access.Operator())
	if err != nil {
		return err
	}
	for _, a := range advertisers {
		if a.HasToken {
			continue
		}
		if _, err := s.Conversions.SetReceiverToken(ctx, access.Operator(), a.Receiver, "simulated"); err != nil {
			return fmt.Errorf("configure %s: %w", a.Receiver, err)
		}
	}
	return nil
}

// restoreProviders recreates the demo shop's shipments and payments of earlier starts in the
// simulators.
func restoreProviders(ctx context.Context, t *tenants.Tenants, sim *simulator.Simulator) error {
	s, err := t.FindIncludingSuspended(ctx, demoUID)
	if err != nil {
		return err
	}
	if err := sim.Restore(ctx, s); err != nil {
		return fmt.Errorf("restore simulated providers: %w", err)
	}
	return nil
}
