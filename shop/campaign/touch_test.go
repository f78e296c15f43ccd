package campaign_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/campaign"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func isOwn(host string) bool { return host == "shop.example" }

// The source of a visit follows from the address and the referrer.
func TestNewTouch(t *testing.T) {
	t.Parallel()
	for query, want := range map[[2]string][3]string{
		{"utm_source=Facebook&utm_medium=Paid&utm_campaign=Eid%20%20Sale", ""}: {"facebook", "paid", "Eid Sale"},
		{"utm_campaign=eid&fbclid=IwAR1", "https://l.instagram.com/"}:          {"instagram", "", "eid"},
		{"fbclid=IwAR1", ""}:                                                    {"facebook", "", ""},
		{"fbclid=IwAR1", "https://news.example/"}:                               {"facebook", "", ""},
		{"gclid=x", "https://www.google.com/"}:                                  {"google", "", ""},
		{"ttclid=x", ""}:                                                        {"tiktok", "", ""},
		{"", "https://www.blog.example/post?x=1"}:                               {"blog.example", "referral", ""},
		{"", "https://m.facebook.com/"}:                                         {"facebook", "", ""},
		{"utm_source=%00%07%0asms%E2%80%AE", "https://shop.example/products/a"}: {"sms", "", ""},
		{"utm_campaign=" + strings.Repeat("অ", 300), ""}:                        {"", "", strings.Repeat("অ", 100)},
		{"utm_source=a%ffb", ""}:                                                {"a\uFFFDb", "", ""},
		{"utm_source=a&utm_campaign=" + strings.Repeat("x%1f", 40), ""}:         {"a", "", strings.TrimSpace(strings.Repeat("x ", 40))},
	} {
		got := campaign.NewTouch(query[0], query[1], "/l/eid", isOwn, noon)
		if got == nil || [3]string{campaign.Text(got.Source), campaign.Text(got.Medium), campaign.Text(got.Campaign)} != want {
			t.Errorf("%.80v: got %+v, want %.80q", query, campaign.KeyOf(got), want)
		}
	}
	for _, query := range [][2]string{{"", ""}, {"q=tea", ""}, {"", "https://shop.example/"}, {"utm_source=", ""}, {"", "about:blank"}, {"", ":::"}} {
		if got := campaign.NewTouch(query[0], query[1], "/", isOwn, noon); got != nil {
			t.Errorf("%v: got %+v, want no touch", query, campaign.KeyOf(got))
		}
	}
}

// The first touch stays for 30 days, the last one changes with each campaign. A reload, and a
// referrer within the same visit, are no new visits.
func TestHistory(t *testing.T) {
	t.Parallel()
	visit := func(h campaign.History, query, referrer string, at time.Time) (campaign.History, bool) {
		h = campaign.ParseHistory(h.Encode(), at)
		return h.Add(campaign.NewTouch(query, referrer, "/", isOwn, at), at)
	}
	names := func(h campaign.History) [2]string {
		a := h.Attribution()
		return [2]string{campaign.KeyOf(a.First).Name(), campaign.KeyOf(a.Last).Name()}
	}
	h, isNew := visit(campaign.History{}, "utm_source=fb&utm_campaign=one", "", noon)
	if want := [2]string{"one", "one"}; !isNew || names(h) != want {
		t.Fatalf("got %v, new %t, want %v", names(h), isNew, want)
	}
	for _, step := range []struct {
		query, referrer string
		after           time.Duration
		isNew           bool
		want            [2]string
	}{
		{"utm_source=fb&utm_campaign=one", "", time.Minute, false, [2]string{"one", "one"}},
		{"", "https://pay.example/", 2 * time.Minute, false, [2]string{"one", "one"}},
		{"utm_source=fb&utm_campaign=two", "", 3 * time.Minute, true, [2]string{"one", "two"}},
		{"", "https://blog.example/", 40 * time.Minute, true, [2]string{"one", "blog.example / referral"}},
		{"utm_campaign=three", "", 29 * 24 * time.Hour, true, [2]string{"one", "three"}},
		{"utm_campaign=four", "", 30 * 24 * time.Hour, true, [2]string{"three", "four"}},
	} {
		if h, isNew = visit(h, step.query, step.referrer, noon.Add(step.after)); isNew != step.isNew || names(h) != step.want {
			t.Errorf("%+v: got %v, new %t", step, names(h), isNew)
		}
	}
	if got := campaign.ParseHistory(h.Encode(), noon.Add(90*24*time.Hour)).Attribution(); got != nil {
		t.Errorf("after 90 days: got %+v, want nothing", got)
	}
}

