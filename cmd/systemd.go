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
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// notify sends a state such as READY=1 to systemd. Failures are ignored, since the service runs
// without systemd too.
func notify(state string) { _, _ = daemon.SdNotify(false, state) }

// stoppingJob notifies systemd when the server begins to stop.
func stoppingJob(ctx context.Context, _ *slog.Logger) {
	<-ctx.Done()
	notify(daemon.SdNotifyStopping)
}

// watchdogJob returns the job that notifies systemd's watchdog while the server responds. It does
// nothing if the unit has no WatchdogSec=.
func watchdogJob(handler http.Handler) func(context.Context, *slog.Logger) {
	return func(ctx context.Context, log *slog.Logger) {
		timeout, err := daemon.SdWatchdogEnabled(false)
		if err != nil {
			log.Warn("systemd's watchdog is not notified", "error", err)
		}
		if timeout == 0 {
			return
		}
		tick := time.NewTicker(timeout / 2)
		defer tick.Stop()
		for {
			if status := selfCheck(ctx, handler); status == http.StatusOK {
				notify(daemon.SdNotifyWatchdog)
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

// inheritedListeners returns the sockets that a parent process, such as systemd with a .socket
// unit, has opened for this process, by name. It returns nil if there are none.
func inheritedListeners() (map[string]net.Listener, error) {
	files := activation.Files(true)
	if len(files) == 0 {
		return nil, nil
	}
	inherited := map[string]net.Listener{}
	for _, file := range files {
		name := file.Name()
		if name != "http" && name != "https" {
			if len(files) > 1 {
				return nil, errors.New("sockets passed to the server must be named http and https: " +
					"set FileDescriptorName= in their .socket units")
			}
			name = "http"
		}
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
			return nil, withHint(fmt.Errorf("another program listens on %s", address),
				"stop that program, or choose another path with --listen unix:PATH")
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
