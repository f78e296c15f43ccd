package cmd

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"storefront/db/dbtest"
)

func TestRequestMemory_Default(t *testing.T) {
	t.Parallel()
	for machine, want := range map[uint64]int64{0: 0, 256 << 20: 32 << 20, 1 << 30: 128 << 20, 64 << 30: 128 << 20} {
		if got := defaultRequestMemory(machine); got != want {
			t.Errorf("with %d bytes of memory: got %d, want %d", machine, got, want)
		}
	}
}

func TestConnections_Default(t *testing.T) {
	t.Parallel()
	for files, want := range map[uint64]int{0: 0, 1024: 512, 65536: 32768, math.MaxUint64: 1 << 20} {
		if got := defaultConnections(files); got != want {
			t.Errorf("with %d open files: got %d, want %d", files, got, want)
		}
	}
}

// This test is not parallel: it changes the process.
func TestAddProcessor(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	t.Setenv("GOMAXPROCS", "")
	runtime.SetDefaultGOMAXPROCS()
	processors := runtime.GOMAXPROCS(0)
	for range 2 { // as if two servers were started
		if addProcessor(); runtime.GOMAXPROCS(0) != processors+1 {
			t.Errorf("got %d at once on %d processors, want one more", runtime.GOMAXPROCS(0), processors)
		}
	}
	t.Setenv("GOMAXPROCS", "1")
	runtime.GOMAXPROCS(1)
	if addProcessor(); runtime.GOMAXPROCS(0) != 1 {
		t.Errorf("got %d at once, want the operator's 1", runtime.GOMAXPROCS(0))
	}
}

// This test is not parallel: it changes the limit of the process.
func TestLimitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	t.Setenv("GOMEMLIMIT", "")
	limitMemory(0)
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("with unknown memory: got limit %d, want %d as before", got, before)
	}
	limitMemory(64 << 30)
	if got := debug.SetMemoryLimit(-1); got != 48<<30 {
		t.Errorf("got limit %d, want three quarters of the memory", got)
	}
	t.Setenv("GOMEMLIMIT", "1GiB")
	limitMemory(32 << 30)
	if got := debug.SetMemoryLimit(-1); got != 48<<30 {
		t.Errorf("with the operator's limit: got %d, want it unchanged", got)
	}
}

// This test is not parallel: it changes the garbage collector of the process.
func TestTuneGC(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	t.Setenv("GOGC", "")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { tuneGC(ctx, nil); close(ended) }()
	defer func() { cancel(); <-ended }()
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	wait := func(what string, reached func(percent uint64) bool) {
		t.Helper()
		for deadline := dbtest.Deadline(t); !reached(percent()); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: got %d %%", what, percent())
			}
			runtime.GC() // a program does not stop collecting
		}
	}
	wait("a small heap", func(percent uint64) bool { return percent > minPercent })
	large := make([]byte, 2*minHeapGrowth)
	wait("a large heap", func(percent uint64) bool { return percent == minPercent })
	runtime.KeepAlive(large)
	wait("a heap that is small again", func(percent uint64) bool { return percent > minPercent })
}
