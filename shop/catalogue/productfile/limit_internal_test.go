package productfile

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"storefront/shop/money"
)

// A file of few bytes a row, which anybody with products.write can send, takes little of the memory
// that all shops of a process share, and is refused where it has more than any shop needs. The test
// is not parallel: it measures what is held.
func TestProductFile_Bounded(t *testing.T) {
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	const woo = "Name,Regular price,Type,ID,Parent,Categories,Tags,Images\n"
	for name, one := range map[string]struct {
		file     string
		problem  string // in the first one; "": none, the rules of products refuse it
		products int
		memory   int64 // held at the end, in MiB
	}{
		"variants of one product": {"Handle,Title,Variant Price\na,A,1\n" + strings.Repeat("a,,1\n", 1<<18), "", 1, 20},
		"images of one product":   {"Handle,Title,Image Src\na,A,\n" + repeat(1<<18, "a,,http://a/%d\n"), "", 1, 20},
		"images in a cell":        {"Handle,Title,Image Src\na,A,h" + strings.Repeat(";http", 1<<20) + "\n", "at most 1000 entries", 1, 30},
		"tags":                    {"Handle,Title,Tags\na,A,\"" + strings.Repeat(",", 1<<22) + "\"\n", "at most 1000 entries", 1, 30},
		"collections":             {"Handle,Title,Collections\na,A," + strings.Repeat("b;", 1<<20) + "\n", "at most 1000 entries", 1, 30},
		"products":                {"Handle,Title\n" + repeat(maxProducts+1, "%d,A\n"), "at most 250,000 products", maxProducts, 120},
		"variations of one product": {
			woo + "A,1,variable,1,,,,\n" + strings.Repeat(",1,variation,,id:1,,,\n", 1<<16),
			"at most 1000 variants", 0, 30,
		},
		"depth of categories":     {woo + "A,1,simple,1,,a" + strings.Repeat(">a", 1<<20) + ",,\n", "20 above each other", 1, 40},
		"categories of a product": {woo + "A,1,simple,1,,\"" + repeat(1<<16, "%d,") + "\",,\n", "at most 1000 categories", 1, 20},
		"categories":              {woo + repeat(1<<15, "A,1,simple,1,,%[1]d,,\n"), "at most 10,000 categories", MaxCollections + 1, 40},
		"products of one name":    {woo + strings.Repeat("A,1,simple,,,,,\n", 1<<16), "", 1 << 16, 60},
	} {
		t.Run(name, func(t *testing.T) {
			before := heap()
			findings := &Findings{}
			cfg := Config{
				Currency: money.Currency{Code: "BDT", Digits: 2}, Now: time.Now(), Findings: findings,
			}
			_, source, err := Open(strings.NewReader(one.file), cfg)
			if err != nil || source == nil {
				t.Fatalf("got %v: %v", findings.SortedProblems(), err)
			}
			defer source.Close()
			products := 0
			var last *Product
			for {
				product, err := source.Next()
				if err != nil {
					t.Fatal(err)
				}
				if product == nil {
					break
				}
				last, products = product, products+1
			}
			held := (int64(heap()) - int64(before)) >> 20
			runtime.KeepAlive(source)
			runtime.KeepAlive(last)
			if products != one.products {
				t.Errorf("got %d products, want %d", products, one.products)
			}
			if got := fmt.Sprint(findings.SortedProblems()); findings.Total == 0 != (one.problem == "") ||
				!strings.Contains(got, one.problem) {
				t.Errorf("got %d problems %.300s, want %q", findings.Total, got, one.problem)
			}
			if held > one.memory {
				t.Errorf("got %d MiB held, want at most %d", held, one.memory)
			}
		})
	}
}

// The products of a file are counted before one is read, however its rows are.
func TestProductFile_CountedFirst(t *testing.T) {
	t.Parallel()
	rows := func(n int, format, end string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+end, i)
		}
		return b.String()
	}
	for name, one := range map[string]struct {
		file  string
		whole bool
	}{
		"one too many":           {"Handle,Title\n" + rows(maxProducts+1, "%d,A", "\n"), false},
		"without handles":        {"Title\n" + rows(maxProducts+1, "a %d", "\n"), false},
		"CR":                     {"Handle,Title\r" + rows(maxProducts+1, "%d,A", "\r"), false},
		"with problems":          {"Handle,Title\n" + rows(maxProducts+1, "%d,A,x", "\r\n"), false},
		"as many as allowed":     {"Handle,Title\n" + rows(maxProducts, "%d,A", "\n"), true},
		"variants":               {"Handle,Title,Variant Price\na,A,1\n" + rows(maxProducts+1, "a,,%d", "\n"), true},
		"rows that are left out": {"Handle,Title,Command\nlast,A,\n" + rows(maxProducts+1, "%d,A,DELETE", "\n"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			findings := &Findings{}
			r, err := Limit(strings.NewReader(one.file))
			if err != nil {
				t.Fatal(err)
			}
			_, source, err := Open(r, Config{
				Currency: money.Currency{Code: "BDT", Digits: 2}, Now: time.Now(), Findings: findings,
			})
			if err != nil || source == nil {
				t.Fatalf("got %v: %v", findings.SortedProblems(), err)
			}
			defer source.Close()
			product, err := source.Next()
			if err != nil {
				t.Fatal(err)
			}
			refused := strings.Contains(fmt.Sprint(findings.SortedProblems()), "at most 250,000 products")
			if refused == one.whole || product != nil != one.whole {
				t.Errorf("got product %v, problems %v", product, findings.SortedProblems())
			}
		})
	}
}

// heap returns the bytes that are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
