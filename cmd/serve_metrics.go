package cmd

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"storefront/server"
	"storefront/server/certificate"
	"storefront/server/metrics"
	"storefront/server/security"
	"storefront/tenants"
)

// checkMetricsListen returns an error for an address without a host, which would expose metrics and
// profiles on all networks of the machine. "" disables the listener.
func checkMetricsListen(address string) error {
	if address == "" {
		return nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--metrics-listen %s must be an address with a port, such as 127.0.0.1:9090", address)
	}
	if host == "localhost" {
		return nil
	}
	if _, err := netip.ParseAddr(host); err != nil {
		return fmt.Errorf("--metrics-listen %s must have an IP address, such as 127.0.0.1:9090, because metrics are not public", address)
	}
	return nil
}

// serveMetrics serves metrics and profiles on a listener of their own and stores its URL in info.
// It does nothing if address is "".
func serveMetrics(address string, m *metrics.Metrics, info *serverInfo) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, withListenHint(address, err)
	}
	web := &http.Server{Handler: m.Handler(), ReadHeaderTimeout: 10 * time.Second} // a profile may take minutes
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = web.Serve(listener) // returns after Close
	}()
	info.Metrics = localURL(listener.Addr()) + "/metrics"
	return func() {
		_ = web.Close()
		<-done
	}, nil
}

// collectServer registers the metrics of prepared responses, of security events, of the memory that
// requests hold and of connections.
func collectServer(m *metrics.Metrics, s *server.Server) {
	m.Collect(func(w *metrics.Writer) {
		stats := s.Prepared()
		const name, help = "storefront_prepared_answers_total", "Requests for prepared responses; a hit was in the cache."
		w.Counter(name, help, float64(stats.Hits), "result", "hit")
		w.Counter(name, help, float64(stats.Misses), "result", "miss")
		w.Gauge("storefront_prepared_bytes", "Memory used by prepared responses.", float64(stats.Bytes))
		attacks := s.SecurityStats()
		for _, event := range security.Events() {
			w.Counter("storefront_security_events_total", "Possible attacks, by event; see the log lines with the message security.",
				float64(attacks.Events[event]), "event", string(event))
		}
		w.Counter("storefront_security_lines_suppressed_total", "Refused requests without a log line, because their client had too many lines.",
			float64(attacks.Suppressed))
		for _, o := range attacks.Offenders {
			w.Gauge("storefront_security_offender_events", "The ten clients with the most security events; an event counts half after ten minutes.",
				o.Events, "client", o.Client)
		}
		memory, connections := s.Memory(), s.Connections()
		w.Gauge("storefront_request_memory_bytes", "Memory held by the bodies of requests and by responses being sent.", float64(memory.Used))
		w.Gauge("storefront_request_memory_limit_bytes", "Limit on storefront_request_memory_bytes.", float64(memory.Limit))
		w.Counter("storefront_request_memory_refused_total", "Requests refused with 503 because of that limit or a client's share of it.",
			float64(memory.Refused))
		w.Gauge("storefront_connections_open", "Open connections of clients.", float64(connections.Open))
		w.Gauge("storefront_connections_limit", "Limit on open connections of clients.", float64(connections.Limit))
		w.Counter("storefront_connections_refused_total", "Connections closed immediately because of a limit.", float64(connections.Refused))
	})
}

