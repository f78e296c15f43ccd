package main

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// attackerAddress is another address than the buyer's, as limits count by address.
	attackerAddress = "127.0.0.66"
	// keyVariable is the environment variable with the attacker's API key.
	keyVariable = "BENCH_KEY"
	// attackerNice is the attacker's priority. An attacker has a machine of its own: here, its work
	// must not take the processors from the server and from the buyer's clock.
	attackerNice = 10
)

// attack is what one hostile client does until it is stopped, over connections of its own.
type attack struct {
	name        string
	connections int
	every       time.Duration // between requests, over all connections
	request     func(n int64) request
	unread      time.Duration // how long a connection stays open without reading the response
	// frames sends frames of HTTP/2 instead of a request, over connections that stay open.
	frames func(f *flood) error
}

// attacks returns the attacks on a shop at an address by somebody with an API key.
func attacks(address, key string) []attack {
	return slices.Concat(readerAttacks(address), staffAttacks(address, key), floods)
}

// readerAttacks returns the attacks by anybody.
func readerAttacks(address string) []attack {
	inShop := map[string]string{"x-tenant": uid}
	forged := newRequest(address, http.MethodPost, "/courier/webhook/courier_a/"+uid, nil, strings.Repeat("x", 1<<20))
	return []attack{
		{
			name: "unauthenticated bodies of 1 MiB", connections: 1000, every: 2 * time.Millisecond,
			request: func(int64) request { return forged },
		}, {
			name: "readers of long lists who do not read", connections: 120, every: 10 * time.Millisecond, unread: time.Second,
			request: func(n int64) request {
				return newRequest(address, http.MethodGet, fmt.Sprintf("/api/v1/products?limit=-1&minPrice=%d", n), inShop, "")
			},
		}, {
			name: "GraphQL documents of 100 searches", connections: 8, every: 50 * time.Millisecond,
			request: func(n int64) request { return newRequest(address, http.MethodPost, graphqlPath, inShop, searches(n)) },
		}, {
			name: "GraphQL documents that are hard to validate", connections: 16, every: 10 * time.Millisecond,
			request: func(n int64) request { return newRequest(address, http.MethodPost, graphqlPath, inShop, fragments(n)) },
		}, {
			name: "whole lists", connections: 16, every: 50 * time.Millisecond,
			request: func(n int64) request {
				return newRequest(address, http.MethodGet, fmt.Sprintf("/api/v1/products?limit=-1&maxPrice=%d", 1<<40+n), inShop, "")
			},
		}, {
			name: "pages far back", connections: 16, every: 10 * time.Millisecond,
			request: func(n int64) request {
				path := fmt.Sprintf("/api/v1/products?limit=100&page=%d&maxPrice=%d", hostileProducts/100-n%5, 1<<40+n)
				return newRequest(address, http.MethodGet, path, inShop, "")
			},
		}, {
			name: "searches of the site", connections: 16, every: 10 * time.Millisecond,
			request: func(n int64) request {
				return newRequest(address, http.MethodGet, fmt.Sprintf("/search?q=lamp+%d", n), nil, "")
			},
		}, {
			name: "registrations and sign-ins", connections: 60, every: time.Second / 120,
			request: func(n int64) request {
				if n%2 == 0 {
					body := fmt.Sprintf(`{"name":"Buyer","email":"a%d-%d@example.com","password":"correct horse battery"}`, time.Now().UnixNano(), n)
					return newRequest(address, http.MethodPost, "/api/v1/auth/register", inShop, body)
				}
				return newRequest(address, http.MethodPost, "/api/v1/auth/login", inShop, fmt.Sprintf(`{"user":"a%d@example.com","password":"a wrong one"}`, n))
			},
		},
	}
}

// staffAttacks returns the attacks by a staff member's key.
func staffAttacks(address, key string) []attack {
	post := func(path, contentType string, body func() string) func(int64) request {
		return func(int64) request {
			header := map[string]string{"Authorization": "Bearer " + key, "Content-Type": contentType}
			return newRequest(address, http.MethodPost, "/admin/v1/shops/"+uid+path, header, body())
		}
	}
	return []attack{
		{
			name: "dry runs of files of 9 MB", connections: 4, every: 100 * time.Millisecond,
			request: post("/imports/products?dryRun=true", "text/csv", largeFile),
		}, {
			name: "pictures by one key", connections: 8, every: 50 * time.Millisecond,
			request: post("/media", "image/png", largePicture),
		},
	}
}

// largeFile returns a product file with as many products as are allowed.
var largeFile = sync.OnceValue(func() string {
	var rows strings.Builder
	rows.WriteString("Handle,Title,Variant Price\n")
	for i := range 250_000 {
		fmt.Fprintf(&rows, "lamp-%06d-of-the-shop,Lamp %06d,9.50\n", i, i)
	}
	return rows.String()
})

