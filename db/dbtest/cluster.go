package dbtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Cluster is a PostgreSQL server of a test's own, which the test may kill.
type Cluster struct {
	tb      testing.TB
	dir     string // with the data, the log and the socket
	options []string
	server  *exec.Cmd // nil if not running
}

// programs returns the folder of the installed server's programs, "" if there is none.
func programs() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[len(found)-1])
}

// NewCluster starts a server with those settings, such as "max_connections=20". It is stopped when
// the test ends.
func NewCluster(tb testing.TB, settings ...string) *Cluster {
	tb.Helper()
	NeedPostgres(tb)
	c := newCluster(tb, settings)
	clusters.Store(rootTest(tb), true)
	tb.Cleanup(func() { clusters.Delete(rootTest(tb)) })
	c.run("initdb", "-D", c.data(), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale", "C", "--no-sync")
	c.Start()
	return c
}

func newCluster(tb testing.TB, settings []string) *Cluster {
	tb.Helper()
	if programs() == "" {
		tb.Skip("needs the programs of a PostgreSQL server in /usr/lib/postgresql")
	}
	dir, err := os.MkdirTemp("", "pg") // short: the path of a socket is limited
	if err != nil {
		tb.Fatal(err)
	}
	c := &Cluster{tb: tb, dir: dir}
	for _, setting := range append([]string{"fsync=off", "listen_addresses=", "unix_socket_directories=" + dir}, settings...) {
		c.options = append(c.options, "-c", setting)
	}
	if os.Geteuid() == 0 {
		if out, err := exec.Command("chown", "postgres", dir).CombinedOutput(); err != nil {
			tb.Fatalf("%v: %s", err, out)
		}
	}
	tb.Cleanup(func() {
		c.Kill()
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return c
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// command returns a command of the server's, which must not run as root.
func (c *Cluster) command(name string, args ...string) *exec.Cmd {
	line := append([]string{filepath.Join(programs(), name)}, args...)
	if os.Geteuid() == 0 {
		line = append([]string{"setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups"}, line...)
	}
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir = c.dir
	return cmd
}

func (c *Cluster) run(name string, args ...string) {
	c.tb.Helper()
	if out, err := c.command(name, args...).CombinedOutput(); err != nil {
		c.tb.Fatalf("%s: %v: %s", name, err, out)
	}
}

// Start starts the server and waits until it accepts connections.
func (c *Cluster) Start() {
	c.tb.Helper()
	Eventually(c.tb, "the server runs", func() bool {
		var log bytes.Buffer
		server := c.command("postgres", slices.Concat([]string{"-D", c.data()}, c.options)...)
		server.Stderr = &log
		if err := StartServer(server); err != nil {
			c.tb.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			_ = server.Wait() // killed
			close(ended)
		}()
		ready := false
		Eventually(c.tb, "the server accepts connections or ends", func() bool {
			select {
			case <-ended: // processes of the killed server may still be ending
				return true
			default:
			}
			ready = c.command("pg_isready", "-q", "-h", c.dir).Run() == nil
			return ready
		}, log.String)
		if ready {
			c.server = server
		}
		return ready
	})
}

// Kill ends the server immediately, including the processes of its connections, which would respond
// for a moment longer.
func (c *Cluster) Kill() {
	if c.server == nil {
		return
	}
	pid := c.server.Process.Pid
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid)) // none outside of Linux
	_ = c.server.Process.Kill()                                                    // it may have ended
	for _, child := range strings.Fields(string(children)) {
		if id, err := strconv.Atoi(child); err == nil {
			if p, err := os.FindProcess(id); err == nil {
				_ = p.Kill()
			}
		}
	}
	c.server = nil
}

// Standby starts a standby of the server.
func (c *Cluster) Standby() *Cluster {
	c.tb.Helper()
	s := newCluster(c.tb, []string{"unix_socket_permissions=0777"})
	s.run("pg_basebackup", "-h", c.dir, "-U", "postgres", "-D", s.data(), "-R", "-c", "fast", "--no-sync")
	s.Start()
	return s
}

// SQL executes statements as the superuser, in the database postgres, and returns their output.
func (c *Cluster) SQL(statements string) string {
	c.tb.Helper()
	var errors bytes.Buffer
	cmd := c.command("psql", "-h", c.dir, "-U", "postgres", "-XqtA", "-v", "ON_ERROR_STOP=1", "-c", statements)
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		c.tb.Fatalf("%v: %s", err, errors.String())
	}
	return string(bytes.TrimSpace(out))
}

// Socket returns the path of the server's socket.
func (c *Cluster) Socket() string { return filepath.Join(c.dir, ".s.PGSQL.5432") }

// Address returns the address of a database at the server.
func (c *Cluster) Address(database string) string {
	return "host=" + c.dir + " user=postgres dbname=" + database
}
