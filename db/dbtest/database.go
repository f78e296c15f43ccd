package dbtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// engineVariable is the environment variable of the program with the address of a database.
const engineVariable = "STOREFRONT_ENGINE"

// databases are the databases of the folders of this process's tests.
var databases struct {
	mu       sync.Mutex
	template string             // has the tables; "" until the first folder
	of       map[string]*folder // by its path
}

// clusters are the names of tests with a [Cluster].
var clusters sync.Map

// folder is a data folder with a database.
type folder struct {
	database string
	ended    bool // the test that created it
}

// Database returns the address of a database that only the data folder dir uses, on the server of
// the database for tests; "" if tests run on files. script creates the tables. The database is
// dropped some time after the folder.
func Database(tb testing.TB, dir, script string) string {
	tb.Helper()
	if !OnPostgres() {
		return ""
	}
	databases.mu.Lock()
	defer databases.mu.Unlock()
	if databases.template == "" {
		name := "template_" + strconv.Itoa(os.Getpid())
		psql(tb, "", "CREATE DATABASE "+name)
		psql(tb, name, script)
		databases.template, databases.of = name, map[string]*folder{}
	}
	for dir, f := range databases.of {
		if _, err := os.Stat(dir); f.ended && errors.Is(err, fs.ErrNotExist) {
			psql(tb, "", "DROP DATABASE "+f.database+" WITH (FORCE)")
			delete(databases.of, dir)
		}
	}
	f := databases.of[absolute(tb, dir)]
	if f == nil {
		f = newFolder(tb, dir)
		psql(tb, "", "CREATE DATABASE "+f.database+" TEMPLATE "+databases.template+" STRATEGY file_copy")
	}
	return address(f.database)
}

// newFolder assigns a database to a data folder. The caller has locked databases.
func newFolder(tb testing.TB, dir string) *folder {
	tb.Helper()
	dir = absolute(tb, dir)
	f := &folder{database: "folder_" + digest(dir, strconv.Itoa(os.Getpid()))}
	databases.of[dir] = f
	tb.Cleanup(func() {
		databases.mu.Lock()
		defer databases.mu.Unlock()
		f.ended = true
	})
	return f
}

func absolute(tb testing.TB, dir string) string {
	tb.Helper()
	path, err := filepath.Abs(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// address returns the address of a database on the test server; "" means the default database.
func address(database string) string {
	if database == "" {
		return os.Getenv(PostgresVariable)
	}
	return os.Getenv(PostgresVariable) + " dbname=" + database // the last of several values counts
}

// psql executes statements in a database on the test server.
func psql(tb testing.TB, database, statements string) {
	tb.Helper()
	if err := execute(database, statements); err != nil {
		tb.Fatal(err)
	}
}

func execute(database, statements string) error {
	cmd := exec.Command("psql", address(database), "-XqtA", "-v", "ON_ERROR_STOP=1")
	cmd.Stdin = strings.NewReader(statements)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("psql: %w: %s", err, out)
	}
	return nil
}

// CopyDatabase copies the [Database] of the data folder from, which no process has open, to the
// folder to. It does nothing if tests run on files.
func CopyDatabase(tb testing.TB, from, to, script string) {
	tb.Helper()
	if !OnPostgres() {
		return
	}
	Database(tb, from, script)
	databases.mu.Lock()
	defer databases.mu.Unlock()
	source, target := databases.of[absolute(tb, from)], databases.of[absolute(tb, to)]
	if target == nil {
		target = newFolder(tb, to)
	} else {
		psql(tb, "", "DROP DATABASE "+target.database)
	}
	var failed error
	Eventually(tb, "the connections of ended processes are closed, and the database is copied", func() bool {
		failed = execute("", "CREATE DATABASE "+target.database+" TEMPLATE "+source.database+" STRATEGY file_copy")
		return failed == nil
	}, func() string { return fmt.Sprint(failed) })
}

// Environment returns the variable that makes the program store shops in the [Database] of a
// command line's data folder. It returns nil if tests run on files, or if the test selects the
// database itself: by the environment, by a flag or with a [Cluster].
func Environment(tb testing.TB, args []string, script string) []string {
	tb.Helper()
	at := slices.Index(args, "--data") + 1
	if selectsDatabase(tb) || slices.Contains(args, "--engine") || !OnPostgres() || at == 0 || at == len(args) {
		return nil
	}
	return []string{engineVariable + "=" + Database(tb, args[at], script)}
}

// selectsDatabase reports whether the test selects the database itself, by the environment or with
// a [Cluster].
func selectsDatabase(tb testing.TB) bool {
	_, named := os.LookupEnv(engineVariable)
	_, chosen := clusters.Load(rootTest(tb))
	return named || chosen
}

// rootTest returns the name of the test without its subtests.
func rootTest(tb testing.TB) string {
	name, _, _ := strings.Cut(tb.Name(), "/")
	return name
}
