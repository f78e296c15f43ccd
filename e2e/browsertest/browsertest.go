// Package browsertest drives a real browser, Debian's chromium without a window, for the tests of
// every package. A page reaches only this machine. Problems that only a developer would see, such
// as an error in the console or a request to another host, fail the test at its end.
package browsertest

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"

	"storefront/db/dbtest"
)

// Screenshots is the environment variable with the folder for screenshots. If it is not set, none
// are written:
//
//	STOREFRONT_SCREENSHOTS=/tmp/shots go test ./e2e -run Browser
const Screenshots = "STOREFRONT_SCREENSHOTS"

// TLSHost is a host name that the browser resolves to this machine.
const TLSHost = "api.storefront.example"

// Page is one tab of the browser. A method that fails ends the test.
type Page struct {
	tb  testing.TB
	ctx context.Context

	mu       sync.Mutex
	problems []string
	requests []string
	allowed  []string

	document  cdp.LoaderID                    // the latest one
	transfers map[network.RequestID]*transfer // of the document, since the last [Page.MeasureLoad]
}

// Open returns an empty page of 1280 by 900 pixels, in its own profile. The test is skipped if
// there is no browser.
func Open(tb testing.TB) *Page {
	tb.Helper()
	ctx, closeTab := openTab(tb)
	p := &Page{tb: tb, ctx: ctx, transfers: map[network.RequestID]*transfer{}}
	tb.Cleanup(func() {
		closeTab()
		p.report()
	})
	if err := chromedp.Listen(ctx, p.onEvent); err != nil {
		tb.Fatalf("open a page: %v", err)
	}
	command(p, network.Enable, network.EnableParams{})
	// A person's click on "Copy" suffices for a browser with a window.
	command(p, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "clipboard-write"}, Setting: browser.PermissionSettingGranted,
		BrowserContextID: chromedp.FromContext(ctx).BrowserContextID,
	})
	// Each page counts as focused; otherwise only one of them would show its focus.
	command(p, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	return p
}

// TrustEverybody accepts certificates of any authority, including a test's.
func (p *Page) TrustEverybody() {
	p.tb.Helper()
	command(p, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true})
}

// Inject runs a script in every page that is loaded from now on, before its own.
func (p *Page) Inject(script string) {
	p.tb.Helper()
	command(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
}

// onEvent records requests and problems that the browser reports.
func (p *Page) onEvent(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onTransfer(event)
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.Method+" "+e.Request.URL)
		if foreign(e.Request.URL) {
			p.problems = append(p.problems, "a request to another host: "+e.Request.URL)
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			p.problems = append(p.problems, "the console says: "+e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			words := make([]string, len(e.Args))
			for i, arg := range e.Args {
				words[i] = strings.Trim(string(arg.Value), `"`) + arg.Description
			}
			p.problems = append(p.problems, "the page complains: "+strings.Join(words, " "))
		}
	case *page.EventJavascriptDialogOpening: // the page waits for it
		p.problems = append(p.problems, "the page requests a confirmation: "+e.Message)
		go func() {
			_, _ = run(p, func(ctx context.Context, t *chromedp.Target) (any, error) {
				return cdp.Call(ctx, t, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
			})
		}()
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		if strings.Contains(text, skippedTransition) {
			return
		}
		p.problems = append(p.problems, "nobody caught: "+text)
	}
}

// skippedTransition is what the browser reports if it shows the next page without the transition
// from the last one, because the next page's style sheet arrives late. No script can catch it.
const skippedTransition = "Transition was aborted because of invalid state"

// foreign reports whether an address leads away from this machine.
func foreign(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	switch u.Scheme {
	case "data", "blob", "about":
		return false
	}
	return !slices.Contains([]string{"127.0.0.1", "localhost", TLSHost}, u.Hostname()) && !strings.HasSuffix(u.Hostname(), ".localhost")
}

// report fails the test for each problem that was not allowed.
func (p *Page) report() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, problem := range p.problems {
		if !slices.ContainsFunc(p.allowed, func(text string) bool { return strings.Contains(problem, text) }) {
			p.tb.Errorf("browser: %s", problem)
		}
	}
}

// AllowProblem ignores problems that contain text, such as "status of 409": the console also
// reports errors that the test provokes.
func (p *Page) AllowProblem(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.allowed = append(p.allowed, text)
}

// Requests returns all requests so far, as "GET http://127.0.0.1:8080/docs".
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// run runs an action until the deadline of tests.
func run[T any](p *Page, action chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithDeadline(p.ctx, dbtest.Deadline(p.tb))
	defer cancel()
	return chromedp.Run(ctx, action)
}

// do runs an action that must succeed; what describes it in the failure.
func do[T any](p *Page, what string, action chromedp.Action[T]) T {
	p.tb.Helper()
	value, err := run(p, action)
	if err != nil {
		p.fail("browser: %s: %v", what, err)
	}
	return value
}

// command sends a command of the protocol.
func command[P, R any](p *Page, command cdp.Command[P, R], params P) {
	p.tb.Helper()
	do(p, command.Method, func(ctx context.Context, t *chromedp.Target) (R, error) { return cdp.Call(ctx, t, command, params) })
}

