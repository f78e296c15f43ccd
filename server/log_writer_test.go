package server_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"storefront/server"
)

// slowLog keeps the writes that it gets, each after a while.
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
		defer time.Sleep(time.Second) // for the pause after the last line
		to := &slowLog{}
		log := server.NewLogWriter(to)
		line := func(text string) {
			before := time.Now()
			if _, err := log.Write([]byte(text)); err != nil || !time.Now().Equal(before) {
				t.Errorf("writing took %v: %v", time.Since(before), err)
			}
		}
		line("a\n")
		time.Sleep(2 * time.Millisecond)
		if got := to.written(); got != "a\n" {
			t.Errorf("the first line does not go out at once: %q", got)
		}
		line("b\n")
		line("c\n")
		log.Flush()
		if got := to.written(); got != "a\n|b\nc\n" {
			t.Errorf("lines that come soon after it: %q", got)
		}
		time.Sleep(time.Minute)
		line("d\n")
		time.Sleep(2 * time.Millisecond)
		if got := to.written(); got != "a\n|b\nc\n|d\n" {
			t.Errorf("after a pause: %q", got)
		}
	})
}

// A log that stands still holds the requests back before it takes all of the memory.
func TestLogWriter_Bounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Second) // for the pause after the last line
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
			t.Error("4 MiB were taken at once")
		}
		log.Flush()
		if got := len(strings.ReplaceAll(to.written(), "|", "")); got != 64<<16 {
			t.Errorf("%d bytes were written", got)
		}
	})
}
