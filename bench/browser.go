package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// lighthouse is the npm package that measures pages, with its version. Its browser is Chrome, or
// the program in CHROME_PATH.
const lighthouse = "lighthouse@12.8.2"

// lighthousePages are the pages of the demo shop that are measured. Search engines see all of them.
var lighthousePages = []string{
	"/", "/bn/", "/collections/all", "/products/rajshahi-silk-saree", "/policies/returns",
}

// otherDesigns are the designs besides the first one.
var otherDesigns = []string{"haat", "alo", "mela"}

// measureBrowser measures pages of the demo shop as a cheap phone on a slow line loads them.
func (b *bench) measureBrowser(ctx context.Context) error {
	all, err := goBench(ctx, "./e2e", "^BenchmarkBuyer_", "8x")
	if err != nil {
		return err
	}
	const paint, visit = "largest contentful paint of a first visit, round trip of ", "Buyer_FirstVisit/far="
	b.report.gateAtMost(paint+"150 ms", "", figureOf(all, visit+"false", "LCP-ms"), 1600, 1200, " ms")
	b.report.gateAtMost(paint+"300 ms", "", figureOf(all, visit+"true", "LCP-ms"), 2500, 2000, " ms")
	for _, design := range otherDesigns {
		b.report.gateAtMost(paint+"150 ms, design "+design, "", figureOf(all, "Buyer_FirstVisit/design="+design, "LCP-ms"), 1600, 1200, " ms")
	}
	for _, tap := range []string{"filter", "variant", "picture", "cart", "menu"} {
		var wait float64 // in the slowest design
		for _, design := range append(otherDesigns, "angan") {
			wait = max(wait, figureOf(all, "Buyer_Taps/design="+design, strings.ToUpper(tap)+"-ms"))
		}
		b.report.gateAtMost("tap to the next paint: "+tap, "", wait, 100, 50, " ms")
	}
	return b.measureLighthouse(ctx)
}

// measureLighthouse measures pages of the demo shop with Lighthouse. The gates are for the lowest
// score of all pages.
func (b *bench) measureLighthouse(ctx context.Context) error {
	if _, err := exec.LookPath("npx"); err != nil {
		b.report.note("Lighthouse was not run: it needs npx of Node.js.")
		return nil
	}
	p, err := b.startShop(ctx, "lighthouse", "data-lighthouse", nil, "--dev")
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(p.address)
	if err != nil {
		return err
	}
	lowest := map[string]float64{}
	for at, path := range slices.Concat(lighthousePages, lighthousePages) {
		scores, err := b.scores(ctx, "http://demo.localhost:"+port+path)
		if err != nil {
			return err
		}
		if at < len(lighthousePages) {
			continue // the server made the sizes of the page's pictures, on the browser's processors
		}
		for name, score := range scores {
			if before, ok := lowest[name]; !ok || score < before {
				lowest[name] = score
			}
		}
	}
	for _, g := range []gate{
		{What: "performance", Gate: 95, Stretch: 98}, {What: "accessibility", Gate: 100, Stretch: 100},
		{What: "seo", Gate: 100, Stretch: 100},
	} {
		g.Value, g.What = lowest[g.What], "Lighthouse, the lowest of five pages: "+g.What
		b.report.Gates = append(b.report.Gates, g)
	}
	return b.stop(p)
}

// scores returns the scores of a page, from 0 to 100, by category.
func (b *bench) scores(ctx context.Context, address string) (map[string]float64, error) {
	file := filepath.Join(b.folder, "lighthouse.json")
	output, err := exec.CommandContext(ctx, "npx", "--yes", lighthouse, address, "--quiet",
		"--output=json", "--output-path="+file, "--chrome-flags=--headless --no-sandbox",
		"--only-categories=performance,accessibility,seo").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("lighthouse %s: %w: %s", address, err, strings.TrimSpace(string(output)))
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var result struct {
		FinalURL   string `json:"finalDisplayedUrl"`
		Categories map[string]struct {
			Score float64 `json:"score"`
		} `json:"categories"`
	}
	if err := json.Unmarshal(content, &result); err != nil {
		return nil, fmt.Errorf("lighthouse %s: %w", address, err)
	}
	scores := map[string]float64{}
	for name, category := range result.Categories {
		scores[name] = 100 * category.Score
	}
	if len(scores) != 3 || result.FinalURL != address {
		return nil, fmt.Errorf("lighthouse %s: got %v of %s, want three scores", address, scores, result.FinalURL)
	}
	return scores, nil
}
