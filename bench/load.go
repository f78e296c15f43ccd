package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// request is an encoded HTTP request, which can be sent many times.
type request []byte

// newRequest returns a request for a keep-alive connection. body may be "".
func newRequest(host, method, path string, header map[string]string, body string) request {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, host)
	for name, value := range header {
		fmt.Fprintf(&b, "%s: %s\r\n", name, value)
	}
	if body != "" {
		if header["Content-Type"] == "" {
			b.WriteString("Content-Type: application/json\r\n")
		}
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n" + body)
	return b.Bytes()
}

// load is the load that clients generate.
type load struct {
	address     string
	requests    []request // sent in turn
	connections int
	want        int           // the status of each response
	every       time.Duration // between requests, over all connections; 0 means as fast as possible
	secure      bool          // over TLS
}

// result is the measurement of a load.
type result struct {
	Requests int           `json:"requests"`
	Elapsed  time.Duration `json:"elapsedNs"`
	P50      time.Duration `json:"p50Ns"`
	P99      time.Duration `json:"p99Ns"`
	Bytes    int           `json:"bytes"` // of a response body
}

// perSecond returns the responses per second.
func (r result) perSecond() float64 { return float64(r.Requests) / r.Elapsed.Seconds() }

// run generates the load for a duration. A response with another status than the wanted one is an
// error: a fast rejection is not speed.
func (l load) run(ctx context.Context, length time.Duration) (result, error) {
	start := time.Now()
	all, size, err := l.durations(ctx, length)
	if err != nil {
		return result{}, err
	}
	return result{Requests: len(all), Elapsed: time.Since(start), P50: all[len(all)/2], P99: all[len(all)*99/100], Bytes: size}, nil
}

// durations is run with the durations of all responses, sorted, and the size of a body.
func (l load) durations(ctx context.Context, length time.Duration) (all []time.Duration, size int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wait   sync.WaitGroup
		mu     sync.Mutex
		next   atomic.Int64
		start  = time.Now()
		finish = start.Add(length)
	)
	for range l.connections {
		wait.Go(func() {
			took, bytes, err := l.connection(ctx, start, finish, &next)
			if err != nil {
				cancel(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			all, size = append(all, took...), max(size, bytes)
		})
	}
	wait.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, 0, err
	}
	if len(all) == 0 {
		return nil, 0, fmt.Errorf("no response from %s in %s", l.address, length)
	}
	slices.Sort(all)
	return all, size, nil
}

// dial connects from a local address, "" for any. Over TLS it does not verify the server, and
// offers these protocols.
func dial(ctx context.Context, address, from string, secure bool, protocols ...string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: time.Second}
	if from != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	if !secure {
		return dialer.DialContext(ctx, "tcp", address)
	}
	config := &tls.Config{ServerName: secureName, InsecureSkipVerify: true, NextProtos: protocols}
	return (&tls.Dialer{NetDialer: dialer, Config: config}).DialContext(ctx, "tcp", address)
}

// connection sends requests over one connection, each after the previous response, and returns the
// durations. With a fixed rate, a duration starts when the request was due, so that the requests
// that wait while the server stalls are included.
func (l load) connection(ctx context.Context, start, finish time.Time, next *atomic.Int64) (took []time.Duration, size int, err error) {
	conn, err := dial(ctx, l.address, "", l.secure)
	if err != nil {
		return nil, 0, err
	}
	defer conn.Close()
	responses := bufio.NewReaderSize(conn, 64<<10)
	for ctx.Err() == nil {
		n := next.Add(1) - 1
		began := time.Now()
		if l.every > 0 {
			began = start.Add(time.Duration(n) * l.every)
			time.Sleep(time.Until(began))
		}
		if !began.Before(finish) {
			return took, size, nil
		}
		if _, err := conn.Write(l.requests[int(n)%len(l.requests)]); err != nil {
			return nil, 0, err
		}
		status, bytes, err := readResponse(responses)
		if err != nil {
			return nil, 0, fmt.Errorf("read response of %s: %w", l.address, err)
		}
		if status != l.want {
			return nil, 0, fmt.Errorf("%s: status %d for %q", l.address, status, firstLine(l.requests[int(n)%len(l.requests)]))
		}
		took, size = append(took, time.Since(began)), bytes
	}
	return took, size, nil
}

func firstLine(r request) string {
	line, _, _ := strings.Cut(string(r), "\r\n")
	return line
}

// readResponse reads a response and returns its status and the size of its body.
func readResponse(r *bufio.Reader) (status, size int, err error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return 0, 0, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return 0, 0, fmt.Errorf("invalid response: %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, 0, err
	}
	length, chunked := 0, false
	for {
		if line, err = r.ReadSlice('\n'); err != nil {
			return 0, 0, err
		}
		name, value, ok := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte{':'})
		if !ok {
			break
		}
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, 0, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		}
	}
	if status == 304 {
		return status, 0, nil
	}
	if chunked {
		size, err = discardChunks(r)
		return status, size, err
	}
	size, err = r.Discard(length)
	return status, size, err
}

func discardChunks(r *bufio.Reader) (size int, err error) {
	for {
		line, err := textproto.NewReader(r).ReadLine()
		if err != nil {
			return size, err
		}
		n, err := strconv.ParseInt(line, 16, 32)
		if err != nil {
			return size, err
		}
		if _, err := io.CopyN(io.Discard, r, n+2); err != nil {
			return size, err
		}
		if n == 0 {
			return size, nil
		}
		size += int(n)
	}
}
