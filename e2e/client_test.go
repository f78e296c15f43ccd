package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const typescript = "../clients/typescript"

// clientFolder is held while a script writes the documents and types in the client's folder.
var clientFolder sync.Mutex

// npm runs a tool of the TypeScript client. The test is skipped where its tools are not installed.
func npm(t *testing.T, env []string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skipf("this test needs Node.js: %v", err)
	}
	if _, err := os.Stat(filepath.Join(typescript, "node_modules")); err != nil {
		t.Skipf("run npm ci --ignore-scripts in %s first: %v", typescript, err)
	}
	clientFolder.Lock()
	defer clientFolder.Unlock()
	cmd := exec.Command("npm", append([]string{"--silent"}, args...)...)
	cmd.Dir = typescript
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm %q: %v\n%s", args, err, out)
	}
}

// The document breaks no rule of the linter, which also holds it against the schema of OpenAPI 3.1
// and its examples against the schemas beside them.
func TestOpenAPI_Linter(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	npm(t, nil, "run", "lint")
}

// The client compiles with the types that are generated from the documents. The script that writes
// the documents would compile the program for each of them.
func TestTypeScriptClient_Types(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	npm(t, nil, "--version") // or skips the test
	clientFolder.Lock()
	for name, args := range map[string][]string{"openapi.yaml": {"openapi", "--yaml"}, "admin.yaml": {"openapi", "--admin", "--yaml"}} {
		if err := os.WriteFile(filepath.Join(typescript, name), []byte(run(t, args...)), 0o600); err != nil {
			t.Error(err)
		}
	}
	clientFolder.Unlock()
	for _, script := range []string{"generate", "build"} {
		npm(t, nil, "run", "--ignore-scripts", script)
	}
}

// A small app is built against the package as it is published, and browses, orders over a line that
// fails, cancels and registers. What must not compile, does not.
func TestTypeScriptClient_Package(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	dir := t.TempDir()
	npm(t, nil, "pack", "--pack-destination", dir)
	p := serve(t, "--dev", "--data", demoData(t))
	tool := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "STOREFRONT_URL="+p.url)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	packed := tool("tar", "-tzf", "storefront-client-0.15.0.tgz")
	for _, file := range []string{"package/dist/client.js", "package/dist/client.d.ts", "package/dist/schema.d.ts", "package/README.md"} {
		if !strings.Contains(packed, file+"\n") {
			t.Errorf("the package lacks %s:\n%s", file, packed)
		}
	}
	if strings.Contains(packed, "test") || strings.Contains(packed, "package/src") {
		t.Errorf("the package has files that nobody needs:\n%s", packed)
	}
	modules := filepath.Join(dir, "node_modules")
	installed := filepath.Join(modules, "@storefront", "client")
	if err := os.MkdirAll(installed, 0o700); err != nil {
		t.Fatal(err)
	}
	tool("tar", "-xzf", "storefront-client-0.15.0.tgz", "-C", installed, "--strip-components=1")
	tools, err := filepath.Abs(filepath.Join(typescript, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dependency := range []string{"openapi-fetch", "openapi-typescript-helpers", "@types"} {
		if err := os.Symlink(filepath.Join(tools, dependency), filepath.Join(modules, dependency)); err != nil {
			t.Skipf("symbolic links are not available: %v", err)
		}
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(typescript, "test", "app"))); err != nil {
		t.Fatal(err)
	}
	tool(filepath.Join(tools, ".bin", "tsc"))
	if got, want := tool("node", "app.js"), "Waiting for the shop, Cancelled\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

const generators = "../clients/generators"

// Generators that storefronts use read the document and the GraphQL schema, which a server returns
// without a shop, without a warning, and what they generate compiles. The server passes the audit
// of GraphQL over HTTP.
func TestGenerators_Clean(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	if _, err := os.Stat(filepath.Join(generators, "node_modules")); err != nil {
		t.Skipf("run npm ci --ignore-scripts in %s first: %v", generators, err)
	}
	p := serve(t, "--dev", "--data", demoData(t))
	for _, script := range []string{"orval", "graphql", "audit", "compile"} {
		cmd := exec.Command("npm", "--silent", "run", script)
		cmd.Dir = generators
		cmd.Env = append(os.Environ(), "STOREFRONT_URL="+p.url, "NO_COLOR=1")
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(strings.ToLower(string(out)), "warn") {
			t.Errorf("npm run %s: %v\n%s", script, err, out)
		}
	}
}
