package cmd

import (
	"context"
	"log/slog"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// garbageRoom is how much a heap may always grow before it is collected, in bytes. Go's own
	// default lets it double, so that a server of one shop, which uses some 10 MiB, would be
	// collected some tens of times a second under load: a tenth of what a prepared answer costs.
	garbageRoom = 48 << 20
	// At the most, a heap grows to five times what is in use, and as Go has it from garbageRoom on.
	mostPercent, leastPercent = 400, 100
	collectorEvery            = 2 * time.Second
)

// relaxCollector lets a small heap grow by garbageRoom before it is collected, until ctx ends. The
// operator's GOGC stands.
func relaxCollector(ctx context.Context, _ *slog.Logger) {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	turn := time.NewTicker(collectorEvery)
	defer turn.Stop()
	for percent := leastPercent; ; {
		metrics.Read(live)
		wanted := mostPercent
		if used := live[0].Value.Uint64(); used > 0 {
			wanted = int(min(max(garbageRoom*100/used, leastPercent), mostPercent))
		}
		if wanted != percent {
			debug.SetGCPercent(wanted)
			percent = wanted
		}
		select {
		case <-turn.C:
		case <-ctx.Done():
			return
		}
	}
}
