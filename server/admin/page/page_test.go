package page_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"storefront/server/admin/page"
	"storefront/shop/catalogue/productfile"
	"storefront/shop/district"
	"storefront/shop/fault"
)

func get(t *testing.T, h http.Handler, url string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func newPage(t *testing.T) http.Handler {
	t.Helper()
	h, err := page.New()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

var fileURL = regexp.MustCompile(`(?:href|src)="(/admin/assets/[^"]+)"`)

func TestPage(t *testing.T) {
	t.Parallel()
	h := newPage(t)
	html := get(t, h, page.Path)
	if html.Code != http.StatusOK || html.Header().Get("Cache-Control") != "no-cache" {
		t.Fatalf("got %d %v, want a page that is revalidated", html.Code, html.Header())
	}
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' http: https: data: blob:; connect-src 'self'; " +
		"manifest-src 'self'; worker-src 'self'; frame-src 'self' http: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'; trusted-types worker description"
	if got := html.Header().Get("Content-Security-Policy"); got != policy {
		t.Errorf("got policy %q, want %q", got, policy)
	}
	if again := get(t, h, page.Path, "If-None-Match", html.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("page again: got %d, want 304", again.Code)
	}
	// Each file of the page exists, may be cached forever and is compressed.
	const headers = 500 // of one file
	total := 0
	found := map[string]bool{}
	for _, match := range fileURL.FindAllStringSubmatch(html.Body.String(), -1) {
		found[match[1]] = true // a module that is preloaded and then run is loaded once
	}
	for url := range found {
		file := get(t, h, url, "Accept-Encoding", "gzip")
		if file.Code != http.StatusOK || file.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %d %v", url, file.Code, file.Header())
		}
		total += file.Body.Len() + headers
	}
	requests, size := 70, 150<<10 // from source
	if page.Bundled {
		requests, size = 12, 90<<10
	}
	t.Logf("%d files, %d bytes with gzip", len(found), total)
	if len(found) < 4 || len(found) > requests || total > size {
		t.Errorf("got %d files of %d bytes for the list of orders, want at most %d of %d", len(found), total, requests, size)
	}
	for _, nowhere := range []string{"/admin/assets/", "/admin/assets/0/js/main.js", "/admin/assets/js/main.js"} {
		if w := get(t, h, nowhere); w.Code != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", nowhere, w.Code)
		}
	}
}