// collectFiles registers the metrics of the shops' files and of their disk.
func collectFiles(m *metrics.Metrics, t *tenants.Tenants, maxOpen int) {
	m.Collect(func(w *metrics.Writer) {
		stats := t.Stats()
		w.Gauge("storefront_tenants_open", "Shops with open files.", float64(stats.Open))
		w.Gauge("storefront_tenants_open_limit", "Limit on shops with open files.", float64(maxOpen))
		w.Counter("storefront_tenants_opened_total", "Number of times a shop's files were opened.", float64(stats.Opened))
		w.Counter("storefront_tenants_evicted_total", "Number of times a shop's files were closed to open another shop's.", float64(stats.Evicted))
		w.Gauge("storefront_writer_queue", "Updates waiting for a shop's writer.", float64(stats.Queued))
		w.Gauge("storefront_readers_free", "Open and idle read connections.", float64(stats.Readers))
		failing := map[tenants.Cause]int{}
		for _, f := range t.Failing() {
			failing[f.Cause]++
		}
		for _, cause := range tenants.Causes() {
			w.Gauge("storefront_tenants_failing", "Shops that could not be served when they were last used, by cause; the log lists them.",
				float64(failing[cause]), "cause", string(cause))
		}
		w.Counter("storefront_tenant_files_removed_total", "Shops with files that were removed or replaced while open.", float64(stats.Removed))
		plans := t.PlanStats()
		for _, name := range slices.Sorted(maps.Keys(plans)) {
			w.Gauge("storefront_plan_shops", "Shops by plan; an empty name means none.", float64(plans[name].Shops), "plan", name)
		}
		for _, name := range slices.Sorted(maps.Keys(plans)) {
			w.Counter("storefront_plan_requests_total", "Requests to shops by their plan.", float64(plans[name].Requests), "plan", name)
		}
		for _, name := range slices.Sorted(maps.Keys(plans)) {
			w.Counter("storefront_plan_orders_total", "Orders placed in shops by plan, without test orders.", float64(plans[name].Orders), "plan", name)
		}
		for _, name := range slices.Sorted(maps.Keys(plans)) {
			if name == "" {
				continue
			}
			for _, percent := range []int{80, 100} {
				w.Gauge("storefront_plan_shops_near_limit", "Shops that were warned this month of a limit of their plan, by the highest part used.",
					float64(plans[name].Near[percent]), "plan", name, "percent", strconv.Itoa(percent))
			}
		}
		if disk, err := t.Disk(); err == nil {
			w.Gauge("storefront_disk_free_bytes", "Free space on the disk of the data folder.", float64(disk.Free))
			w.Gauge("storefront_disk_size_bytes", "Size of the disk of the data folder.", float64(disk.Size))
		}
		ready := t.Ready(context.Background()) == nil
		w.Gauge("storefront_ready", "1 if shops can be served; 0 otherwise, see /readyz and the log.", flag(ready))
	})
}

// collectBackups registers the metrics of scheduled backups.
func collectBackups(m *metrics.Metrics, t *tenants.Tenants) {
	m.Collect(func(w *metrics.Writer) {
		status := t.BackupStatus()
		w.Gauge("storefront_backup_last_success_timestamp_seconds",
			"Last time at which all shops had a scheduled backup that was recent enough; 0 if not since the start.", seconds(status.LastSuccess))
		w.Gauge("storefront_backup_shops_failing", "Shops whose last scheduled backup failed.", float64(status.Failing))
	})
}

// collectReplication registers the metrics of replication.
func collectReplication(m *metrics.Metrics, t *tenants.Tenants) {
	m.Collect(func(w *metrics.Writer) {
		status, _ := t.Replication()
		w.Gauge("storefront_replica_shops", "Replicated shops, which are the open ones.", float64(status.Attached))
		w.Gauge("storefront_replica_shops_pending", "Shops with commits that are not replicated yet.", float64(status.Pending))
		w.Gauge("storefront_replica_lag_seconds", "Age of the oldest commit that is not replicated yet.", status.Lag.Seconds())
		w.Gauge("storefront_replica_last_upload_timestamp_seconds",
			"Time of the last upload to the replica; 0 if none since the start.", seconds(status.LastUpload))
		w.Gauge("storefront_replica_images_pending", "Uploads and deletions of images that are not replicated yet.", float64(t.PendingImages()))
		w.Gauge("storefront_replica_failing",
			"1 if the replica is unreachable or rejects uploads, see the log; 0 otherwise.", flag(status.Failing))
	})
}

// collectCertificates registers the expiry times of certificates: one per name of the server, and
// only the earliest of the shops' names, since there may be thousands.
func collectCertificates(m *metrics.Metrics, c *certificate.Manager) {
	m.Collect(func(w *metrics.Writer) {
		const name = "storefront_certificate_expiry_timestamp_seconds"
		const help = "Expiry time of a certificate, or of the shops' certificates the earliest; 0 if the name has none."
		loaded := map[bool]int{} // by whether it is a name of the server
		var first time.Time
		for _, e := range c.Expiries() {
			if !e.NotAfter.IsZero() {
				loaded[e.Own]++
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
		const count, countHelp = "storefront_certificates", "Certificates in memory; for shops, those requested since the start."
		w.Gauge(count, countHelp, float64(loaded[true]), "of", "server")
		w.Gauge(count, countHelp, float64(loaded[false]), "of", "shops")
	})
}

// seconds returns a time in seconds since 1970, 0 for the zero time.
func seconds(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return float64(at.UnixMilli()) / 1000
}

// flag returns 1 for true, 0 for false.
func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
