package metrics

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// ticks is the number of clock ticks per second in /proc, the same on every Linux that Go runs on.
const ticks = 100

// Indexes of the fields of /proc/self/stat after the program's name, which may contain spaces.
const (
	statUserTime   = 11
	statSystemTime = 12
	statResident   = 21
)

// writeProcess writes the system's figures of the process, under the usual Prometheus names.
func writeProcess(w *Writer) {
	if stat, err := os.ReadFile("/proc/self/stat"); err == nil {
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		field := func(i int) float64 {
			if i >= len(fields) {
				return 0
			}
			v, _ := strconv.ParseFloat(fields[i], 64) // always a number
			return v
		}
		w.Counter("process_cpu_seconds_total", "CPU time used by the process.", (field(statUserTime)+field(statSystemTime))/ticks)
		w.Gauge("process_resident_memory_bytes", "Resident memory of the process.", field(statResident)*float64(os.Getpagesize()))
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		w.Gauge("process_open_fds", "Open files and connections.", float64(len(open)))
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil {
		w.Gauge("process_max_fds", "Limit on open files and connections.", float64(limit.Cur))
	}
}
