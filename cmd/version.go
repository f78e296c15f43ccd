package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version and build information",
		Example: "  storefront version --json",
		RunE: func(*cobra.Command, []string) error {
			b := build()
			return a.print(b, func(w *table) {
				fmt.Fprintf(w, "storefront %s\n", b.Version)
				if b.Revision != "" {
					fmt.Fprintf(w, "revision %s\n", b.Revision)
				}
				fmt.Fprintf(w, "%s %s/%s\n", b.Go, b.OS, b.Arch)
			})
		},
	}
}

// buildInfo describes this binary.
type buildInfo struct {
	Version  string `json:"version"`  // a release's tag, or "devel"
	Revision string `json:"revision"` // the commit, with "+" if the tree had changes; "" if unknown
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func build() buildInfo {
	b := buildInfo{Version: "devel", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	settings := make(map[string]string, len(info.Settings))
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	b.Revision = settings["vcs.revision"]
	if b.Revision != "" && settings["vcs.modified"] == "true" {
		b.Revision += "+"
	}
	return b
}
