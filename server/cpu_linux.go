package server

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the CPU time of the current thread; see clock_gettime(2).
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
