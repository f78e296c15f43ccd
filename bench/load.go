package main

import (
	"bufio"
	"bytes"
	"context"
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

// request is one HTTP request as it goes over the wire, written once and sent many times.
type request []byte

// newRequest writes a request for a keep-alive connection. body may be "".
func newRequest(host, method, path string, header map[string]string, body string) request {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, host)
	for name, value := range header {
		fmt.Fprintf(&b, "%s: %s\r\n", name, value)
	}
	if body != "" {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n" + body)
	return b.Bytes()
}

// load is what clients do to a server.
type load struct {
	address     string
	requests    []request // taken in turn
	connections int
	want        int           // the status of each answer
	every       time.Duration // between two requests of all connections together; 0: as fast as answers come
}

// result is what came of a load.
type result struct {
	Requests int           `json:"requests"`
	Elapsed  time.Duration `json:"elapsedNs"`
	P50      time.Duration `json:"p50Ns"`
	P99      time.Duration `json:"p99Ns"`
	Bytes    int           `json:"bytes"` // of an answer's body
}

// perSecond gives the answers in a second.
func (r result) perSecond() float64 { return float64(r.Requests) / r.Elapsed.Seconds() }

// run loads a server for a time. Any answer but the wanted one is an error: a fast refusal is not speed.
func (l load) run(ctx context.Context, length time.Duration) (result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wait   sync.WaitGroup
		mu     sync.Mutex
		all    []time.Duration
		size   int
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
	elapsed := time.Since(start)
	if err := context.Cause(ctx); err != nil {
		return result{}, err
	}
	if len(all) == 0 {
		return result{}, fmt.Errorf("no answer from %s in %s", l.address, length)
	}
	slices.Sort(all)
	return result{Requests: len(all), Elapsed: elapsed, P50: all[len(all)/2], P99: all[len(all)*99/100], Bytes: size}, nil
}

// connection sends requests over one connection, each after the answer to the one before, and gives
// how long each took. With a rate, a request's time counts from when it was due, so that a server
// which stalls is not spared the requests that wait meanwhile.
func (l load) connection(ctx context.Context, start, finish time.Time, next *atomic.Int64) (took []time.Duration, size int, err error) {
	conn, err := net.Dial("tcp", l.address)
	if err != nil {
		return nil, 0, err
	}
	defer conn.Close()
	answers := bufio.NewReaderSize(conn, 64<<10)
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
		status, bytes, err := readAnswer(answers)
		if err != nil {
			return nil, 0, fmt.Errorf("read an answer of %s: %w", l.address, err)
		}
		if status != l.want {
			return nil, 0, fmt.Errorf("%s answered %d to %q", l.address, status, firstLine(l.requests[int(n)%len(l.requests)]))
		}
		took, size = append(took, time.Since(began)), bytes
	}
	return took, size, nil
}

func firstLine(r request) string {
	line, _, _ := strings.Cut(string(r), "\r\n")
	return line
}

// readAnswer reads an answer whole, and gives its status and the size of its body.
func readAnswer(r *bufio.Reader) (status, size int, err error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return 0, 0, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return 0, 0, fmt.Errorf("no answer: %q", line)
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
