package metrics

import (
	"runtime"
	"runtime/metrics"
)

// runtimeMetrics are the exported metrics of the Go runtime, under the names that other Go programs
// use, so that existing dashboards work.
var runtimeMetrics = []struct {
	source, name, help string
	counts             bool
}{
	{"/sched/goroutines:goroutines", "go_goroutines", "Existing goroutines.", false},
	{"/sched/gomaxprocs:threads", "go_sched_gomaxprocs_threads", "Limit on threads that run Go code (GOMAXPROCS).", false},
	{"/memory/classes/heap/objects:bytes", "go_memstats_heap_alloc_bytes", "Memory of heap objects, uncollected garbage included.", false},
	{"/memory/classes/total:bytes", "go_memstats_sys_bytes", "Memory obtained from the system.", false},
	{"/gc/heap/allocs:bytes", "go_memstats_alloc_bytes_total", "Memory allocated so far.", true},
	{"/gc/cycles/total:gc-cycles", "go_gc_cycles_total", "Garbage collections so far.", true},
	{"/cpu/classes/gc/total:cpu-seconds", "go_gc_cpu_seconds_total", "CPU time spent on garbage collection.", true},
	{"/sync/mutex/wait/total:seconds", "go_sync_mutex_wait_total_seconds_total", "Time that goroutines have waited for locks.", true},
}

func writeRuntime(w *Writer) {
	samples := make([]metrics.Sample, len(runtimeMetrics))
	for i, m := range runtimeMetrics {
		samples[i].Name = m.source
	}
	metrics.Read(samples)
	w.Gauge("go_info", "The Go release that the program was built with, as a label.", 1, "version", runtime.Version())
	for i, m := range runtimeMetrics {
		var value float64
		switch v := samples[i].Value; v.Kind() {
		case metrics.KindUint64:
			value = float64(v.Uint64())
		case metrics.KindFloat64:
			value = v.Float64()
		default: // not in this release of Go
			continue
		}
		if m.counts {
			w.Counter(m.name, m.help, value)
		} else {
			w.Gauge(m.name, m.help, value)
		}
	}
}
