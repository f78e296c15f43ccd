package cmd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/tenants"
)

// healthTimeout limits a health check.
const healthTimeout = 5 * time.Second

func newHealthCommand(a *app) *cobra.Command {
	var live bool
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Check that the server of the data folder is ready, for containers",
		Long: `Request /readyz of the server that runs on the data folder, at the address where it listens, and fail
unless it responds with 200. With --live, request /healthz, which responds while the process works even
if the disk is full.`,
		Example: "  storefront health",
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := "/readyz"
			if live {
				path = "/healthz"
			}
			return a.checkHealth(cmd.Context(), path)
		},
	}
	cmd.Flags().BoolVar(&live, "live", false, "check only that the process responds")
	return cmd
}

func (a *app) checkHealth(ctx context.Context, path string) error {
	if err := a.requireDataDir(); err != nil {
		return err
	}
	server := a.server()
	if server == nil {
		return errors.New("no server runs on the data folder, or it is still starting")
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	response, err := requestServer(ctx, server, path)
	if err != nil {
		return fmt.Errorf("request %s: %w", path, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("request %s: %w", path, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server responds to %s with %s: %s", path, response.Status, strings.TrimSpace(printable(string(body))))
	}
	return a.print(map[string]string{"health": "ok"}, func(w *table) { fmt.Fprintln(w, "The server is healthy.") })
}

// requestServer sends a GET request to the listener of a running server.
func requestServer(ctx context.Context, server *tenants.ServerRecord, path string) (*http.Response, error) {
	network, address, _ := strings.Cut(server.Listen, ":")
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, reachable(address))
		},
		// The listener of this machine is reached by its address, and may have a certificate of a staging
		// authority. No secret is sent.
		TLSClientConfig: &tls.Config{ServerName: server.TLSName, InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}, //nolint:gosec
	}
	url := "http://localhost" + path
	if server.TLSName != "" {
		url = "https://" + server.TLSName + path
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return transport.RoundTrip(req)
}

// reachable returns the address at which a client on this machine reaches a listener: loopback, if
// it listens on all networks.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address // of a Unix socket
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}
