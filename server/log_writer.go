package server

import (
	"io"
	"sync"
	"time"
)

// maxUnwritten bounds the lines that wait for a slow disk or terminal, in bytes. Requests then wait
// with them.
const maxUnwritten = 1 << 20

// logPause is the time between two writes of a busy log: at thousands of requests a second, a write
// for each line would be a good part of each one's cost.
const logPause = 10 * time.Millisecond

// LogWriter takes a log's lines without making requests wait for the writes. A line that comes
// after a pause is written at once; those that come soon after it go out together, logPause later.
// It is safe for concurrent use. Make one with [NewLogWriter].
type LogWriter struct {
	to io.Writer

	mu       sync.Mutex
	written  sync.Cond // told after each write
	waiting  []byte
	spare    []byte // the buffer of the write before
	writing  bool   // a goroutine sees to what is waiting
	underWay bool   // it is writing now
}

// NewLogWriter gives a writer before to.
func NewLogWriter(to io.Writer) *LogWriter {
	w := &LogWriter{to: to}
	w.written.L = &w.mu
	return w
}

// Write takes one line. Its error is always nil: a log that can not be written stops nothing.
func (w *LogWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.waiting) > maxUnwritten {
		w.written.Wait()
	}
	w.waiting = append(w.waiting, line...)
	if !w.writing {
		w.writing = true
		go w.writeWaiting()
	}
	return len(line), nil
}

func (w *LogWriter) writeWaiting() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.waiting) > 0 {
		lines := w.waiting
		w.waiting, w.underWay = w.spare[:0], true
		w.mu.Unlock()
		_, _ = w.to.Write(lines)
		w.mu.Lock()
		w.spare, w.underWay = lines, false
		w.written.Broadcast()
		w.mu.Unlock()
		time.Sleep(logPause)
		w.mu.Lock()
	}
	w.writing = false
}

// Flush waits until all lines taken so far are written.
func (w *LogWriter) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.waiting) > 0 || w.underWay {
		w.written.Wait()
	}
}
