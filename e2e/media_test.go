package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"storefront/provider/mail/mailtest"
)

// photo returns a JPEG that differs by n.
func photo(t *testing.T, width, height, n int) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Set(x, y, color.RGBA{uint8(x + n), uint8(y * n), uint8(x ^ y), 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, nil); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// mediaKey returns a key that may change products of a shop.
func mediaKey(t *testing.T, data, uid string) string {
	t.Helper()
	return adminKey(t, data, uid, "products.read,products.write")
}

// adminKey returns a key of a shop's Admin API with those scopes.
func adminKey(t *testing.T, data, uid, scopes string) string {
	t.Helper()
	var key struct{ Token string }
	decode(t, run(t, "token", "create", uid, "--name", "Test", "--scope", scopes, "--json", "--data", data), &key)
	return key.Token
}

func upload(uid, key, body string) request {
	return request{
		method: "POST", path: "/admin/v1/shops/" + uid + "/media?alt=A+jar", token: key, body: body,
		header: map[string]string{"Content-Type": "image/jpeg"},
	}
}

type uploaded struct {
	ID            string `json:"_id"`
	URL           string
	Width, Height int
	Renditions    []struct {
		Width, Height int
		URL           string
	}
}

// size returns the width and height of the JPEG at an absolute URL of the server.
func (p *process) size(url string) (width, height int) {
	p.t.Helper()
	got := p.must(request{method: "GET", path: strings.TrimPrefix(url, p.url)})
	if got.status != http.StatusOK || got.header.Get("Content-Type") != "image/jpeg" {
		p.t.Fatalf("%s: got %d %s", url, got.status, got.header.Get("Content-Type"))
	}
	m, err := jpeg.Decode(bytes.NewReader(got.body))
	if err != nil {
		p.t.Fatalf("%s: %v", url, err)
	}
	return m.Bounds().Dx(), m.Bounds().Dy()
}

// wholeImages returns the IDs of a shop's images, after checking that all their files are served.
func (p *process) wholeImages(uid, key string) (ids []string) {
	p.t.Helper()
	var list struct{ Nodes []uploaded }
	if err := json.Unmarshal(p.must(request{method: "GET", path: "/admin/v1/shops/" + uid + "/media?limit=100", token: key}).body, &list); err != nil {
		p.t.Fatal(err)
	}
	for _, image := range list.Nodes {
		ids = append(ids, image.ID)
		for _, one := range image.Renditions {
			if width, height := p.size(one.URL); width != one.Width || height != one.Height {
				p.t.Errorf("%s: got %d × %d, want %d × %d", one.URL, width, height, one.Width, one.Height)
			}
		}
	}
	return ids
}

// A photo is uploaded, shown with a product, served in the sizes that buyers' devices need, and in
// the e-mail about an order.
func TestMedia_Product(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", 1)
	mails := mailtest.New(t, &mailtest.Options{Plain: true})
	run(t, "mail", "configure", "acme", "host="+mails.Host, fmt.Sprint("port=", mails.Port), "security=none", "from=orders@shop.example", "--data", data)
	run(t, "tenant", "set", "acme", `buyerMessages={"email":["placed"]}`, "--data", data)
	p := serve(t, "--data", data, "--private-providers")
	key := mediaKey(t, data, "acme")
	id, _ := p.product("acme", "item-0")
	var image uploaded
	created := p.must(upload("acme", key, photo(t, 2400, 1200, 1)))
	if err := json.Unmarshal(created.body, &image); err != nil || created.status != http.StatusCreated {
		t.Fatalf("got %d %s, want an image", created.status, created.body)
	}
	changed := p.must(request{
		method: "PATCH", path: "/admin/v1/shops/acme/products/" + id, token: key,
		body: map[string]any{"images": []any{map[string]any{"mediaId": image.ID}}},
	})
	if changed.status != http.StatusOK {
		t.Fatalf("got %d %s, want the product with its image", changed.status, changed.body)
	}
	var product struct {
		Images []struct {
			uploaded
			Alt string
		}
	}
	if err := json.Unmarshal(p.must(request{method: "GET", path: "/api/v1/products/" + id, tenant: "acme"}).body, &product); err != nil {
		t.Fatal(err)
	}
	if len(product.Images) != 1 || product.Images[0].Alt != "A jar" || product.Images[0].Width != 2048 || product.Images[0].Height != 1024 ||
		!strings.HasPrefix(product.Images[0].URL, p.url+"/media/acme/") {
		t.Fatalf("got %+v, want the image at an absolute URL", product.Images)
	}
	var widths []string
	for _, one := range product.Images[0].Renditions {
		if width, height := p.size(one.URL); width != one.Width || height != one.Height {
			t.Errorf("%s: got %d × %d, want %d × %d", one.URL, width, height, one.Width, one.Height)
		}
		widths = append(widths, fmt.Sprint(one.Width))
	}
	if got, want := strings.Join(widths, " "), "2048 1280 640 320 160"; got != want {
		t.Errorf("got the widths %s, want %s", got, want)
	}
	if width, height := p.size(product.Images[0].URL); width != 2048 || height != 1024 {
		t.Errorf("got %d × %d, want 2048 × 1024", width, height)
	}
	order := orderOf(id, 1)
	order["customer"] = map[string]any{"name": "Rahim", "phoneNumber": "01711-000000", "email": "rahim@example.com"}
	if placed := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: order}); placed.status != http.StatusCreated {
		t.Fatalf("got %d %s, want an order", placed.status, placed.body)
	}
	m := mails.Next(t, "rahim@example.com")
	picture := regexp.MustCompile(`<img src="([^"]+)" alt="" width="64" height="32"`).FindStringSubmatch(m.HTML)
	if picture == nil || m.Text == "" {
		t.Fatalf("got an e-mail without a picture:\n%s", m.Raw)
	}
	if width, height := p.size(picture[1]); width != 160 || height != 80 {
		t.Errorf("got a picture of %d × %d in the e-mail, want 160 × 80", width, height)
	}
	backups := t.TempDir()
	run(t, "backup", "acme", backups, "--data", data)
	for command, dir := range map[string]string{
		"media verify acme": data, "doctor acme --public-url " + p.url: data, "backup verify " + backups: backups,
	} {
		flippedByte(t, filepath.Join(dir, "media", "acme", image.ID[:2], image.ID, "160.jpg"), data, command)
	}
}

