package page

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
)

// notificationIcon is the file beside a notification.
const notificationIcon = "icon/icon-192.png"

// worker returns the service worker, which stores the page and its files. Its version changes with
// any of them.
func (f *files) worker(html string) ([]byte, error) {
	script, err := fs.ReadFile(pageFiles, "worker.js")
	if err != nil {
		return nil, err
	}
	var urls []string
	for _, name := range f.Names() {
		if !strings.HasPrefix(name, FilesPath) && !strings.HasPrefix(name, "icon/") { // a printed document's load with it
			urls = append(urls, f.Base+name)
		}
	}
	list, err := json.Marshal(urls)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(html + string(script)))
	return fmt.Appendf(nil, "const version = %q, files = %s, icon = %q\n%s", hex.EncodeToString(sum[:8]), list, f.Base+notificationIcon, script), nil
}

// manifest returns the description for a device that installs the page.
func (f *files) manifest() ([]byte, error) {
	type icon struct {
		Src     string `json:"src"`
		Sizes   string `json:"sizes"`
		Type    string `json:"type"`
		Purpose string `json:"purpose"`
	}
	icons := []icon{{f.Base + "icon/icon.svg", "any", "image/svg+xml", "any"}}
	for _, size := range []string{"192", "512"} {
		for _, purpose := range []string{"any", "maskable"} {
			icons = append(icons, icon{f.Base + "icon/icon-" + size + ".png", size + "x" + size, "image/png", purpose})
		}
	}
	return json.Marshal(map[string]any{
		"id": Path, "name": "Storefront", "short_name": "Storefront", "start_url": Path, "scope": Path, "display": "standalone",
		"share_target": map[string]any{
			"action": SharePath, "method": "POST", "enctype": "application/x-www-form-urlencoded",
			"params": map[string]string{"title": "title", "text": "text", "url": "url"},
		},
		"background_color": "#fbf8f2", "theme_color": "#14695f", "icons": icons,
	})
}
