package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"

	"storefront/provider/simulator"
	"storefront/shop"
	"storefront/tenants"
)

// simulatorListen is where the simulated providers answer, unless the port is taken.
const simulatorListen = "127.0.0.1:8082"

// serveSimulator has simulated providers answer on a loopback listener of their own, and the shops
// of this process call them; a provider that --provider-url names is called there.
func (a *app) serveSimulator() (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", simulatorListen)
	if errors.Is(err, syscall.EADDRINUSE) {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return "", nil, fmt.Errorf("listen for the simulated providers: %w", err)
	}
	s := &http.Server{Handler: simulator.New().Handler(), ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(listener) // ends by Close
	}()
	address = localURL(listener.Addr())
	var urls []string
	for provider, base := range simulator.Addresses(address) {
		for _, mode := range []shop.Mode{shop.Live, shop.Sandbox} {
			urls = append(urls, fmt.Sprintf("%s:%s=%s", provider, mode, base))
		}
	}
	a.providerURLs = append(urls, a.providerURLs...) // the operator's own come later and win
	a.privateProviders = true
	return address, func() {
		_ = s.Close()
		<-done
	}, nil
}

// demoCredentials let the demo shop work with the simulated providers.
var demoCredentials = map[shop.Provider]map[string]string{
	shop.CourierA: {
		"webhook_secret": "simulated", "client_id": "demo", "client_secret": "simulated", "username": "demo@example.com",
		"password": "simulated", "store_id": "1",
	},
	shop.CourierB: {"webhook_token": "simulated", "api_key": "simulated", "secret_key": "simulated"},
	shop.GatewayA: {
		"store_id": "demo", "store_password": "simulated", "sandbox_store_id": "demo-test", "sandbox_store_password": "simulated-test",
	},
	shop.GatewayB: {
		"username": "demo", "password": "simulated", "app_key": "simulated", "app_secret": "simulated",
		"sandbox_username": "demo-test", "sandbox_password": "simulated", "sandbox_app_key": "simulated", "sandbox_app_secret": "simulated",
	},
}

// configureDemo configures the providers of the demo shop that are not configured yet.
func configureDemo(ctx context.Context, t *tenants.Tenants) error {
	s, err := t.FindIncludingSuspended(ctx, demoUID)
	if err != nil {
		return err
	}
	operator := shop.Caller{Operator: true}
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
	}
	return nil
}