// flippedByte runs a command that accepts an image's file, and fails while one byte of it differs.
func flippedByte(t *testing.T, path, data, command string) {
	t.Helper()
	args := append(strings.Fields(command), "--data", data)
	// doctor may fail for what else it finds, such as a database of tests that is not durable.
	if out, err := storefront(t, args...).CombinedOutput(); strings.Contains(string(out), "damaged") || err != nil && args[0] != "doctor" {
		t.Fatalf("%s: got %s and %v, want no damaged image", command, out, err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := slices.Clone(content)
	changed[len(changed)/2] ^= 1
	if err := os.WriteFile(path, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := storefront(t, args...).CombinedOutput(); err == nil || !strings.Contains(string(out), "damaged") {
		t.Errorf("%s: got %s and %v, want a damaged image", command, out, err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A server is killed while images are uploaded: each image that it lists or has acknowledged is
// whole.
func TestMedia_KilledServer(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", 1)
	key := mediaKey(t, data, "acme")
	photos := make([]string, 12)
	for i := range photos {
		photos[i] = photo(t, 700, 500, i+1)
	}
	acknowledged := map[string]bool{}
	for round := range 3 {
		p := serve(t, "--data", data, "--rate", "0")
		var wg sync.WaitGroup
		var mu sync.Mutex
		answered := make(chan struct{}, len(photos))
		for worker := range 2 {
			wg.Go(func() {
				for i := worker + 4*round; i < len(photos); i += 2 {
					got, err := p.do(upload("acme", key, photos[i]))
					if err != nil || got.status >= 300 {
						if err != nil {
							return // the server is gone
						}
						continue // the other upload is at the decoder
					}
					var image uploaded
					mu.Lock()
					if json.Unmarshal(got.body, &image) == nil {
						acknowledged[image.ID] = true
					}
					mu.Unlock()
					answered <- struct{}{}
				}
			})
		}
		for range 2 {
			<-answered
		}
		p.kill()
		wg.Wait()
	}

	p := serve(t, "--data", data, "--rate", "0")
	all := p.wholeImages("acme", key)
	for id := range acknowledged {
		if !slices.Contains(all, id) {
			t.Errorf("the image %s was acknowledged and is lost", id)
		}
	}
	if len(all) < 4 {
		t.Errorf("got %d images, want those of three rounds", len(all))
	}
}

// Buyers see an uploaded photo in a size that fits their screen.
func TestMedia_Page(t *testing.T) {
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	key := mediaKey(t, data, "demo")
	id, _ := p.product("demo", "mango-pickle")
	var image uploaded
	created := p.must(upload("demo", key, photo(t, 2400, 1200, 1)))
	if err := json.Unmarshal(created.body, &image); err != nil || created.status != http.StatusCreated {
		t.Fatalf("got %d %s, want an image", created.status, created.body)
	}
	p.must(request{
		method: "PATCH", path: "/admin/v1/shops/demo/products/" + id, token: key,
		body: map[string]any{"images": []any{map[string]any{"mediaId": image.ID}}},
	})
	b := openWindow(t, p, 360)
	b.Go(p.url + "/search?q=pickle")
	const shownImage = `[...document.querySelectorAll(".card-picture img")].find((one) => one.naturalWidth > 0 && one.currentSrc.includes("/media/"))`
	b.Wait(shownImage)
	var shown struct {
		URL   string
		Ratio float64
	}
	b.Eval(`({url: `+shownImage+`.currentSrc, ratio: devicePixelRatio})`, &shown)
	if want := map[float64]string{1: "320.jpg", 2: "640.jpg", 3: "640.jpg"}[shown.Ratio]; path.Base(shown.URL) != want {
		t.Errorf("got %s with %v pixels for a point, want %s for half the screen", shown.URL, shown.Ratio, want)
	}
}
