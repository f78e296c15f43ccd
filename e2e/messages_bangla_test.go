package e2e_test

import (
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// inBangla are the codes whose message the dashboard shows in Bangla, by its table of sentences.
var inBangla = []string{
	"CodeStateConflict", "CodeImageInvalid", "CodeQuotaReached", "CodeInUse", "CodeOutOfStock",
}

// ofOthers are parts of messages that staff do not meet in the dashboard: of buyers and programs.
// The table has the last one by what it is about.
var ofOthers = []string{
	"An earlier request with this idempotency key", "Another change of the order has this name", "An order of this account",
	"has no image.", "The callback's payment", "The webhook has been applied", "The webhook was signed", "A test cannot be sent again",
	"The webhook endpoint has no secret", "returned an invalid status", "is missing: send it as the body", "send its file as the body",
	"X is X and cannot become X.",
}

// TestMessages_Bangla checks that what staff meet in ordinary work is in the dashboard's table of
// Bangla sentences. Elsewhere the English stands in brackets.
func TestMessages_Bangla(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("../server/admin/page/js/strings/refusal.js")
	if err != nil {
		t.Fatal(err)
	}
	var patterns []*regexp.Regexp
	for _, m := range regexp.MustCompile(`reason_\d+: \[\s*'([^']*)'`).FindAllStringSubmatch(string(table), -1) {
		pattern := regexp.MustCompile(`\\\{\d\\\}|…`).ReplaceAllString(regexp.QuoteMeta(m[1]), ".+")
		patterns = append(patterns, regexp.MustCompile("^"+pattern+"$"))
	}
	set, files := sources(t)
	found := 0
	for _, file := range files {
		if file.test || !strings.HasPrefix(file.pkg, "shop") && file.pkg != "media" || file.pkg == "shop/account" || file.pkg == "shop/shoptest" {
			continue
		}
		ast.Inspect(file.File, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			message := messageOf(call, ofProducts.MatchString(set.Position(call.Pos()).Filename))
			if message == nil {
				return true
			}
			text := regexp.MustCompile(`%(?:\[\d\])?[a-z]`).ReplaceAllString(textOf(message), "X")
			if text == "" || text == "X" || slices.ContainsFunc(ofOthers, func(part string) bool { return strings.Contains(text, part) }) {
				return true
			}
			found++
			if !slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(text) }) {
				t.Errorf("%s: %q is not in the table of Bangla", set.Position(call.Pos()), text)
			}
			return true
		})
	}
	if found < 80 {
		t.Errorf("got %d messages, want at least 80: was the function renamed?", found)
	}
}

// ofProducts matches the files with what is wrong in a product, or in a file of products.
var ofProducts = regexp.MustCompile(
	`(?:productfile/|catalogue/(?:import_check|product_(?:input|variant)|quantity_price))[a-z_]*\.go$`,
)

// messageOf returns the message of a refusal that a call states with one of the codes in Bangla or,
// for a field, with invalid_value.
func messageOf(call *ast.CallExpr, ofField bool) ast.Expr {
	for i, arg := range call.Args[:max(0, len(call.Args)-1)] {
		if conversion, ok := arg.(*ast.CallExpr); ok && len(conversion.Args) == 1 {
			arg = conversion.Args[0]
		}
		code, ok := arg.(*ast.SelectorExpr)
		if ok && (i == 0 && slices.Contains(inBangla, code.Sel.Name) || ofField && code.Sel.Name == "CodeInvalidValue") {
			return call.Args[i+1]
		}
	}
	return nil
}

// textOf returns a text that is a literal, or several that are joined.
func textOf(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(expr.Value); err == nil && expr.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		return textOf(expr.X) + textOf(expr.Y)
	}
	return ""
}
