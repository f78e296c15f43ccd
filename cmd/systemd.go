package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"time"
)

// This file is written by hand. coreos/go-systemd would replace some thirty lines of it, and reads
// the variables of the process instead of [Program]'s.

// notifier sends the state of the service to systemd (sd_notify). Its zero value sends nothing.
type notifier struct{ address string }

// newNotifier returns a notifier for the socket that systemd passes in NOTIFY_SOCKET.
func (a *app) newNotifier() notifier {
	address, _ := a.LookupEnv("NOTIFY_SOCKET")
	if strings.HasPrefix(address, "@") { // an abstract socket
		address = "\x00" + address[1:]
	}
	return notifier{address}
}

// notify sends a state such as READY=1. Failures are ignored, since the service runs without
// systemd too.
func (n notifier) notify(state string) {
	if n.address == "" {
		return
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.address, Net: "unixgram"})
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = conn.Write([]byte(state))
}

// stoppingJob notifies systemd when the server begins to stop.
func (n notifier) stoppingJob(ctx context.Context, _ *slog.Logger) {
	<-ctx.Done()
	n.notify("STOPPING=1")
}

// watchdogJob returns the job that notifies systemd's watchdog while the server responds. It does
// nothing if the unit has no WatchdogSec=.
func (a *app) watchdogJob(n notifier, handler http.Handler) func(context.Context, *slog.Logger) {
	interval := a.watchdogInterval()
	return func(ctx context.Context, log *slog.Logger) {
		if interval == 0 {
			return
		}
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			if status := selfCheck(ctx, handler); status == http.StatusOK {
				n.notify("WATCHDOG=1")
			} else if ctx.Err() == nil {
				log.Error("self-check failed", "status", status)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}
}

// watchdogInterval returns the interval of notifications, half of what the unit requires; 0 means
// none.
func (a *app) watchdogInterval() time.Duration {
	if pid, ok := a.LookupEnv("WATCHDOG_PID"); ok && pid != strconv.Itoa(os.Getpid()) {
		return 0
	}
	text, _ := a.LookupEnv("WATCHDOG_USEC")
	usec, err := strconv.ParseInt(text, 10, 64)
	if err != nil || usec <= 0 {
		return 0
	}
	return time.Duration(usec) * time.Microsecond / 2
}

// selfCheck requests /healthz without a connection: the server's limit of connections, which an
// attack may reach, must not make systemd restart it.
func selfCheck(ctx context.Context, handler http.Handler) (status int) {
	response := httptest.NewRecorder()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "/healthz", nil)
	if err != nil {
		return 0
	}
	req.RemoteAddr = "127.0.0.1:0"
	handler.ServeHTTP(response, req)
	return response.Code
}

// firstInherited is the first file descriptor that systemd passes.
const firstInherited = 3

// inheritedListeners returns the sockets that a parent process, such as systemd with a .socket
// unit, has opened for this process, by name. It returns nil if there are none.
func (a *app) inheritedListeners() (map[string]net.Listener, error) {
	pid, _ := a.LookupEnv("LISTEN_PID")
	count, _ := a.LookupEnv("LISTEN_FDS")
	n, err := strconv.Atoi(count)
	if pid != strconv.Itoa(os.Getpid()) || err != nil || n < 1 {
		return nil, nil
	}
	text, _ := a.LookupEnv("LISTEN_FDNAMES")
	names := strings.Split(text, ":")
	inherited := map[string]net.Listener{}
	for i := range n {
		name := "http"
		if n > 1 {
			if i >= len(names) || names[i] != "http" && names[i] != "https" {
				return nil, errors.New("sockets passed to the server must be named http and https: set FileDescriptorName= in their .socket units")
			}
			name = names[i]
		} else if len(names) > 0 && names[0] == "https" {
			name = "https"
		}
		file := os.NewFile(uintptr(firstInherited+i), name)
		listener, err := net.FileListener(file)
		if err := errors.Join(err, file.Close()); err != nil { // the listener has a copy
			return nil, fmt.Errorf("use the socket %s passed to the server: %w", name, err)
		}
		inherited[name] = onThisMachine(listener)
	}
	return inherited, nil
}

// unixPrefix marks a path as an address of --listen.
const unixPrefix = "unix:"

// listenPlain listens for plain HTTP at a TCP address, or at the path of a Unix socket after
// "unix:". A socket left behind by a dead process is removed.
func listenPlain(address string) (net.Listener, error) {
	path, ok := strings.CutPrefix(address, unixPrefix)
	if !ok {
		return net.Listen("tcp", address)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
		if conn, err := net.DialTimeout("unix", path, time.Second); err == nil {
			_ = conn.Close()
			return nil, withHint(fmt.Errorf("another program listens on %s", address), "stop that program, or choose another path with --listen unix:PATH")
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o660); err != nil { // the proxy may be another user of the same group
		return nil, errors.Join(err, listener.Close())
	}
	return onThisMachine(listener), nil
}

// onThisMachine returns a listener on which clients of a Unix socket have the address 127.0.0.1, so
// that limits and --trusted-proxy apply to them as to a proxy on this machine.
func onThisMachine(l net.Listener) net.Listener {
	if l.Addr().Network() != "unix" {
		return l
	}
	return localListener{l}
}

type localListener struct{ net.Listener }

func (l localListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return localConn{conn}, nil
}

type localConn struct{ net.Conn }

func (localConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