// fail ends the test and takes a screenshot, if enabled.
func (p *Page) fail(format string, args ...any) {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 10*time.Second) // within the reserve after the deadline
	defer cancel()
	shown, _ := chromedp.Run(ctx, chromedp.Evaluate[string](shownText))
	if os.Getenv(Screenshots) != "" {
		if picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot()); err == nil {
			p.write("failed-"+strings.ReplaceAll(p.tb.Name(), "/", "-"), picture)
		}
	}
	p.mu.Lock()
	problems := strings.Join(p.problems, "\n")
	p.mu.Unlock()
	p.tb.Fatalf(format+"\n%s\nThe page shows: %s", append(args, problems, shown)...)
}

// shownText is an expression of the address and the text of a page, dialogs and messages first.
const shownText = `location.href + "\n" + [...document.querySelectorAll("dialog[open], .toast, main")]
	.map((one) => one.innerText).join("\n").replace(/\s+/g, " ").slice(0, 2000)`

// Go opens an address and waits until it is loaded.
func (p *Page) Go(address string) {
	p.tb.Helper()
	do(p, "go to "+address, chromedp.Navigate(address))
}

// Resize sets the size of the window, in CSS pixels.
func (p *Page) Resize(width, height int) {
	p.tb.Helper()
	do(p, "resize", chromedp.EmulateViewport(int64(width), int64(height)))
}

// WaitVisible waits until an element that matches the CSS selector is visible.
func (p *Page) WaitVisible(selector string) {
	p.tb.Helper()
	do(p, "see "+selector, chromedp.Query(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Eval evaluates a JavaScript expression, waits for it if it is a promise, and puts its value into
// out, which may be nil.
func (p *Page) Eval(expression string, out any) {
	p.tb.Helper()
	value := do(p, expression, chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise))
	if out == nil {
		return
	}
	if err := json.Unmarshal(value, out); err != nil {
		p.fail("browser: %s is %s: %v", expression, value, err)
	}
}

// Back starts a navigation back in the history. The page may be gone before the browser responds to
// an expression that navigates, so it only schedules this.
func (p *Page) Back() {
	p.tb.Helper()
	p.Eval("setTimeout(() => history.back()) > 0", nil)
}

// AwaitEvents waits until the page has handled its queued events, such as the event of a changed
// fragment. The page may be navigating to another one.
func (p *Page) AwaitEvents() {
	ctx, cancel := context.WithTimeout(p.ctx, 5*time.Second)
	defer cancel()
	expression := "new Promise((done) => setTimeout(() => done(true)))"
	_, _ = chromedp.Run(ctx, chromedp.Evaluate[bool](expression, chromedp.EvalAwaitPromise)) // an error: the page is left
}

// maxWait limits the wait for one expression. Pages need seconds, on a slow machine too, and an
// expression that never comes true must not use up the time of other tests.
const maxWait = 3 * time.Minute

// lastMoment returns the end of a wait that begins now.
func (p *Page) lastMoment() time.Time {
	deadline := dbtest.Deadline(p.tb)
	if last := time.Now().Add(maxWait); last.Before(deadline) {
		return last
	}
	return deadline
}

// Wait waits until a JavaScript expression is true. The page may be navigating to another one.
func (p *Page) Wait(expression string) {
	p.tb.Helper()
	var err error
	for deadline := p.lastMoment(); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var ok bool
		if ok, err = run(p, chromedp.Evaluate[bool]("!!("+expression+")")); ok {
			return
		}
	}
	p.fail("browser: it never came true that %s (%v)", expression, err)
}

// Reload loads the page again, and waits until the document is the new one.
func (p *Page) Reload() {
	p.tb.Helper()
	p.Eval("(window.isOld = true, location.reload(), true)", nil)
	p.Wait(`!window.isOld && document.readyState !== "loading"`)
}

// Text returns the rendered text of the selected element.
func (p *Page) Text(selector string) string {
	p.tb.Helper()
	p.WaitVisible(selector)
	var text string // in one step: a page that reloads by itself may replace an element between two
	p.Eval("document.querySelector("+strconv.Quote(selector)+").innerText", &text)
	return strings.TrimSpace(text)
}

// Screenshot writes the content of the window as NAME.png to the folder in [Screenshots].
func (p *Page) Screenshot(name string) {
	p.tb.Helper()
	p.capture(name, chromedp.CaptureScreenshot())
}

// FullScreenshot is Screenshot of the whole page, of any length.
func (p *Page) FullScreenshot(name string) {
	p.tb.Helper()
	const lossless = 100
	p.capture(name, chromedp.FullScreenshot(lossless))
}

// ElementScreenshot is Screenshot of the first element with a selector, in whole.
func (p *Page) ElementScreenshot(name, selector string) {
	p.tb.Helper()
	p.capture(name, chromedp.Screenshot(chromedp.CSS(selector), chromedp.NodeVisible))
}

func (p *Page) capture(name string, take chromedp.Action[[]byte]) {
	p.tb.Helper()
	if os.Getenv(Screenshots) != "" {
		p.write(name, do(p, "picture", take))
	}
}

func (p *Page) write(name string, picture []byte) {
	p.tb.Helper()
	if err := os.WriteFile(filepath.Join(os.Getenv(Screenshots), name+".png"), picture, 0o644); err != nil {
		p.tb.Errorf("keep a picture: %v", err)
	}
}
