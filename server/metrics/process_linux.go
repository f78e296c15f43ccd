package metrics

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// ticks of the system's clock in a second, for programs: the same on every Linux that Go runs on.
const ticks = 100

// Fields of /proc/self/stat, counted after the program's name, which may hold blanks itself.
const (
	statUserTime   = 11
	statSystemTime = 12
	statResident   = 21
)

// writeProcess tells what the system knows of the process, under the names that others use.
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
		w.Counter("process_cpu_seconds_total", "Processor time of the process.", (field(statUserTime)+field(statSystemTime))/ticks)
		w.Gauge("process_resident_memory_bytes", "Memory of the process that is in RAM.", field(statResident)*float64(os.Getpagesize()))
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		w.Gauge("process_open_fds", "Files and connections that are open.", float64(len(open)))
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil {
		w.Gauge("process_max_fds", "Files and connections that may be open.", float64(limit.Cur))
	}
}
