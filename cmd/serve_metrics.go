package cmd

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"storefront/server"
	"storefront/server/metrics"
	"storefront/tenants"
)

// checkMetricsListen refuses an address that would show metrics and profiles on every network that
// the machine is in, without anybody having said so.
func checkMetricsListen(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--metrics-listen %s is no address with a port, such as 127.0.0.1:9090", address)
	}
	if host == "localhost" {
		return nil
	}
	if _, err := netip.ParseAddr(host); err != nil {
		return fmt.Errorf("--metrics-listen %s would tell everyone: name the one address to listen on, such as 127.0.0.1:9090", address)
	}
	return nil
}

// serveMetrics answers the operator's own programs on a listener of its own, if there is to be one,
// and notes its address in started.
func serveMetrics(address string, m *metrics.Metrics, started *serving) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, listenFailure(address, err)
	}
	web := &http.Server{Handler: m.Handler(), ReadHeaderTimeout: 10 * time.Second} // a profile may take minutes
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = web.Serve(listener) // ends by Close
	}()
	started.Metrics = localURL(listener.Addr()) + "/metrics"
	return func() {
		_ = web.Close()
		<-done
	}, nil
}

// watchServer tells at each scrape how the prepared answers do.
func watchServer(m *metrics.Metrics, s *server.Server) {
	m.Collect(func(w *metrics.Writer) {
		stats := s.Prepared()
		const name, help = "storefront_prepared_answers_total", "Questions for prepared answers; hit: it was there."
		w.Counter(name, help, float64(stats.Hits), "result", "hit")
		w.Counter(name, help, float64(stats.Misses), "result", "miss")
		w.Gauge("storefront_prepared_bytes", "Memory of prepared answers.", float64(stats.Bytes))
	})
}

// watchTenants tells at each scrape what the shops' files and their disk are like.
func watchTenants(m *metrics.Metrics, t *tenants.Tenants, maxOpen int) {
	m.Collect(func(w *metrics.Writer) {
		stats := t.Stats()
		w.Gauge("storefront_tenants_open", "Shops whose files are open.", float64(stats.Open))
		w.Gauge("storefront_tenants_open_limit", "Shops whose files may stay open at once.", float64(maxOpen))
		w.Counter("storefront_tenants_opened_total", "Openings of shops' files.", float64(stats.Opened))
		w.Counter("storefront_tenants_evicted_total", "Shops' files closed to make room for others.", float64(stats.Evicted))
		w.Gauge("storefront_writer_queue", "Updates that wait for a shop's writer.", float64(stats.Queued))
		w.Gauge("storefront_readers_free", "Reading connections that are open and free.", float64(stats.Readers))
		if disk, err := t.Disk(); err == nil {
			w.Gauge("storefront_disk_free_bytes", "Room on the disk of the data folder.", float64(disk.Free))
			w.Gauge("storefront_disk_size_bytes", "Size of the disk of the data folder.", float64(disk.Size))
		}
		ready := 0.0
		if t.Ready(context.Background()) == nil {
			ready = 1
		}
		w.Gauge("storefront_ready", "1: the shops can be served; 0: /readyz and the log say why not.", ready)
	})
}
