// Storefront is a headless commerce backend for many shops in one binary.
package main

import (
	_ "embed"
	"os"

	"storefront/cmd"
)

// schema is the shape of one shop's file. It is embedded here because go:embed reaches no parent folder.
//
//go:embed schema.sql
var schema string

func main() {
	os.Exit(cmd.Main(schema))
}
