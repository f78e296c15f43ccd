package main

import (
	"io"
	"net"
	"testing"
	"time"
)

func TestDelay(t *testing.T) {
	t.Parallel()
	client, near := net.Pipe()
	far, server := net.Pipe()
	const by = 20 * time.Millisecond
	go delay(far, near, by)
	began := time.Now()
	go func() {
		_, _ = client.Write([]byte("a question"))
		_ = client.Close()
	}()
	got, err := io.ReadAll(server)
	if took := time.Since(began); err != nil || string(got) != "a question" || took < by {
		t.Errorf("got %q, %v after %s; want the question, no sooner than after %s", got, err, took, by)
	}
}
