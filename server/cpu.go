package server

import (
	"runtime"
	"time"
)

// cpuSample means that one of this many requests is measured.
const cpuSample = 16

// cpuTimer measures the CPU time of a request's goroutine, which has a thread of its own for that
// time. Its zero value measures nothing.
type cpuTimer struct {
	running bool
	began   time.Duration // CPU time of the thread
	used    time.Duration // of all requests that this one stands for; zero if it was not measured
}

func (c *cpuTimer) begin() {
	runtime.LockOSThread()
	c.running, c.began = true, threadTime()
}

func (c *cpuTimer) end() {
	if c.running {
		c.running, c.used = false, (threadTime()-c.began)*cpuSample
		runtime.UnlockOSThread()
	}
}
