package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const typescript = "../clients/typescript"

// npm runs a tool of the TypeScript client. The test is skipped where its tools are not installed.
func npm(t *testing.T, env []string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skipf("this test needs Node.js: %v", err)
	}
	if _, err := os.Stat(filepath.Join(typescript, "node_modules")); err != nil {
		t.Skipf("run npm ci --ignore-scripts in %s first: %v", typescript, err)
	}
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
	npm(t, nil, "run", "lint")
}

// The committed types are those of the document, and a client made of them browses, registers and
// orders.
func TestTypeScriptClient_Demo(t *testing.T) {
	t.Parallel()
	npm(t, nil, "run", "generate", "--", "--check")
	p := serve(t, "--dev", "--data", t.TempDir())
	npm(t, nil, "run", "build")
	npm(t, []string{"STOREFRONT_URL=" + p.url}, "test")
}
