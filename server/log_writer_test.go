package server_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"storefront/server"
)

// slowLog records its writes, each of which takes a while.
type slowLog struct {
	mu     sync.Mutex
	writes []string
}

func (l *slowLog) Write(p []byte) (int, error) {
	time.Sleep(time.Millisecond)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes = append(l.writes, string(p))
	return len(p), nil
}

func (l *slowLog) written() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.writes, "|")
}

func TestLogWriter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Second) // the pause after the last line
		to := &slowLog{}
		log := server.NewLogWriter(to)
		line := func(text string) {
			before := time.Now()
			if _, err := log.Write([]byte(text)); err != nil || !time.Now().Equal(before) {
				t.Errorf("got %v after %v, want no error at once", err, time.Since(before))
			}
		}
		line("a\n")
		time.Sleep(2 * time.Millisecond)
		if got := to.written(); got != "a\n" {
			t.Errorf("first line: got %q, want it written at once", got)
		}
		line("b\n")
		line("c\n")
		log.Flush()
		if got := to.written(); got != "a\n|b\nc\n" {
			t.Errorf("lines that follow soon: got %q, want them in one write", got)
		}
		time.Sleep(time.Minute)
		line("d\n")
		time.Sleep(2 * time.Millisecond)
		if got := to.written(); got != "a\n|b\nc\n|d\n" {
			t.Errorf("after a pause: got %q, want the line written at once", got)
		}
	})
}

// A blocked log blocks requests before it uses up the memory.
func TestLogWriter_Bounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Second) // the pause after the last line
		to := &slowLog{}
		log := server.NewLogWriter(to)
		line := []byte(strings.Repeat("x", 1<<16))
		began := time.Now()
		for range 64 { // 4 MiB
			if _, err := log.Write(line); err != nil {
				t.Fatal(err)
			}
		}
		if time.Since(began) == 0 {
			t.Error("4 MiB accepted without waiting")
		}
		log.Flush()
		if got := len(strings.ReplaceAll(to.written(), "|", "")); got != 64<<16 {
			t.Errorf("got %d bytes written", got)
		}
	})
}
