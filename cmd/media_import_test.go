package cmd_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/cmd"
)

// imageHost serves images, and what else a host may send, over TLS.
func imageHost(t *testing.T) (address, roots string) {
	t.Helper()
	var photo, icon bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewYCbCr(image.Rect(0, 0, 400, 300), image.YCbCrSubsampleRatio420), nil); err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(&icon, image.NewNRGBA(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	bomb := slices.Clone(icon.Bytes())
	binary.BigEndian.PutUint32(bomb[16:], 30_000) // the width in its header
	host := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/photo.jpg", "/same.jpg":
			w.Header().Set("Content-Type", "application/octet-stream") // hosts often do
			_, _ = w.Write(photo.Bytes())
		case "/moved.png":
			http.Redirect(w, r, "/icon.png?size=40", http.StatusFound)
		case "/icon.png":
			_, _ = w.Write(icon.Bytes())
		case "/page.png":
			_, _ = io.WriteString(w, "<!doctype html><script>alert(1)</script>")
		case "/bomb.png":
			_, _ = w.Write(bomb)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(host.Close)
	roots = filepath.Join(t.TempDir(), "roots.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: host.Certificate().Raw}
	if err := os.WriteFile(roots, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	return host.URL, roots
}

// runTrusting runs a command as a process that trusts the certificates in a file.
func (c *console) runTrusting(roots string, args ...string) result {
	c.t.Helper()
	p := preparedProcess(c.t, append(args, "--data", c.dir)...)
	p.Env = append(p.Env, "SSL_CERT_FILE="+roots)
	var stdout bytes.Buffer
	p.Stdout = &stdout
	_ = p.Run() // its error is the exit code
	return result{p.ProcessState.ExitCode(), stdout.String(), p.stderr.String()}
}

// The images of other hosts become uploaded ones, each by itself: one that cannot be imported is
// listed with the reason, stays as it is, and is retried by the next import.
func TestMedia_Import(t *testing.T) {
	t.Parallel()
	host, roots := imageHost(t)
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme", "--currency", "BDT", "--country", "BD")
	file := filepath.Join(t.TempDir(), "products.csv")
	rows := "Handle,Title,Published,Variant Price,Image Src,Image Alt Text\n" +
		"mug,Mug,TRUE,100,HOST/photo.jpg,A mug\n" + "mug,,,,HOST/moved.png,\n" + "mug,,,,HOST/missing.jpg,\n" +
		"tea,Tea,TRUE,100,HOST/same.jpg,\n" + "tea,,,,HOST/page.png,\n" + "tea,,,,HOST/bomb.png,\n" + "tea,,,,http://plain.example/x.png,\n"
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(rows, "HOST", host)), 0o600); err != nil {
		t.Fatal(err)
	}
	c.must("product", "import", "acme", file)
	name := strings.TrimPrefix(host, "https://")

	refused := c.run("media", "import", "acme", "--product", "mug")
	if refused.code != cmd.ExitFailed || strings.Count(refused.stdout, "is at a private or reserved address") != 3 {
		t.Errorf("without --private-providers: got %+v, want three refusals", refused)
	}
	if out := c.must("media", "import", "acme", "--dry-run"); !strings.HasSuffix(out, "\nImages to import: 7.\n") {
		t.Errorf("dry run: got %q", out)
	}

	type imported struct {
		Imported, Failed int
		Images           []struct {
			Title, URL           string
			Media, Code, Message *string
		}
	}
	run := func() (got imported, messages map[string]string) {
		t.Helper()
		r := c.runTrusting(roots, "media", "import", "acme", "--private-providers", "--json")
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || r.code != cmd.ExitFailed {
			t.Fatalf("import: got %+v, want failures", r)
		}
		messages = map[string]string{}
		for _, i := range got.Images {
			if i.Code != nil {
				messages[strings.TrimPrefix(i.URL, host)] = *i.Code + ": " + *i.Message
			}
		}
		return got, messages
	}
	failures := map[string]string{
		"/missing.jpg": "image_invalid: " + name + " responded with status 404.",
		"/page.png":    "image_invalid: " + name + " sent a file that is not a JPEG, PNG, WebP or GIF image.",
		"/bomb.png":    "image_invalid: The image has 30000 × 30 pixels: each side must have at most 12000.",

		"http://plain.example/x.png": "image_invalid: The address of the image must begin with https:// and have no password.",
	}
	first, messages := run()
	if diff := cmp.Diff(failures, messages); diff != "" || first.Imported != 3 || first.Failed != 4 {
		t.Errorf("first import: got %d imported, %d failed, failures (-want +got):\n%s", first.Imported, first.Failed, diff)
	}
	again, messages := run()
	if diff := cmp.Diff(failures, messages); diff != "" || again.Imported != 0 || again.Failed != 4 {
		t.Errorf("second import: got %d imported, %d failed, failures (-want +got):\n%s", again.Imported, again.Failed, diff)
	}

	var products []struct {
		Handle string
		Images []struct{ URL string }
	}
	if err := json.Unmarshal([]byte(c.must("product", "list", "acme", "--json")), &products); err != nil {
		t.Fatal(err)
	}
	shown := map[string][]string{}
	for _, p := range products {
		for _, i := range p.Images {
			shown[p.Handle] = append(shown[p.Handle], i.URL[strings.LastIndex(i.URL, "/")+1:])
		}
	}
	want := map[string][]string{"mug": {"400.jpg", "40.png", "missing.jpg"}, "tea": {"400.jpg", "page.png", "bomb.png", "x.png"}}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("images of products (-want +got):\n%s", diff)
	}
	library := nodes[struct{ UsedBy int }](c, "api", "acme", "listMedia")
	if len(library) != 2 || library[0].UsedBy+library[1].UsedBy != 3 {
		t.Errorf("library: got %+v, want the picture of two addresses once", library)
	}
	if out := c.must("media", "verify", "acme"); out != "All files are intact. Images: 2.\n" {
		t.Errorf("files: got %q", out)
	}
	if out := c.must("audit", "acme"); strings.Count(out, "media.import") != 5 {
		t.Errorf("audit: got %s, want two images and three changes of products", out)
	}
	c.fails(cmd.ExitFailed, "does not exist", "media", "import", "acme", "--product", "nothing")
}

// A shop without images of other hosts has nothing to import.
func TestMedia_ImportNothing(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme", "--currency", "BDT", "--country", "BD")
	if out := c.must("media", "import", "acme"); out != "No product shows an image of another host.\n" {
		t.Errorf("got %q", out)
	}
	if out := c.must("media", "import", "acme", "--json"); !strings.Contains(out, `"images": []`) {
		t.Errorf("got %q, want an empty list", out)
	}
}
