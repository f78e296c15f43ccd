package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a server under measurement.
type process struct {
	name    string
	address string
	cmd     *exec.Cmd
	pid     int // of the server, even if it runs under another program
	started time.Duration
	ended   chan error
}

// freeAddress returns an unused local address.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// local is a client of servers on this machine. It accepts any certificate.
var local = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{ServerName: secureName, InsecureSkipVerify: true}}}

// start starts a server that logs to a file, and waits until it responds at a path, or at a URL.
func start(ctx context.Context, folder, name, address, path string, env []string, argv ...string) (*process, error) {
	log, err := os.Create(filepath.Join(folder, name+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p := &process{name: name, address: address, cmd: exec.Command(argv[0], argv[1:]...), ended: make(chan error, 1)}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Env = append(os.Environ(), env...)
	if path[0] == '/' {
		path = "http://" + address + path
	}
	began := time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p.pid = p.cmd.Process.Pid
	go func() { p.ended <- p.cmd.Wait() }()
	for ctx.Err() == nil {
		select {
		case err := <-p.ended:
			return nil, fmt.Errorf("%s exited: %w; see %s", name, err, log.Name())
		default:
		}
		if response, err := local.Get(path); err == nil {
			_ = response.Body.Close()
			p.started = time.Since(began)
			return p, nil
		}
		time.Sleep(2 * time.Millisecond)
	}
	return nil, ctx.Err()
}

// stop terminates the server. A program that it runs under exits with it.
func (p *process) stop() error {
	if err := syscall.Kill(p.pid, syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-p.ended:
		var exit *exec.ExitError
		if errors.As(err, &exit) { // the exit status of most servers after a signal
			return nil
		}
		return err
	case <-time.After(20 * time.Second):
		return syscall.Kill(p.pid, syscall.SIGKILL)
	}
}

// useChild makes the server the only child of the process, which is a program such as strace.
func (p *process) useChild() error {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", p.pid, p.pid))
	if err != nil {
		return err
	}
	p.pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
	return err
}

// clockTick is the unit of the CPU times in /proc, a constant of Linux.
const clockTick = 10 * time.Millisecond

// cpuTime returns the server's CPU time.
func (p *process) cpuTime() (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	user, err := strconv.Atoi(string(fields[11]))
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(string(fields[12]))
	return time.Duration(user+system) * clockTick, err
}

// memory returns the server's resident memory in bytes.
func (p *process) memory() (int, error) { return p.status("VmRSS:") }

// peakMemory returns the server's peak resident memory, in bytes.
func (p *process) peakMemory() (int, error) { return p.status("VmHWM:") }

// status returns an amount of memory of the process in bytes.
func (p *process) status(name string) (int, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		return 0, err
	}
	_, after, _ := bytes.Cut(data, []byte(name))
	var kib int
	_, err = fmt.Sscan(string(after), &kib)
	return kib << 10, err
}