// A cookie that anyone wrote is bounded, clean, and never an error.
func TestParseHistory_Tampered(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("utm_campaign=দীর্ঘ&", 1)
	for _, name := range []string{"utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term", "fbclid"} {
		long += name + "=" + strings.Repeat("অ", 150) + "&"
	}
	far, deep := "https://"+strings.Repeat("a", 200)+".example/", "/"+strings.Repeat("p", 300)
	h, _ := campaign.History{}.Add(campaign.NewTouch(long, far, deep, isOwn, noon), noon)
	h, _ = h.Add(campaign.NewTouch(long+"&utm_campaign=x&utm_source=b", "", "/", isOwn, noon.Add(time.Hour)), noon.Add(time.Hour))
	value := h.Encode()
	if len(value) == 0 || len(value) > 3500 {
		t.Errorf("got a cookie of %d bytes, want at most 3500", len(value))
	}
	if got := campaign.ParseHistory(value, noon.Add(time.Hour)).Attribution(); got == nil || got.Last == nil {
		t.Errorf("got %+v, want the touches", got)
	}
	for _, bad := range []string{
		"", "x", "!!!", "W10", "e30", strings.Repeat("A", 5000),
		"W1siOTk5OTk5OTk5OTk5OTkiLCJmYiJdXQ", "W1siLTEiLCJmYiJdXQ", "W1siYSJdXQ", "W1tdXQ", "bnVsbA",
	} {
		if got := campaign.ParseHistory(bad, noon).Attribution(); got != nil {
			t.Errorf("%.40q: got %+v, want nothing", bad, campaign.KeyOf(got.Last))
		}
	}
}

func FuzzParseHistory(f *testing.F) {
	h, _ := campaign.History{}.Add(campaign.NewTouch("utm_source=fb&fbclid=x", "", "/", isOwn, noon), noon)
	f.Add(h.Encode())
	f.Add("W1siMSJdXQ")
	f.Fuzz(func(t *testing.T, value string) {
		a := campaign.ParseHistory(value, noon).Attribution()
		if a == nil {
			return
		}
		for _, touch := range []*campaign.Touch{a.First, a.Last} {
			for _, text := range []*string{touch.Source, touch.Medium, touch.Campaign, touch.Content, touch.Term, touch.Referrer, touch.Landing} {
				if s := campaign.Text(text); utf8.RuneCountInString(s) > 100 || !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\x1f\n") {
					t.Errorf("got %q", s)
				}
			}
		}
	})
}

// An attribution of an API is cleaned, and never refused.
func TestAttribution_Clean(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	var none *campaign.AttributionInput
	for _, a := range []*campaign.AttributionInput{
		none, {}, {First: &campaign.TouchInput{}}, {Fbp: text("<script>")}, {Fbc: text("fb." + strings.Repeat("1", 300))},
		{Last: &campaign.TouchInput{Campaign: text("old"), At: new(noon.Add(-31 * 24 * time.Hour))}},
	} {
		if got := a.Clean(noon); got != nil {
			t.Errorf("%+v: got %+v, want nothing", a, got)
		}
	}
	in := &campaign.AttributionInput{Last: &campaign.TouchInput{Fbclid: text("IwAR1"), Campaign: text(" eid \n sale"), At: new(noon.Add(time.Hour))},
		Fbp: text("fb.1.2.3")}
	got := in.Clean(noon)
	last := &campaign.Touch{Source: text("facebook"), Campaign: text("eid sale"), Fbclid: text("IwAR1"), At: new(noon)}
	want := &campaign.Attribution{First: last, Last: last, Fbp: text("fb.1.2.3"), Fbc: text("fb.1.1772366400000.IwAR1")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := got.Input().Clean(noon); !cmp.Equal(got, again) {
		t.Errorf("cleaned twice: got %+v, want %+v", again, got)
	}
}

// A key is the same after it was packed.
func TestKey_Pack(t *testing.T) {
	t.Parallel()
	for _, k := range []campaign.Key{
		campaign.NewKey("", "", ""), campaign.NewKey("fb", "", ""), campaign.NewKey("", "paid", "x"), campaign.NewKey("a / b", "c", "d|e"),
		campaign.StaffKey("facebook"), {Kind: campaign.KindOther},
	} {
		if got := campaign.UnpackKey(k.Pack()); got != k {
			t.Errorf("got %+v, want %+v", got, k)
		}
	}
}
