package browsertest

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
)

//go:embed axe/axe.min.js.gz
var packedAxe []byte

// axe is the accessibility checker, a script that a page runs.
var axe = sync.OnceValues(func() (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(packedAxe))
	if err != nil {
		return "", err
	}
	script, err := io.ReadAll(r)
	return string(script), err
})

// excepted are elements that the page cannot correct, by rule.
const excepted = `({
	"heading-order": ".described *", // what a merchant has written or imported, as it will be read
})`

// Accessible fails the test for each fault that axe-core finds on the current page, by the rules of
// WCAG 2.2 A and AA and by its best practices. view is the page's name in the failure.
func (p *Page) Accessible(view string) {
	p.tb.Helper()
	script, err := axe()
	if err != nil {
		p.tb.Fatalf("unpack axe: %v", err)
	}
	p.Eval("typeof axe === 'object' || ("+asFunction(script)+")()", nil)
	var found []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML, FailureSummary string }
	}
	// A colour in a transition is no fault, nor one that is dimmed until a response replaces it: a
	// response or request may have begun a transition or a wait.
	p.Eval(`(() => {
		const still = new CSSStyleSheet(), before = document.adoptedStyleSheets, excepted = `+excepted+`
		still.replaceSync("*, ::before, ::after { transition: none !important } [aria-busy=true] { opacity: 1 !important }")
		document.adoptedStyleSheets = [...before, still]
		return axe.run(document, {resultTypes: ["violations"]})
			.then(r => r.violations.map((fault) => ({...fault, nodes: fault.nodes.filter((node) =>
				!document.querySelector(node.target[0])?.matches(excepted[fault.id] ?? "none"))})).filter((fault) => fault.nodes.length > 0))
			.finally(() => { document.adoptedStyleSheets = before })
	})()`, &found)
	for _, fault := range found {
		var where strings.Builder
		for _, node := range fault.Nodes {
			fmt.Fprintf(&where, "\n  %s\n  %s", node.HTML, node.FailureSummary)
		}
		p.tb.Errorf("%s: %s, %s: %s%s", view, fault.Impact, fault.ID, fault.Help, where.String())
	}
}

// asFunction wraps a script in a function that runs it and returns true.
func asFunction(script string) string { return "() => {" + script + "\n;return true}" }

// SetMedia emulates a medium, such as "print". "" ends it.
func (p *Page) SetMedia(medium string) {
	p.tb.Helper()
	command(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium})
}

// SetMediaFeature emulates a person's preference, such as "prefers-color-scheme", "dark".
func (p *Page) SetMediaFeature(feature, value string) {
	p.tb.Helper()
	command(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
	})
}

// SetUserAgent makes the browser call itself another.
func (p *Page) SetUserAgent(name string) {
	p.tb.Helper()
	command(p, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: name})
}

// BlockScripts refuses to load the scripts of pages from now on. The browser's own switch would
// stop a test's scripts, too.
func (p *Page) BlockScripts() {
	p.tb.Helper()
	p.AllowProblem("ERR_BLOCKED_BY_CLIENT")
	command(p, network.SetBlockedURLs, network.SetBlockedURLsParams{
		URLPatterns: []*network.BlockPattern{{URLPattern: "*://*:*/*.js", Block: true}},
	})
}
