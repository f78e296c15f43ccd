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
		ready := t.Ready(context.Background()) == nil
		w.Gauge("storefront_ready", "1: the shops can be served; 0: /readyz and the log say why not.", flag(ready))
	})
}

// watchBackups tells at each scrape how the copies by plan go.
func watchBackups(m *metrics.Metrics, t *tenants.Tenants) {
	m.Collect(func(w *metrics.Writer) {
		status := t.BackupStatus()
		w.Gauge("storefront_backup_last_success_timestamp_seconds", "When all shops last had a copy as new as the plan wants; 0: not since the start.", seconds(status.LastSuccess))
		w.Gauge("storefront_backup_shops_failing", "Shops that could not be copied when it was last tried.", float64(status.Failing))
	})
}

// watchReplication tells at each scrape how far the replica is behind.
func watchReplication(m *metrics.Metrics, t *tenants.Tenants) {
	m.Collect(func(w *metrics.Writer) {
		status, _ := t.Replication()
		w.Gauge("storefront_replica_shops", "Shops whose changes are followed: those that are open.", float64(status.Attached))
		w.Gauge("storefront_replica_shops_pending", "Shops with commits that are not in the replica yet.", float64(status.Pending))
		w.Gauge("storefront_replica_lag_seconds", "Age of the oldest commit that is not in the replica yet.", status.Lag.Seconds())
		w.Gauge("storefront_replica_last_upload_timestamp_seconds", "When something last reached the replica; 0: not since the start.", seconds(status.LastUpload))
		w.Gauge("storefront_replica_failing", "1: the replica is out of reach or takes nothing, as the log says; 0: it is well.", flag(status.Failing))
	})
}

// watchCertificates tells at each scrape when certificates run out: of the server's own names one by
// one, of the shops' names, which can be any number, the first alone.
func watchCertificates(m *metrics.Metrics, c *server.Certificates) {
	m.Collect(func(w *metrics.Writer) {
		const name, help = "storefront_certificate_expiry_timestamp_seconds", "When a certificate runs out, of the shops' the first one; 0: the name has none."
		held := map[bool]int{}
		var first time.Time
		for _, e := range c.Expiries() {
			if !e.NotAfter.IsZero() {
				held[e.Own]++
			}
			if e.Own {
				w.Gauge(name, help, seconds(e.NotAfter), "of", "server", "name", e.Name)
			} else if first.IsZero() || e.NotAfter.Before(first) {
				first = e.NotAfter
			}
		}
		if !first.IsZero() {
			w.Gauge(name, help, seconds(first), "of", "shops")
		}
		const count, counted = "storefront_certificates", "Certificates in memory; of shops: those asked for since the start."
		w.Gauge(count, counted, float64(held[true]), "of", "server")
		w.Gauge(count, counted, float64(held[false]), "of", "shops")
	})
}

// seconds gives a time as Prometheus has it; 0 for none.
func seconds(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return float64(at.UnixMilli()) / 1000
}

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
