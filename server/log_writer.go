package server

import (
	"io"
	"sync"
	"time"
)

// maxPending bounds the lines that wait for a slow disk or terminal, in bytes. Requests then wait
// with them.
const maxPending = 1 << 20

// flushInterval is the time between two writes of a busy log: at thousands of requests a second, a write
// for each line would be a good part of each one's cost.
const flushInterval = 10 * time.Millisecond

// LogWriter takes a log's lines without making requests wait for the writes. A line that comes
// after a pause is written at once; those that come soon after it go out together, flushInterval later.
// It is safe for concurrent use. Make one with [NewLogWriter].
type LogWriter struct {
	out io.Writer

	mu       sync.Mutex
	written  sync.Cond // told after each write
	pending  []byte
	spare    []byte // the buffer of the write before
	running  bool   // a goroutine sees to what is waiting
	flushing bool   // it is writing now
}

// NewLogWriter gives a writer before to.
func NewLogWriter(to io.Writer) *LogWriter {
	w := &LogWriter{out: to}
	w.written.L = &w.mu
	return w
}

// Write takes one line. Its error is always nil: a log that can not be written stops nothing.
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

// Flush waits until all lines taken so far are written.
func (w *LogWriter) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.pending) > 0 || w.flushing {
		w.written.Wait()
	}
}
