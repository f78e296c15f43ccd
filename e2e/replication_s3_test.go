//go:build s3

package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"storefront/db/dbtest"
)

// versitygwModule is a server of the S3 protocol that stores objects in a folder.
const versitygwModule = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"

// versitygwVariable names a versitygw that is there already; without it the test builds one.
const versitygwVariable = "STOREFRONT_TEST_VERSITYGW"

// These tests are not parallel: the credentials are in the environment of the whole process.
func TestReplication_LostMachineS3(t *testing.T) {
	s := newS3(t)
	s.start()
	deleteData(t, s.address)
}

// A bucket that is out of reach, from the start on or later, costs the shops nothing.
func TestReplication_UnreachableS3(t *testing.T) {
	s := newS3(t)
	data, uids := marketShops(t, 2)
	p := serve(t, "--data", data, "--rate", "0", "--replica", s.address)
	m := openMarket(t, p, uids, 4)
	p.wantLogged("replica unavailable, changes are buffered", "reachable")
	m.sell(100)
	s.start()
	p.wantLogged("replication resumed")
	s.stop()
	m.sell(100)
	m.close()
	s.start()
	if code := p.stop(); code != 0 {
		t.Errorf("the server stopped with %d:\n%s", code, p.logged())
	}
	wantReplicated(t, s.address, m)
	if log := p.logged(); strings.Contains(log, s3Secret) {
		t.Errorf("the secret is in the log:\n%s", log)
	}
}

const s3Secret = "tester-secret"

// s3Server is a server of the S3 protocol with a bucket.
type s3Server struct {
	t               *testing.T
	program, listen string
	objects, aside  string // folders: of objects, and of what is known about them
	address         string // of a replica in the bucket
	cmd             *exec.Cmd
}

// newS3 prepares a server that is not started yet.
func newS3(t *testing.T) *s3Server {
	t.Helper()
	dir, listen := t.TempDir(), freeAddress(t)
	s := &s3Server{
		t: t, program: versitygwProgram(t), listen: listen, objects: filepath.Join(dir, "objects"), aside: filepath.Join(dir, "aside"),
		address: "s3://shops/replica?region=us-east-1&forcePathStyle=true&endpoint=http://" + listen,
	}
	for _, folder := range []string{filepath.Join(s.objects, "shops"), s.aside} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "tester")
	t.Setenv("AWS_SECRET_ACCESS_KEY", s3Secret)
	t.Setenv("AWS_CA_BUNDLE", "") // the S3 client cannot use one
	return s
}

func (s *s3Server) start() {
	s.t.Helper()
	s.cmd = exec.Command(s.program, "--access", "tester", "--secret", s3Secret, "--port", s.listen, "--quiet",
		"posix", "--sidecar", s.aside, s.objects)
	if err := dbtest.StartServer(s.cmd); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(s.stop)
	dbtest.Eventually(s.t, "the S3 server listens", func() bool {
		conn, err := net.Dial("tcp", s.listen)
		return err == nil && conn.Close() == nil
	})
}

func (s *s3Server) stop() {
	_ = s.cmd.Process.Kill() // it may have been stopped already
	_ = s.cmd.Wait()
}

// versitygwProgram returns the server's binary, built by the Go command unless one is configured.
func versitygwProgram(t *testing.T) string {
	t.Helper()
	if named := os.Getenv(versitygwVariable); named != "" {
		return named
	}
	dir := t.TempDir()
	install := exec.Command("go", "install", versitygwModule)
	install.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-mod=mod")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("no S3 server to test with: go install %s: %v\n%s", versitygwModule, err, out)
	}
	return filepath.Join(dir, "versitygw")
}
