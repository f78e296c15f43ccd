package cmd

import (
	"context"
	"log/slog"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// minHeapGrowth is the number of bytes by which the heap may always grow before a collection. Go's
	// default lets the heap double. A server of one shop has a live heap of about 10 MiB, and would
	// collect tens of times a second under load: a tenth of the cost of a prepared response.
	minHeapGrowth = 48 << 20
	// maxPercent limits the heap to five times the live heap. From a live heap of minHeapGrowth on,
	// Go's default of minPercent applies.
	maxPercent, minPercent = 400, 100
)

// limitMemory makes the garbage collector work harder before the process exceeds three quarters of
// the machine's memory, in bytes; the rest is for the shops' files and their caches. 0 means
// unknown. It does nothing if the operator has set GOMEMLIMIT.
func limitMemory(machine uint64) {
	if machine > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(min(machine/4*3, math.MaxInt64)))
	}
}

// addProcessor raises GOMAXPROCS by one. Otherwise no requests are received while one goroutine
// hashes a password and another waits for fsync: Go notices only after up to 10 ms that a processor
// is free. It does nothing if the operator has set GOMAXPROCS.
func addProcessor() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.SetDefaultGOMAXPROCS() // of the machine or the container, however often this is called
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}

// tuneGC lets a small heap grow by minHeapGrowth before a collection, until ctx ends. It adjusts
// the percentage immediately after each collection: the percentage for a small heap would let a
// heap with a decoded photo grow to many times its size. It does nothing if the operator has set
// GOGC.
func tuneGC(ctx context.Context, _ *slog.Logger) {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	collected := make(chan struct{}, 1)
	for percent := minPercent; ; {
		sendAfterCollection(collected)
		metrics.Read(live)
		target := maxPercent
		if used := live[0].Value.Uint64(); used > 0 {
			target = int(min(max(minHeapGrowth*100/used, minPercent), maxPercent))
		}
		if target != percent {
			debug.SetGCPercent(target)
			percent = target
		}
		select {
		case <-collected:
		case <-ctx.Done():
			return
		}
	}
}

// sendAfterCollection sends to the channel, which has room, after the next garbage collection.
func sendAfterCollection(collected chan<- struct{}) {
	garbage := new([64]byte) // of its own: objects of less than 16 bytes share their memory
	runtime.AddCleanup(garbage, func(collected chan<- struct{}) { collected <- struct{}{} }, collected)
}