// largePicture returns a picture of a small file that takes as much memory as is allowed.
var largePicture = sync.OnceValue(func() string {
	var file strings.Builder
	if err := png.Encode(&file, image.NewNRGBA(image.Rect(0, 0, 4901, 4900))); err != nil {
		panic(err) // a picture of this size is always valid
	}
	return file.String()
})

// searches returns a document of 100 searches, which no other n has.
func searches(n int64) string {
	var document strings.Builder
	document.WriteString("{")
	for i := range 100 {
		fmt.Fprintf(&document, `s%d:products(search:"lamp a%d b%d",limit:10){nodes{title}}`, i, n, i)
	}
	document.WriteString("}")
	body, err := json.Marshal(map[string]string{"query": document.String()})
	if err != nil {
		panic(err) // a string is always valid JSON
	}
	return string(body)
}

// fragments returns a document with as many operations and fragments as are allowed, each fragment
// in the one before. No other n has it.
func fragments(n int64) string {
	var document strings.Builder
	for i := range 10 {
		fmt.Fprintf(&document, "query Q%d{...F0 a%d:apiVersion} ", i, n)
	}
	fields := strings.Repeat("apiVersion ", 20)
	for i := range 49 {
		fmt.Fprintf(&document, "fragment F%d on Query{...F%d %s} ", i, i+1, fields)
	}
	document.WriteString("fragment F49 on Query{apiVersion}")
	body, err := json.Marshal(map[string]string{"query": document.String(), "operationName": "Q0"})
	if err != nil {
		panic(err) // a string is always valid JSON
	}
	return string(body)
}

// run attacks until ctx ends and returns the number of requests sent. The server may refuse
// anything.
func (a attack) run(ctx context.Context, address string) (sent int64) {
	var wait sync.WaitGroup
	var next, done atomic.Int64
	start := time.Now()
	for range a.connections {
		wait.Go(func() {
			var connection flood
			defer connection.close()
			for {
				n := next.Add(1) - 1
				select {
				case <-time.After(time.Until(start.Add(time.Duration(n) * a.every))):
					if a.send(ctx, &connection, address, n) {
						done.Add(1)
					}
				case <-ctx.Done():
					return
				}
			}
		})
	}
	wait.Wait()
	return done.Load()
}

// send sends a request, or the next frames over a connection of HTTP/2, and reports whether the
// server accepted them.
func (a attack) send(ctx context.Context, connection *flood, address string, n int64) bool {
	if a.frames != nil {
		return connection.send(ctx, address, a.frames)
	}
	return a.once(ctx, address, n)
}

// once sends one request over a connection of its own, and reports whether the server accepted it.
func (a attack) once(ctx context.Context, address string, n int64) bool {
	conn, err := dial(ctx, address, attackerAddress, false)
	if err != nil {
		return false
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if a.unread > 0 {
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // the system's buffer would hold most of the response
	}
	_, failed := conn.Write(a.request(n)) // the server may respond before the end of a body
	if a.unread > 0 {
		select {
		case <-time.After(a.unread):
		case <-ctx.Done():
		}
		return failed == nil
	}
	_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	_, err = io.ReadFull(conn, make([]byte, len("HTTP/1.1 200")))
	return failed == nil || err == nil
}

// attacker is a running attack, in a process of its own.
type attacker struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	output *strings.Builder
	began  time.Time
}

// startAttack runs this program as the attacker with a name.
func startAttack(name, address, key string) (*attacker, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	a := &attacker{cmd: exec.Command(program, "-attack", name, "-address", address), output: &strings.Builder{}, began: time.Now()}
	a.cmd.Env = append(os.Environ(), keyVariable+"="+key)
	a.cmd.Stdout, a.cmd.Stderr = a.output, os.Stderr
	if a.stdin, err = a.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return a, a.cmd.Start()
}

// stop ends the attack and returns its requests per second.
func (a *attacker) stop() (float64, error) {
	elapsed := time.Since(a.began)
	if err := a.stdin.Close(); err != nil {
		return 0, err
	}
	if err := a.cmd.Wait(); err != nil {
		return 0, fmt.Errorf("attacker: %w", err)
	}
	var sent int64
	_, err := fmt.Sscan(a.output.String(), &sent)
	return float64(sent) / elapsed.Seconds(), err
}

// runAttack is the attacker's process: it attacks until its standard input ends.
func runAttack(ctx context.Context, name, address string) error {
	if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, attackerNice); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	go func() {
		defer stop()
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the process that started this one
	}()
	for _, a := range attacks(address, os.Getenv(keyVariable)) {
		if a.name == name {
			_, err := fmt.Println(a.run(ctx, address))
			return err
		}
	}
	return fmt.Errorf("unknown attack %q", name)
}
