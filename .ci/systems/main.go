// Command systems checks the types of all packages and their tests for other systems, without
// compiling them: two thirds of the time of a compiler or of vet go into the packages of others.
//
//	go run ./.ci/systems darwin windows
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	root, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	failed := false
	for _, system := range os.Args[1:] {
		n, err := check(root+string(filepath.Separator), system)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", system, err)
			failed = true
			continue
		}
		fmt.Printf("%s: %d packages\n", system, n)
	}
	if failed {
		os.Exit(1)
	}
}

// check returns the number of packages below root. All must have correct types. The bodies of other
// packages' functions are not read.
func check(root, system string) (int, error) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax,
		Dir:  root, Tests: true,
		Env: append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
		ParseFile: func(files *token.FileSet, name string, source []byte) (*ast.File, error) {
			file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(name, root) {
				for _, declaration := range file.Decls {
					if function, is := declaration.(*ast.FuncDecl); is {
						function.Body = nil
					}
				}
			}
			return file, err
		},
	}, "./...")
	if err != nil {
		return 0, err
	}
	var faults []string
	for _, p := range loaded {
		if strings.HasSuffix(p.ID, ".test") {
			continue // the generated program of a package's tests, which is outside of root
		}
		for _, fault := range p.Errors {
			faults = append(faults, fault.Error())
		}
	}
	if len(faults) > 0 {
		return 0, fmt.Errorf("\n%s", strings.Join(faults, "\n"))
	}
	return len(loaded), nil
}
