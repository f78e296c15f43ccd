package e2e

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"storefront/db/dbtest"
)

// An image that one server of a database has received is served by the other. A server that stores
// images elsewhere does not start beside one that runs.
func TestEngines_ImagesAtTwoServers(t *testing.T) {
	useDatabase(t, dbtest.NewCluster(t).Address("postgres"))
	servers := serveTwice(t)
	data := newShop(t, "acme", 1)
	key := mediaKey(t, data, "acme")
	var image uploaded
	a := servers[0].must(upload("acme", key, photo(t, 400, 300, 1)))
	if err := json.Unmarshal(a.body, &image); err != nil {
		t.Fatalf("%v in %d %s", err, a.status, a.body)
	}
	path := "/media/acme/" + image.ID + "/400.jpg"
	if a := servers[1].must(request{method: "GET", path: path}); a.status != http.StatusOK || len(a.body) == 0 {
		t.Errorf("at the other server: got %d, want the image", a.status)
	}
	wantWithheld(t, servers[1], data)

	t.Setenv("STOREFRONT_MEDIA_STORAGE", "")
	other := []string{"serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data")}
	out, err := storefront(t, other...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--media-storage") {
		t.Errorf("images elsewhere: got %v, want what to do:\n%s", err, out)
	}
	for _, p := range servers {
		p.kill()
	}
	out, err = storefront(t, other...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "half a minute") {
		t.Errorf("beside killed servers: got %v, want what to do:\n%s", err, out)
	}
}

// A server with a folder of its own for images starts again after it was killed, and lets another
// one start when it has stopped.
func TestEngines_ImagesInDataFolder(t *testing.T) {
	useDatabase(t, dbtest.NewCluster(t).Address("postgres"))
	data := filepath.Join(t.TempDir(), "data")
	serve(t, "--data", data).kill()
	serve(t, "--data", data).stop()
	serve(t, "--data", filepath.Join(t.TempDir(), "data"))
}