// A shared text is handed to the page in a document that is stored nowhere.
func TestPage_Shared(t *testing.T) {
	t.Parallel()
	h := newPage(t)
	var manifest struct {
		Target struct{ Action, Method string } `json:"share_target"`
	}
	if err := json.Unmarshal(get(t, h, page.ManifestPath).Body.Bytes(), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Target.Action != page.SharePath || manifest.Target.Method != http.MethodPost {
		t.Errorf("got share target %+v, want a POST, whose text is in no log", manifest.Target)
	}
	long := strings.Repeat("ক", 6000)
	for _, tc := range []struct{ title, text, want string }{
		{"", "Rahima\n01711</textarea><script>", "Rahima\n01711&lt;/textarea&gt;&lt;script&gt;"},
		{"Rahima", "Rahima\nHouse 5", "Rahima\nHouse 5"},
		{"Rafi", "2 mugs", "Rafi\n2 mugs"},
		{"", long, long[:15000]},
		{"", "", ""},
	} {
		form := url.Values{"title": {tc.title}, "text": {tc.text}}
		r := httptest.NewRequest(http.MethodPost, page.SharePath, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		header := w.Header()
		if w.Code != http.StatusOK || header.Get("Cache-Control") != "no-store" || header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("got %d %v, want a page that is not stored", w.Code, header)
		}
		if body := w.Body.String(); !strings.Contains(body, "hidden>\n"+tc.want+"</textarea>") {
			t.Errorf("got %s, want the text %q", body, tc.want)
		}
	}
}

// The service worker stores the page and each file that exists, and the manifest names icons that
// exist.
func TestPage_Installable(t *testing.T) {
	t.Parallel()
	h := newPage(t)
	worker := get(t, h, page.WorkerPath)
	if worker.Code != http.StatusOK || worker.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("got %d %v, want a service worker that is revalidated", worker.Code, worker.Header())
	}
	manifest := get(t, h, page.ManifestPath)
	if got := manifest.Header().Get("Content-Type"); got != "application/manifest+json" {
		t.Errorf("got a manifest of type %q", got)
	}
	urls := regexp.MustCompile(`"(/admin/assets/[^"]+)"`).FindAllStringSubmatch(worker.Body.String()+manifest.Body.String(), -1)
	for _, url := range urls {
		if file := get(t, h, url[1]); file.Code != http.StatusOK {
			t.Errorf("%s: got %d", url[1], file.Code)
		}
	}
	// That of an earlier version shows its icon beside a push message.
	if icon := get(t, h, "/admin/assets/0123456789abcdef/icon/icon-192.png"); icon.Code != http.StatusOK {
		t.Errorf("icon of an earlier version: got %d", icon.Code)
	}
	if len(urls) < 9 || strings.Contains(worker.Body.String(), "/v1/") {
		t.Errorf("got %d files, want those of the page and its icons", len(urls))
	}
	// Views that the first visit does not load are stored too.
	html := get(t, h, page.Path).Body.String()
	for _, view := range []string{
		"account", "analytics", "book", "call", "cash", "collections", "home", "more", "new_order", "notifications", "payments", "print", "product",
		"products", "returns", "set_up", "settings", "sign_in", "site", "stock",
	} {
		module := regexp.MustCompile(`/admin/assets/\w+/js/(?:view/)?` + view + `(?:-\w+)?\.js`).FindString(worker.Body.String())
		if module == "" || strings.Contains(html, module) {
			t.Errorf("view %s: got the module %q, want one that the worker stores and the first visit does not load", view, module)
		}
	}
}

// A browser requests the modules of the first view at once: each that is imported is preloaded.
func TestPage_Modules(t *testing.T) {
	t.Parallel()
	if page.Bundled {
		t.Skip("the modules are bundled")
	}
	var modules []string
	for _, found := range regexp.MustCompile(`"modulepreload" href="/admin/assets/[0-9a-f]{16}/([^"]+)"`).
		FindAllStringSubmatch(get(t, newPage(t), page.Path).Body.String(), -1) {
		modules = append(modules, found[1])
	}
	imports := regexp.MustCompile(`(?m)^(?:import|export) (?:[^'\n=(]*(?:\{[^'}]*\})?[^'\n=(]* from )?'(\.[^']+)'$`)
	for _, module := range modules {
		if strings.HasPrefix(module, "js/vendor/") {
			continue
		}
		text, err := os.ReadFile(module)
		if err != nil {
			t.Fatal(err)
		}
		found := imports.FindAllStringSubmatch(string(text), -1)
		if declared := strings.Count("\n"+string(text), "\nimport "); declared > len(found) {
			t.Errorf("%s: got %d imports of files, want %d", module, len(found), declared)
		}
		for _, imported := range found {
			if name := path.Join(path.Dir(module), imported[1]); !slices.Contains(modules, name) {
				t.Errorf("%s imports %s, which is not preloaded", module, name)
			}
		}
	}
	if !slices.Contains(modules, "js/view/orders.js") || !slices.Contains(modules, "js/vendor/preact.js") {
		t.Errorf("got %q, want the list of orders with all that it imports", modules)
	}
}

var (
	tableEntry  = regexp.MustCompile(`(?m)^  (\w+): \[([^\]]*)\],$`)
	quoted      = regexp.MustCompile(`'[^']+'`)
	placeholder = regexp.MustCompile(`\{\w+\}`)
	elementText = regexp.MustCompile(`<(?:p|b|h1|h2|span|button[^>]*|a [^>]*|label[^>]*|legend)>\s*([A-Z][a-z]+ ?[a-z]*)\s*<`)
	bengali     = regexp.MustCompile(`[\x{0980}-\x{09ff}]`)
	noonUTC     = regexp.MustCompile(`\bdate\([^)]*T12:00`)
)

