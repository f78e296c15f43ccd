package main

import (
	"bytes"
	"context"
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
	pid     int // of the server itself, where it runs under another program
	started time.Duration
	ended   chan error
}

// freeAddress gives an address that nobody listens on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// start runs a server with its log in a file, and waits until it answers at a path.
func start(ctx context.Context, folder, name, address, path string, env []string, argv ...string) (*process, error) {
	log, err := os.Create(filepath.Join(folder, name+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p := &process{name: name, address: address, cmd: exec.Command(argv[0], argv[1:]...), ended: make(chan error, 1)}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Env = append(os.Environ(), env...)
	began := time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p.pid = p.cmd.Process.Pid
	go func() { p.ended <- p.cmd.Wait() }()
	for ctx.Err() == nil {
		select {
		case err := <-p.ended:
			return nil, fmt.Errorf("%s ended: %w; see %s", name, err, log.Name())
		default:
		}
		if answer, err := http.Get("http://" + address + path); err == nil {
			_ = answer.Body.Close()
			p.started = time.Since(began)
			return p, nil
		}
		time.Sleep(2 * time.Millisecond)
	}
	return nil, ctx.Err()
}

// stop ends the server; what it runs under ends with it.
func (p *process) stop() error {
	if err := syscall.Kill(p.pid, syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-p.ended:
		var exit *exec.ExitError
		if errors.As(err, &exit) { // a signal ends most servers
			return nil
		}
		return err
	case <-time.After(20 * time.Second):
		return syscall.Kill(p.pid, syscall.SIGKILL)
	}
}

// child makes the server the one process that a program such as strace runs.
func (p *process) child() error {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", p.pid, p.pid))
	if err != nil {
		return err
	}
	p.pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
	return err
}

// clockTick is the unit of the processor times in /proc, which Linux fixes for programs.
const clockTick = 10 * time.Millisecond

// processor gives the processor time that the server has used.
func (p *process) processor() (time.Duration, error) {
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

// memory gives the server's resident memory in bytes.
func (p *process) memory() (int, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		return 0, err
	}
	_, after, _ := bytes.Cut(data, []byte("VmRSS:"))
	var kib int
	_, err = fmt.Sscan(string(after), &kib)
	return kib << 10, err
}
