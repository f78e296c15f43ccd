package e2e_test

import (
	"go/ast"
	"go/token"
	"testing"
)

// The bounds of cyclomatic complexity. They fall as functions are split, and never rise.
const (
	// maxComplexity is the greatest of any function.
	maxComplexity = 20
	// readableComplexity is the complexity up to which a function reads from top to bottom.
	readableComplexity = 15
	// maxUnreadable is the number of functions above it.
	maxUnreadable = 23
)

func TestComplexity(t *testing.T) {
	t.Parallel()
	set, files := sources(t)
	var unreadable []string
	for _, file := range files {
		if file.test {
			continue
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			n := complexity(fn.Body)
			if n > maxComplexity {
				t.Errorf("%s: %s has the complexity %d, want at most %d: split it", set.Position(fn.Pos()), fn.Name.Name, n, maxComplexity)
			}
			if n > readableComplexity {
				unreadable = append(unreadable, fn.Name.Name)
			}
		}
	}
	if len(unreadable) > maxUnreadable {
		t.Errorf("got %d functions above the complexity %d, want at most %d: split those that you have changed: %v",
			len(unreadable), readableComplexity, maxUnreadable, unreadable)
	}
}

func TestComplexity_Counted(t *testing.T) {
	t.Parallel()
	body := &ast.BlockStmt{List: []ast.Stmt{
		&ast.IfStmt{Cond: &ast.BinaryExpr{X: ast.NewIdent("a"), Op: token.LAND, Y: ast.NewIdent("b")}, Body: &ast.BlockStmt{}},
		&ast.SwitchStmt{Body: &ast.BlockStmt{List: []ast.Stmt{
			&ast.CaseClause{List: []ast.Expr{ast.NewIdent("c")}}, &ast.CaseClause{}, // the latter is the default
		}}},
		&ast.RangeStmt{X: ast.NewIdent("d"), Body: &ast.BlockStmt{}},
	}}
	if got := complexity(body); got != 5 {
		t.Errorf("got %d, want 5: one, and an if, its and, a case and a loop", got)
	}
}

// complexity returns the cyclomatic complexity of a function: the number of its decisions, and one.
func complexity(body *ast.BlockStmt) int {
	n := 1
	ast.Inspect(body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
