// Sbom prints the software bill of materials of a Go binary as CycloneDX JSON: the Go modules
// recorded in it, the standard library, and the npm packages given as arguments. The output has no
// timestamps and no random values, so equal binaries have equal lists.
//
//	go run ./deploy/sbom BINARY [NPM-PACKAGE@VERSION...]
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
)

// bom is a bill of materials as specified by CycloneDX 1.6.
type bom struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"` // the binary itself
}

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"` // identifies the package in vulnerability databases
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./deploy/sbom BINARY [NPM-PACKAGE@VERSION...]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "create SBOM of %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

func run(binary string, npm []string) error {
	list, err := newBOM(binary, npm)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false) // package URLs contain &
	out.SetIndent("", "  ")
	return out.Encode(list)
}

func newBOM(binary string, npm []string) (*bom, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	settings := make(map[string]string, len(info.Settings))
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	own := part("golang", info.Main.Path, info.Main.Version)
	own.Type = "application"
	own.PURL += "?goarch=" + settings["GOARCH"] + "&goos=" + settings["GOOS"]
	own.Ref = own.PURL
	sum := sha256.Sum256(content)
	own.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	list := &bom{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{own}}
	list.Components = append(list.Components, part("golang", "stdlib", strings.TrimPrefix(info.GoVersion, "go")))
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		list.Components = append(list.Components, part("golang", module.Path, module.Version))
	}
	for _, name := range npm {
		at := strings.LastIndex(name, "@")
		if at < 1 {
			return nil, fmt.Errorf("%q must be an npm package with a version, such as preact@10.0.0", name)
		}
		list.Components = append(list.Components, part("npm", name[:at], name[at+1:]))
	}
	return list, nil
}

func part(kind, name, version string) component {
	purl := "pkg:" + kind + "/" + strings.ReplaceAll(name, "@", "%40") + "@" + url.QueryEscape(version)
	return component{Type: "library", Ref: purl, Name: name, Version: version, PURL: purl}
}
