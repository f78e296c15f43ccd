package e2e_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"testing"
)

// maxVagueBranches is the number of error branches that may return no error. It falls as they are
// divided, and never rises.
const maxVagueBranches = 0

// TestErrorBranches_ReturnErrors holds that the condition of a branch that returns err means that
// something failed: `if err != nil || done { return err }` hides a success among the failures.
func TestErrorBranches_ReturnErrors(t *testing.T) {
	t.Parallel()
	set, files := sources(t)
	var vague []token.Position
	for _, file := range files {
		if file.test {
			continue
		}
		ast.Inspect(file.File, func(node ast.Node) bool {
			if branch, ok := node.(*ast.IfStmt); ok && isVague(branch) {
				vague = append(vague, set.Position(branch.Pos()))
			}
			return true
		})
	}
	if len(vague) > maxVagueBranches {
		t.Errorf("got %d error branches whose err may be nil, want at most %d: divide those that you have changed: %v",
			len(vague), maxVagueBranches, vague)
	}
}

func TestErrorBranches_Found(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`if err != nil || done { return nil, err }`:                true,
		`if done || err != nil { log(); return err }`:              true,
		`if n, err := read(); err != nil || n == 0 { return err }`: true,
		`if err != nil { return err }`:                             false,
		`if err != nil || n == 0 { return errEmpty }`:              false,
		`if refusal != nil || err != nil { return refusal, err }`:  false,
		`if refusal != nil || err != nil { return err }`:           true,
	} {
		if got := isVague(parseIf(t, text)); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

// isVague reports whether a branch returns err although its condition may hold without one. The
// condition may test a second error if the branch returns it too.
func isVague(branch *ast.IfStmt) bool {
	tested, others := testedErrors(branch.Cond)
	if !tested["err"] || len(tested) == 1 && !others {
		return false
	}
	for _, statement := range branch.Body.List {
		result, ok := statement.(*ast.ReturnStmt)
		if !ok {
			continue
		}
		returned := map[string]bool{}
		for _, expr := range result.Results {
			if name, ok := expr.(*ast.Ident); ok {
				returned[name.Name] = true
			}
		}
		for name := range tested {
			others = others || !returned[name]
		}
		return returned["err"] && others
	}
	return false
}

// testedErrors returns the variables X of the operands X != nil of a disjunction, and whether it
// has other operands.
func testedErrors(cond ast.Expr) (names map[string]bool, others bool) {
	expr, ok := cond.(*ast.BinaryExpr)
	switch {
	case ok && expr.Op == token.LOR:
		names, others = testedErrors(expr.X)
		more, moreOthers := testedErrors(expr.Y)
		maps.Copy(names, more)
		return names, others || moreOthers
	case ok && expr.Op == token.NEQ && isNamed(expr.Y, "nil"):
		if name, ok := expr.X.(*ast.Ident); ok {
			return map[string]bool{name.Name: true}, false
		}
	}
	return map[string]bool{}, true
}

func isNamed(expr ast.Expr, name string) bool {
	found, ok := expr.(*ast.Ident)
	return ok && found.Name == name
}

func parseIf(t *testing.T, text string) *ast.IfStmt {
	t.Helper()
	expr, err := parser.ParseExpr("func() {" + text + "}")
	if err != nil {
		t.Fatal(err)
	}
	return expr.(*ast.FuncLit).Body.List[0].(*ast.IfStmt)
}
