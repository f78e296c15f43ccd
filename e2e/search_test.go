package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// searchShop creates a data folder with a shop whose products have these titles, by handle.
func searchShop(t *testing.T, uid string, titles map[string]string) (data string) {
	t.Helper()
	dir := t.TempDir()
	data = filepath.Join(dir, "data")
	run(t, "tenant", "create", uid, "--name", "Shop "+uid, "--data", data)
	csv := "Handle,Title,Variant Price\n"
	for handle, title := range titles {
		csv += fmt.Sprintf("%s,%s,250\n", handle, title)
	}
	file := filepath.Join(dir, "products.csv")
	if err := os.WriteFile(file, []byte(csv), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "product", "import", uid, file, "--data", data)
	return data
}

// search returns the handles that a search finds by REST, which must be those that it finds by
// GraphQL.
func (p *process) search(t *testing.T, tenant, words string) []string {
	t.Helper()
	handles := func(r response, path ...any) (found []string) {
		nodes, ok := r.at(path...).([]any)
		if !ok {
			t.Fatalf("search %q: got %s, want products", words, r.body)
		}
		for i := range nodes {
			found = append(found, r.text(append(path, i, "handle")...))
		}
		return found
	}
	rest := p.must(request{method: http.MethodGet, path: "/api/v1/products?search=" + url.QueryEscape(words), tenant: tenant})
	gql := p.graphql(tenant, "", `query($search: String) { products(search: $search) { nodes { handle } } }`, map[string]any{"search": words})
	found := handles(rest, "nodes")
	if diff := gocmp.Diff(found, handles(gql, "data", "products", "nodes")); diff != "" {
		t.Errorf("search %q: handles differ (-REST +GraphQL):\n%s", words, diff)
	}
	return found
}

// A search finds products by other spellings and in spite of a wrong letter, and lists whole words
// first.
func TestSearch_Spellings(t *testing.T) {
	t.Parallel()
	const uid = "acme"
	data := searchShop(t, uid, map[string]string{
		"saree": "Jamdani Saree", "shari": "ঢাকাই শাড়ি", "panjabi": "Silk Panjabi", "panjabi-bn": "সুতি পাঞ্জাবি", "tee": "Plain T-Shirt",
		"lipstick": "Matte Lipstick", "tea": "চা", "rice": "চাল", "skirt": "Linen skirt", "shirt": "Linen shirt", "thongs": "Rubber thongs",
	})
	p := serve(t, "--data", data, "--rate", "0", "--shop-rate", "0")
	check := func(want []string, searches ...string) {
		t.Helper()
		for _, words := range searches {
			found := p.search(t, uid, words)
			slices.Sort(found)
			if diff := gocmp.Diff(want, found); diff != "" {
				t.Errorf("search %q: handles (-want +got):\n%s", words, diff)
			}
		}
	}
	check([]string{"saree", "shari"}, "sari", "saree", "sharee", "শাড়ি", "শাড়ী", "শা\u09dcি", "শা\u09a1\u09bcী")
	check([]string{"panjabi", "panjabi-bn"}, "punjabi", "panjabi", "পাঞ্জাবী")
	check([]string{"tee"}, "tshirt", "t-shirt", "t shirt")
	check([]string{"lipstick"}, "lipstik", "lippstick", "libstick", "lisptick")
	check([]string{"skirt"}, "skirt")
	check(nil, "flipflop", "lpstik")
	if got, want := strings.Join(p.search(t, uid, "চা"), " "), "tea rice"; got != want {
		t.Errorf("search চা: got %s, want %s", got, want)
	}

	run(t, "tenant", "set", uid, `search={"synonyms": [["thongs", "flip-flops", "flipflop"]]}`, "--data", data)
	check([]string{"thongs"}, "flipflop", "flip-flops", "flip flops", "flipflp")
	check([]string{"saree", "shari"}, "sari")
	run(t, "tenant", "set", uid, `search={"ownOnly": true}`, "--data", data)
	check(nil, "flipflop", "sari")
	check([]string{"saree"}, "sarre", "sharee")
	if out := run(t, "product", "list", uid, "--search", "lipstik", "--data", data); !strings.Contains(out, "lipstick") {
		t.Errorf("product list --search: got %s, want lipstick", out)
	}
	for setting, want := range map[string]string{
		`search={"synonyms": [["alone"]]}`:                                          "A group of synonyms must have 2 to 12 spellings.",
		`search={"synonyms": [["a", "-"]]}`:                                         "A synonym must have a letter or digit and at most 60 characters.",
		`search={"synonyms": [` + strings.Repeat(`["a","b"],`, 200) + `["a","b"]]}`: "There must be at most 200 groups of synonyms.",
		`search={"synonym": []}`:                                                    `unknown field "synonym"`,
	} {
		out, err := storefront(t, "tenant", "set", uid, setting, "--data", data).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("tenant set %.60s: got %v %s, want %s", setting, err, out, want)
		}
	}
}
