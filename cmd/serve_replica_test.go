//go:build !s3

package cmd_test

import (
	"testing"

	"storefront/cmd"
)

// A binary without the S3 client names the required build tag before it changes anything.
func TestReplica_S3WithoutBuildTag(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	for _, args := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"restore", "acme"}} {
		c.fails(cmd.ExitUsage, "go build -tags s3", append(args, "--replica", "s3://bucket/shops")...)
	}
}