// scripts returns the page's own scripts by path.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"js/*.js", "js/part/*.js", "js/view/*.js", "js/strings/*.js"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.ToSlash(name)] = string(text)
		}
	}
	return all
}

// What creates something sends the idempotency key of its form, so that sending the form again
// after a lost response creates nothing twice.
func TestPage_CreatedOnce(t *testing.T) {
	t.Parallel()
	calls := map[string]int{}
	create := regexp.MustCompile(`(?s)\bact\(\s*'(staff|keys|webhook-endpoints|collections|products|coupons|orders)',.*?\},?\s*\)`)
	for name, text := range scripts(t) {
		for _, found := range create.FindAllStringSubmatch(text, -1) {
			calls[found[1]]++
			if !regexp.MustCompile(`\bkey\b`).MatchString(found[0]) {
				t.Errorf("%s: %s are created without the form's idempotency key", name, found[1])
			}
		}
	}
	if len(calls) != 7 {
		t.Errorf("got forms that create %v, want seven", calls)
	}
}

// The usual charge of addresses outside Dhaka is for all other districts.
func TestPage_Districts(t *testing.T) {
	t.Parallel()
	text := scripts(t)["js/part/settings_delivery.js"]
	_, list, _ := strings.Cut(text, "const otherDistricts = [")
	list, _, _ = strings.Cut(list, "\n]")
	var got []string
	for _, found := range regexp.MustCompile(`'([^'\n]+)'|"([^"\n]+)"`).FindAllStringSubmatch(list, -1) {
		got = append(got, strings.Split(found[1]+found[2], ",")...)
	}
	var want []string
	for _, one := range district.Bangladesh() {
		if one.Name != "Dhaka" {
			want = append(want, one.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got districts %q, want %q", got, want)
	}
}

// A browser runs no module of a page if one of them imports a name that another does not export.
func TestPage_Exports(t *testing.T) {
	t.Parallel()
	all := scripts(t)
	imports := regexp.MustCompile(`(?m)^import \{([^}]*)\} from '(\.[^']+)'$`)
	count := 0
	for name, text := range all {
		for _, found := range imports.FindAllStringSubmatch(text, -1) {
			from, ok := all[path.Join(path.Dir(name), found[2])]
			if !ok || strings.Contains(from, "\nexport *") || strings.Contains(found[2], "vendor/") {
				continue
			}
			for one := range strings.SplitSeq(strings.Trim(found[1], ", \n"), ",") {
				exported, _, _ := strings.Cut(strings.TrimSpace(one), " as ")
				count++
				if !regexp.MustCompile(`(?m)^export .*\b` + exported + `\b`).MatchString(from) {
					t.Errorf("%s: %s does not export %s", name, found[2], exported)
				}
			}
		}
	}
	if count < 100 {
		t.Errorf("got %d imported names, want those of all modules", count)
	}
}

// buyersAlone matches the codes that the Admin API never returns: those of buyers' accounts and
// limits, of GraphQL and of the header x-tenant.
var buyersAlone = regexp.MustCompile(`^(token_|name_|tenant_required|too_complex|too_many_|password_reset_|reauthentication_|work_|phone_proof_)`)

// Texts stand side by side in both languages, with the same placeholders, and none is unused.
func TestStrings(t *testing.T) {
	t.Parallel()
	all := scripts(t)
	used := map[string]bool{}
	for name, text := range all {
		if path.Dir(name) != "js/strings" {
			for _, word := range regexp.MustCompile(`\w+`).FindAllString(text, -1) {
				used[word] = true
			}
		}
	}
	// Keys that a script completes: a prefix or a suffix of it is in the script.
	built := regexp.MustCompile(`^(order_|shipment_|cash_|plan_|provider_webhook_|webhook_endpoint_|summary_)|` +
		`^(kind_|fault_|status_|verdict_|scope_|types_|payload_|lasts_|state_|sort_|factor_|certificate_|proof_|proofText_)|` +
		`^(credit_|reason_|hint_|size_|language_|title_|do_|menu_|about_|finding_|block_|sound_|sent_|check_|fails_|print_|field_|list_)|` +
		`^(column_|none_|text_|stock_|move_|ask_|askText_|done_|by_|next_|role_|pay_|ship_|try_|record_|flag_|call_|sum_|from_|metric_|how_|` +
		`source_|buyers_|part_|weight_|density_|cardRatio_|header_|fonts_|colour_|kindText_|value_|in_|share_|records_|` +
		`reviews_|noReviews_|limit_|limitHint_|place_|mode_|log_|menuText_|menuEmpty_|step_|hello_|pixelHint_)|Count$|_one$`)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if path.Dir(name) != "js/strings" {
			continue
		}
		entries := tableEntry.FindAllStringSubmatch(strings.ReplaceAll(all[name], "[\n", "["), -1)
		if len(entries) < 5 {
			t.Errorf("%s: got %d texts, want a table", name, len(entries))
		}
		for _, entry := range entries {
			texts := quoted.FindAllString(entry[2], -1)
			if len(texts) != 2 {
				t.Errorf("%s: %s: got %d texts, want two languages", name, entry[1], len(texts))
				continue
			}
			in := func(text string) []string {
				found := placeholder.FindAllString(text, -1)
				slices.Sort(found)
				return slices.Compact(found)
			}
			english, bangla := in(texts[0]), in(texts[1])
			if strings.HasSuffix(entry[1], "_one") || entry[1] == "record_allGood" {
				english, bangla = nil, nil // the number may be a word
			}
			if !slices.Equal(english, bangla) {
				t.Errorf("%s: %s: got placeholders %v and %v, want the same", name, entry[1], english, bangla)
			}
			if name != "js/strings/problem.js" && !built.MatchString(entry[1]) && !used[entry[1]] && !strings.Contains(all[name], "'"+entry[1]+"'") {
				t.Errorf("%s: the text %s is not used", name, entry[1])
			}
		}
	}
	// Each code that staff can meet has its text, so that a refusal is in the page's language.
	problems := map[string]bool{"network": true, "stopped": true} // the page's own
	for _, info := range fault.Codes() {
		problems[string(info.Code)] = !buyersAlone.MatchString(string(info.Code))
	}
	for _, entry := range tableEntry.FindAllStringSubmatch(all["js/strings/problem.js"], -1) {
		if !problems[entry[1]] {
			t.Errorf("the text of the problem %s is not used", entry[1])
		}
		delete(problems, entry[1])
	}
	for code, wanted := range problems {
		if wanted {
			t.Errorf("the problem %s has no text in js/strings/problem.js", code)
		}
	}
	// So has each problem of a product file.
	for _, code := range productfile.ProblemCodes() {
		if !strings.Contains(all["js/strings/import.js"], "  fault_"+string(code)+": [") {
			t.Errorf("the problem %s of a file has no text in js/strings/import.js", code)
		}
	}
	// No view has a text of its own.
	for name, text := range all {
		if path.Dir(name) == "js/strings" || path.Base(name) == "i18n.js" {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			if noonUTC.MatchString(line) {
				t.Errorf("%s:%d: the shop's day may be another one at noon UTC, want shopDay: %s", name, i+1, strings.TrimSpace(line))
			}
			if bengali.MatchString(line) && path.Base(name) != "account.js" { // the language's own name
				t.Errorf("%s:%d: want texts in a table of js/strings: %s", name, i+1, strings.TrimSpace(line))
			}
		}
		for _, found := range elementText.FindAllStringSubmatch(text, -1) {
			t.Errorf("%s: want the text %q in a table of js/strings", name, found[1])
		}
	}
}
