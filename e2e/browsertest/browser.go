package browsertest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http/httptest"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"storefront/db/dbtest"
)

// shared is the browser of all pages that are open in this process, each in a profile of its own:
// starting one takes longer than most tests. It ends with the last page, or later: see [Keep].
var shared struct {
	mu    sync.Mutex
	users int // pages, and calls of Keep
	ctx   context.Context
	stop  func() // nil if it does not run
}

// Keep lets the browser run until end is called, after it was started for a page.
func Keep() (end func()) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.users++
	return leave
}

// leave ends the browser if nobody else uses it.
func leave() {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.users--; shared.users == 0 && shared.stop != nil {
		shared.stop()
		shared.stop = nil
	}
}

// openTab returns a tab in a new profile, and the function that closes it. The test is skipped if
// there is no browser.
func openTab(tb testing.TB) (tab context.Context, closeTab func()) {
	tb.Helper()
	program, err := findBrowser()
	if err != nil {
		tb.Skipf("this test needs a browser: %v", err)
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.stop == nil {
		if err := startBrowser(program, time.Until(dbtest.Deadline(tb))); err != nil {
			tb.Fatalf("start the browser: %v", err)
		}
	}
	shared.users++
	tab, _ = chromedp.NewContext(shared.ctx, chromedp.WithNewBrowserContext())
	return tab, func() {
		_ = chromedp.Cancel(tab) // waits until it is closed
		leave()
	}
}

// findBrowser returns the path of Chromium, if possible of the build that cannot have a window:
// pages behave the same in it, at half the processor time.
func findBrowser() (string, error) {
	if program, err := exec.LookPath("chromium-headless-shell"); err == nil {
		return program, nil
	}
	return exec.LookPath("chromium")
}

func startBrowser(program string, timeout time.Duration) error {
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1280, 900),
		chromedp.WSURLReadTimeout(timeout),
		// The certificate of package httptest, which a service worker requires as a page does.
		chromedp.Flag("ignore-certificate-errors-spki-list", testKey()),
		// A camera, which every page may use.
		chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true),
		// Without the network: only names of this machine resolve.
		chromedp.Flag("host-resolver-rules", "MAP "+TLSHost+" 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost , EXCLUDE *.localhost"),
	)
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopBrowser := chromedp.NewContext(allocator)
	stop := func() {
		stopBrowser()
		stopAllocator()
	}
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return err
	}
	shared.ctx, shared.stop = ctx, stop
	return nil
}

// testKey returns the hash of the key of the TLS servers in package httptest.
func testKey() string {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	sum := sha256.Sum256(server.Certificate().RawSubjectPublicKeyInfo)
	return base64.StdEncoding.EncodeToString(sum[:])
}
