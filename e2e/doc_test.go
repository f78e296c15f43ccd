package e2e_test

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The packages with the most files list them in their comments, by name or by the prefix of the
// names.
func TestPackageComments_Files(t *testing.T) {
	t.Parallel()
	_, files := sources(t)
	name := regexp.MustCompile(`[a-z_]+`)
	for pkg, column := range map[string]*regexp.Regexp{
		"shop":       regexp.MustCompile(`(?m)^//\t([a-z_, ]+?)  `),
		"shop/order": regexp.MustCompile(`(?m)^//\t([a-z_, ]+?)  `),
		"tenants":    regexp.MustCompile(`(?m)^//   - ([a-z_]+)\.go:`),
	} {
		text, err := os.ReadFile("../" + pkg + "/doc.go")
		if err != nil {
			t.Fatal(err)
		}
		var listed, used []string
		for _, found := range column.FindAllStringSubmatch(string(text), -1) {
			listed = append(listed, name.FindAllString(found[1], -1)...)
		}
		for _, file := range files {
			base := strings.TrimSuffix(path.Base(file.path), ".go")
			if file.pkg != pkg || file.test || base == "doc" {
				continue
			}
			isListed := false
			for _, name := range listed {
				if base == name || strings.HasPrefix(base, name+"_") {
					isListed, used = true, append(used, name)
				}
			}
			if !isListed {
				t.Errorf("%s: the comment of package %s does not list the file", file.path, pkg)
			}
		}
		for _, name := range listed {
			if !slices.Contains(used, name) {
				t.Errorf("the comment of package %s lists %s, which is no file", pkg, name)
			}
		}
	}
}
