package e2e_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// errorFuncs are the functions that create error messages for clients.
var errorFuncs = []string{"Add", "Errorf", "add", "addProblem", "bad", "errorf", "refuse"}

// sentence is what such a text looks like; it may begin with a value, and end with sentences of
// a provider.
var sentence = regexp.MustCompile(`(?s)^[A-Z%].*([.?]|%v)$`)

// TestMessages_Sentences checks that error messages are whole sentences, which a storefront can
// show to a buyer unchanged.
func TestMessages_Sentences(t *testing.T) {
	t.Parallel()
	set, files := sources(t)
	found := 0
	check := func(expr ast.Expr) {
		literal, ok := expr.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return
		}
		found++
		if text, err := strconv.Unquote(literal.Value); err != nil || text != "%s" && !sentence.MatchString(text) {
			t.Errorf("%s: %s is not a sentence", set.Position(literal.Pos()), literal.Value)
		}
	}
	for _, file := range files {
		if top, _, _ := strings.Cut(file.pkg, "/"); file.test || !slices.Contains([]string{"shop", "server", "graphql", "transport", "tenants"}, top) {
			continue
		}
		ast.Inspect(file.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if format := formatOf(n); format != nil {
					check(format)
				}
			case *ast.KeyValueExpr:
				if name, ok := n.Key.(*ast.Ident); ok && name.Name == "Message" {
					check(n.Value)
				}
			}
			return true
		})
	}
	if found < 200 {
		t.Errorf("got %d messages, want at least 200: were the functions renamed?", found)
	}
}

// formatOf returns the message of a call of an error function: the argument after field, code or
// position.
func formatOf(call *ast.CallExpr) ast.Expr {
	var name string
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr:
		if pkg, ok := fun.X.(*ast.Ident); ok && pkg.Name == "fmt" {
			return nil
		}
		name = fun.Sel.Name
	}
	if !slices.Contains(errorFuncs, name) {
		return nil
	}
	at := 2 // Add(field, code, format), add(place, code, format), addProblem(column, code, format)
	if name != "add" && name != "addProblem" && name != "Add" {
		at = 1 // Errorf(code, format), refuse(code, format), bad(column, format)
	}
	if len(call.Args) <= at {
		return nil
	}
	return call.Args[at]
}

// countedNoun is a number before a noun in the plural, which is wrong for one of them.
var countedNoun = regexp.MustCompile(`%d (?:of %d )?(?:[a-z]+ )?(?:backups|calls|certificates|customers|events|files|flags|images|inputs|` +
	`items|jobs|keys|members|notes|orders|others|parcels|payments|problems|products|refunds|rows|shipments|shops|` +
	`variants|warnings|webhooks)\b`)

// TestMessages_Counts checks that the texts for operators have no number before a noun: "Shops: 1."
// is right for any number, "1 shops" is not.
func TestMessages_Counts(t *testing.T) {
	t.Parallel()
	set, files := sources(t)
	for _, file := range files {
		top, _, _ := strings.Cut(file.pkg, "/")
		isRead := slices.Contains([]string{"cmd", "replica", "tenants"}, top) ||
			strings.HasSuffix(set.Position(file.Pos()).Filename, "/backlog_finding.go")
		if file.test || !isRead {
			continue
		}
		ast.Inspect(file.File, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING && countedNoun.MatchString(literal.Value) {
				t.Errorf("%s: %s: put the number after the noun", set.Position(literal.Pos()), literal.Value)
			}
			return true
		})
	}
}

// inside matches what only programs read: names of inputs and settings, permissions such as
// orders.read, options of the command line, and errors of Go's network.
var inside = regexp.MustCompile(`\b[a-z]+[A-Z]\w*|\b[a-z]+_[a-z_]+\b|--[a-z]+|dial tcp|` +
	`\b[a-z]+\.(read|write|cancel|refund|discount|export|erase|close)\b`)

// ofProgrammers are messages about the requests of programs, which the dashboard never sends: they
// name the inputs.
var ofProgrammers = []string{
	"Send either basisPoints or amount, other than 0.",
	"Must be at most maxPrice.",
	"Must be title, createdAt, updatedAt, stock, price or sold.",
	"Must have either variantId or sku.",
	"The manual order requires exactly one collection: send one value of collectionIds.",
	"The reason must be sent_back, damaged, missing, goodwill or other.",
	"The shop does not accept this payment method: choose one of its paymentMethods.",
	"Send phoneNumber or email, not both.",
}

// TestMessages_Inside checks that error messages name nothing that only programs know, and quote no
// error: staff members read them in the dashboard. The field and the details are for programs.
func TestMessages_Inside(t *testing.T) {
	t.Parallel()
	set, files := sources(t)
	for _, file := range files {
		if top, _, _ := strings.Cut(file.pkg, "/"); file.test || !slices.Contains([]string{"shop", "server", "tenants"}, top) {
			continue
		}
		ast.Inspect(file.File, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			literal, ok := formatOf(call).(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil || !slices.Contains(ofProgrammers, text) && inside.MatchString(text) {
				t.Errorf("%s: %s names %q", set.Position(literal.Pos()), literal.Value, inside.FindString(text))
			}
			at := slices.Index(call.Args, ast.Expr(literal))
			for _, arg := range call.Args[at+1:] {
				if what := insideOf(arg); what != "" {
					t.Errorf("%s: %s contains %s", set.Position(arg.Pos()), literal.Value, what)
				}
			}
			return true
		})
	}
}

// insideOf returns what an argument of a message is that people must not read; "" if nothing.
func insideOf(arg ast.Expr) string {
	switch arg := arg.(type) {
	case *ast.Ident:
		if arg.Name == "err" || arg.Name == "failure" {
			return "the text of an error: use fault.Reason"
		}
	case *ast.CallExpr:
		if fun, ok := arg.Fun.(*ast.SelectorExpr); ok && fun.Sel.Name == "Error" {
			return "the text of an error: use fault.Reason"
		}
	case *ast.SelectorExpr:
		switch pkg, ok := arg.X.(*ast.Ident); {
		case arg.Sel.Name == "provider" || arg.Sel.Name == "Provider":
			return "the code of a provider: use its Name"
		case ok && pkg.Name == "access", arg.Sel.Name == "Permission":
			return "a permission"
		}
	}
	return ""
}
