package server

import (
	"io"
	"sync"
	"time"
)

// maxPending is the number of bytes of lines that may wait for a slow disk or terminal before
// requests wait too.
const maxPending = 1 << 20

// flushInterval is the time between two writes of a busy log: at thousands of requests a second,
// one write per line would be a good part of each request's cost.
const flushInterval = 10 * time.Millisecond

// LogWriter writes log lines without making requests wait for the writes. A line after a pause is
// written immediately; lines that follow sooner are written together, flushInterval later. It is
// safe for concurrent use. Create one with [NewLogWriter].
type LogWriter struct {
	out io.Writer

	mu       sync.Mutex
	written  sync.Cond // signalled after each write
	pending  []byte
	spare    []byte // the buffer of the previous write
	running  bool   // flushLoop is running
	flushing bool   // flushLoop is in a write
}

// NewLogWriter returns a writer to w.
func NewLogWriter(w io.Writer) *LogWriter {
	l := &LogWriter{out: w}
	l.written.L = &l.mu
	return l
}

// Write appends one line. Its error is always nil: a broken log must not fail a request.
func (w *LogWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.pending) > maxPending {
		w.written.Wait()
	}
	w.pending = append(w.pending, line...)
	if !w.running {
		w.running = true
		go w.flushLoop()
	}
	return len(line), nil
}

func (w *LogWriter) flushLoop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.pending) > 0 {
		lines := w.pending
		w.pending, w.flushing = w.spare[:0], true
		w.mu.Unlock()
		_, _ = w.out.Write(lines)
		w.mu.Lock()
		w.spare, w.flushing = lines, false
		w.written.Broadcast()
		w.mu.Unlock()
		time.Sleep(flushInterval)
		w.mu.Lock()
	}
	w.running = false
}

// Flush waits until all lines so far are written.
func (w *LogWriter) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.pending) > 0 || w.flushing {
		w.written.Wait()
	}
}
