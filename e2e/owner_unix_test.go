//go:build unix

package e2e

import (
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"storefront/db/dbtest"
)

const (
	serviceUser = 12345 // of the server and of the data folder
	thirdUser   = 23456
)

// asUser returns a command that another user runs. program is a copy of this test binary that every
// user can execute.
func asUser(t *testing.T, program string, uid uint32, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), programSchema+"="+filepath.Join(filepath.Dir(program), "schema.sql"))
	cmd.Dir = filepath.Dir(program)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	return cmd
}

// publicProgram copies this test binary and the schema to a folder that every user can read.
func publicProgram(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(filepath.Join(dir, "storefront"), os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "schema.sql"), []byte(schemaSQL(t)), 0o644); err != nil {
		t.Fatal(err)
	}
	return out.Name()
}

// wantOwner wants all files in a folder to belong to the service's user.
func wantOwner(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if st := info.Sys().(*syscall.Stat_t); st.Uid != serviceUser || st.Gid != serviceUser {
			t.Errorf("%s belongs to %d:%d, want %d", path, st.Uid, st.Gid, serviceUser)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// ownedFolder creates a folder of the service's user.
func ownedFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, serviceUser, serviceUser); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Root runs commands before and beside a server of another user: that user can open every file that
// they create, and continues to sell.
func TestOwner_CommandsOfRoot(t *testing.T) {
	dbtest.NeedFiles(t, "they belong to a user of the system")
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can run commands as two users")
	}
	data, dest, replica := ownedFolder(t), ownedFolder(t), ownedFolder(t)
	program := publicProgram(t)
	products := filepath.Join(filepath.Dir(newShop(t, "other", 5)), "products.csv") // readable by root only
	run(t, "tenant", "create", "acme", "--name", "Acme", "--data", data)
	manyOrders(t, data, "acme")
	run(t, "product", "import", "acme", products, "--data", data)
	wantOwner(t, data)

	p := start(t, asUser(t, program, serviceUser, "serve", "--listen", "127.0.0.1:0", "--data", data, "--rate", "0", "--replica", replica))
	p.order("acme", "one").want(t, http.StatusCreated, "")
	p.must(upload("acme", mediaKey(t, data, "acme"), photo(t, 400, 300, 1))).want(t, http.StatusCreated, "")
	run(t, "order", "list", "acme", "--data", data)
	run(t, "tenant", "create", "second", "--name", "Second", "--data", data)
	run(t, "seed", "second", "--data", data)
	run(t, "tenant", "set", "second", `domains=["second.example.com"]`, "--data", data)
	backup := backUp(t, data, "acme", dest)
	run(t, "backup", "--all", dest, "--with-key", "--data", data)
	run(t, "restore", backup, "--data", data)
	p.order("acme", "two").want(t, http.StatusCreated, "")
	run(t, "restore", backup, "--as", "copy", "--data", data)
	run(t, "tenant", "delete", "copy", "--yes", "--data", data)
	dbtest.Eventually(t, "the replica has the shop", func() bool {
		return storefront(t, "restore", "acme", "--replica", replica, "--data", data).Run() == nil
	}, p.logged)
	run(t, "tenant", "export", "acme", filepath.Join(dest, "acme.jsonl"), "--data", data)
	run(t, "tenant", "import", filepath.Join(dest, "acme.jsonl"), "--as", "imported", "--data", data)
	run(t, "migrate", "--all", "--data", data)
	_ = storefront(t, "doctor", "--data", data).Run() // finds that no public URL is set
	for _, uid := range []string{"acme", "second", "imported"} {
		run(t, "tenant", "resume", uid, "--data", data)
		p.must(request{method: "GET", path: "/api/v1/products", tenant: uid}).want(t, http.StatusOK, "")
	}
	p.order("acme", "three").want(t, http.StatusCreated, "")
	wantOwner(t, data)
	if err := os.Remove(filepath.Join(dest, "acme.jsonl")); err != nil { // the caller's own file
		t.Fatal(err)
	}
	wantOwner(t, dest)
	if code := p.stop(); code != 0 {
		t.Errorf("the server stopped with %d:\n%s", code, p.logged())
	}

	// An upgrade by root before the new server starts.
	useLater(t, data)
	run(t, "migrate", "--all", "--data", data)
	wantOwner(t, data)

	// Root may not serve the folder, and a third user may not do anything with it.
	wantRefused(t, []string{"serve", "--listen", "127.0.0.1:0", "--data", data}, "belongs to uid 12345", "uid 0")
	for _, dir := range []string{filepath.Dir(data), data, filepath.Join(data, "tenants")} {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(filepath.Dir(data)), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := asUser(t, program, thirdUser, "tenant", "create", "third", "--name", "Third", "--data", data).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "belongs to uid 12345") {
		t.Errorf("a command of a third user: got %v\n%s\nwant a refusal", err, out)
	}
	wantOwner(t, data)
}

// A shop whose file belongs to root raises an alert with the cause, and doctor finds the file. With
// the right owner the shop is served and the alert ends.
func TestOwner_ForeignFile(t *testing.T) {
	dbtest.NeedFiles(t, "they belong to a user of the system")
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can run commands as two users")
	}
	data := ownedFolder(t)
	program := publicProgram(t)
	run(t, "tenant", "create", "acme", "--name", "Acme", "--data", data)
	file := filepath.Join(data, "tenants", "acme.db")
	if err := os.Chown(file, 0, 0); err != nil {
		t.Fatal(err)
	}
	p := start(t, asUser(t, program, serviceUser, "serve", "--listen", "127.0.0.1:0", "--data", data, "--metrics-listen", "127.0.0.1:0"))
	p.must(request{method: "GET", path: "/api/v1/products", tenant: "acme"}).want(t, http.StatusServiceUnavailable, "unavailable")
	p.wantFailing("permission", 1)
	wantRefused(t, []string{"doctor", "--data", data}, "files do not belong to the owner", file, "chown -R 12345:12345 "+data)
	if out, err := exec.Command("chown", "-R", "12345:12345", data).CombinedOutput(); err != nil { // as doctor says
		t.Fatalf("%v %s", err, out)
	}
	p.must(request{method: "GET", path: "/api/v1/products", tenant: "acme"}).want(t, http.StatusOK, "")
	p.wantFailing("permission", 0)
}
