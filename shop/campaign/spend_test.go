package campaign_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/campaign"
	"storefront/shop/fault"
	"storefront/shop/sales"
	"storefront/shop/shoptest"
)

func spendOf(t *testing.T, s *shoptest.Stocked, filter campaign.SpendFilter) (rows []string) {
	t.Helper()
	found, err := s.Campaigns.ListSpend(t.Context(), access.Operator(), filter)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found.Nodes {
		rows = append(rows, fmt.Sprintf("%s %s %s %d", r.Day, r.Kind, r.Name, r.Amount.Amount))
	}
	return rows
}

// A file of Ads Manager is saved whole. Lines of ad sets are added up, totals are skipped, and the
// same file again changes nothing.
func TestImportSpend(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	load := func(file string, dryRun bool) (*campaign.SpendSaved, error) {
		return s.Campaigns.ImportSpend(t.Context(), access.Operator(), strings.NewReader(file), dryRun)
	}
	const file = "\ufeffReporting starts,Reporting ends,Campaign name,Ad set name,\"Amount spent (BDT)\",Day\n" +
		"2026-03-01,2026-03-31,Eid sale,Dhaka,\"1,250.50\",2026-03-01\n" +
		"2026-03-01,2026-03-31,eid  SALE,Khulna,100,2026-03-01\n" +
		"2026-03-01,2026-03-31,Eid sale,Dhaka,0,2026-03-02\n" +
		"2026-03-01,2026-03-31,=cmd(),Dhaka,5,2026-03-02\n" +
		"2026-03-01,2026-03-31,,,1355.50,\n"
	for i, want := range []campaign.SpendSaved{
		{DryRun: true, Saved: 2, Unchanged: 1}, {Saved: 2, Unchanged: 1}, {Unchanged: 3},
	} {
		got, err := load(file, want.DryRun)
		if err != nil {
			t.Fatal(err)
		}
		want.Total = got.Total
		if *got != want || got.Total.Amount != 1355_50 {
			t.Errorf("import %d: got %+v, want %+v and 1355.50", i, *got, want)
		}
	}
	want := []string{"2026-03-02 campaign =cmd() 500", "2026-03-01 campaign Eid sale 135050"}
	if diff := cmp.Diff(want, spendOf(t, s, campaign.SpendFilter{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var csv strings.Builder
	err := s.Sales.ExportCampaigns(t.Context(), access.Operator(), sales.CampaignFilter{From: "2026-03-01", To: "2026-03-02"}, &csv)
	if err != nil || !strings.Contains(csv.String(), "\ncampaign,'=cmd(),,,0,0,0,0,0,0.00,0.00,0.00,5.00,,0.0,BDT\n") {
		t.Errorf("got %v, %s\nwant a guarded name", err, csv.String())
	}

	for text, want := range map[string]string{
		"": "line[1]", "a,b\n": "line[1]", "Day,Campaign name,Amount spent (USD)\n2026-03-01,x,1\n": "line[1]",
		"Day,Campaign name,Amount spent\n2026-03-01,x,1\n03/02/2026,x,1\n":                        "line[3].day",
		"Day,Campaign name,Amount spent\n2026-03-01,x,one\n":                                      "line[2].amount",
		"Day,Campaign name,Amount spent\n2026-03-01,x,12.345\n":                                   "line[2].amount",
		"Day,Campaign name,Amount spent,Currency\n2026-03-01,x,1,USD\n":                           "line[2].currency",
		"Reporting starts,Reporting ends,Campaign name,Amount spent\n2026-03-01,2026-03-31,x,1\n": "line[2].day",
		"Day,Campaign name,Amount spent\n":                                                        "line[2]",
		"Day,Campaign name,Amount spent\n2026-03-01,x,9999999999\n2026-03-01,X,9999999999\n":      "line[3].amount",
		"Day,Campaign name,Amount spent\n2026-03-01,\"x\n":                                        "line[2]",
		"\xff\xfeD\x00": "line[1]",
	} {
		_, err := load(text, false)
		found, ok := errors.AsType[*fault.Error](err)
		if !ok || found.Code != fault.CodeValidationFailed || len(found.Fields) == 0 || found.Fields[0].Field != want {
			t.Errorf("%q: got %v, want an error of %s", text, err, want)
		}
	}
	if diff := cmp.Diff(want, spendOf(t, s, campaign.SpendFilter{})); diff != "" {
		t.Errorf("after invalid files (-want +got):\n%s", diff)
	}
}

// Amounts are replaced by day and name, removed by 0 or alone, and refused with the field.
func TestSaveSpend(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	save := func(all ...campaign.SpendInput) error {
		_, err := s.Campaigns.SaveSpend(t.Context(), access.Operator(), all)
		return err
	}
	err := save(campaign.SpendInput{Day: "2026-03-01", Name: "A", Amount: 5}, campaign.SpendInput{Day: "2026-03-02", Name: "A", Amount: 6},
		campaign.SpendInput{Day: "2026-03-02", Kind: campaign.KindDirect, Name: "ignored", Amount: 7})
	if err != nil {
		t.Fatal(err)
	}
	if err := save(campaign.SpendInput{Day: "2026-03-01", Name: "a"}, campaign.SpendInput{Day: "2026-03-02", Name: "a", Amount: 9}); err != nil {
		t.Fatal(err)
	}
	want := []string{"2026-03-02 campaign a 9", "2026-03-02 direct  7"}
	if diff := cmp.Diff(want, spendOf(t, s, campaign.SpendFilter{From: "2026-03-01", To: "2026-03-02"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := spendOf(t, s, campaign.SpendFilter{To: "2026-03-01"}); len(got) != 0 {
		t.Errorf("until the first day: got %v", got)
	}
	for _, bad := range [][]campaign.SpendInput{
		nil, make([]campaign.SpendInput, campaign.MaxSpend+1), {{Day: "2026-3-1", Name: "x", Amount: 1}}, {{Day: "2026-03-01", Amount: 1}},
		{{Day: "2026-03-01", Name: "x", Amount: -1}}, {{Day: "2026-03-01", Kind: "moon", Name: "x", Amount: 1}},
		{{Day: "2026-03-01", Kind: campaign.KindOther, Amount: 1}}, {{Day: "2026-03-01", Kind: campaign.KindStaff, Name: "fax", Amount: 1}},
		{{Day: "2026-03-01", Name: "x", Amount: 1}, {Day: "2026-03-01", Name: "X", Amount: 2}}, {{Day: "2026-03-01", Name: "x", Amount: 1 << 60}},
	} {
		if err := save(bad...); shoptest.ErrorCode(err) != fault.CodeValidationFailed {
			t.Errorf("%.200v: got %v, want validation_failed", bad, err)
		}
	}
	one := campaign.SpendInput{Day: "2026-03-02", Name: "A"}
	if err := s.Campaigns.DeleteSpend(t.Context(), access.Operator(), one); err != nil {
		t.Fatal(err)
	}
	if err := s.Campaigns.DeleteSpend(t.Context(), access.Operator(), one); shoptest.ErrorCode(err) != fault.CodeNotFound {
		t.Errorf("removed twice: got %v, want not_found", err)
	}
}

// The visits of many invented campaigns are bounded, and none is lost.
func TestAddVisits_TooManyCampaigns(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	today := s.Clock.Now().Format(time.DateOnly)
	for server := range 3 {
		queued := campaign.Visits{}
		for i := range 150 {
			queued.Add(campaign.Visits{campaign.NewKey("x", "", fmt.Sprint(server, " ", i)): 1})
		}
		queued.Add(campaign.Visits{campaign.NewKey("x", "", "0 1"): 10})
		if err := s.Campaigns.AddVisits(t.Context(), today, queued); err != nil {
			t.Fatal(err)
		}
	}
	rows, visits := s.Number(t, `SELECT COUNT(*) FROM campaign_visits`), s.Number(t, `SELECT SUM(visits) FROM campaign_visits`)
	if known := s.Number(t, `SELECT visits FROM campaign_visits WHERE campaign = '0 1'`); rows > campaign.MaxKeys+1 || visits != 480 || known != 31 {
		t.Errorf("got %d rows, %d visits, %d of the known campaign, want at most %d, 480 and 31", rows, visits, known, campaign.MaxKeys+1)
	}
	old := s.Clock.Now().AddDate(0, 0, 801).Format(time.DateOnly)
	if err := s.Campaigns.AddVisits(t.Context(), old, campaign.Visits{campaign.NewKey("x", "", ""): 1}); err != nil {
		t.Fatal(err)
	}
	if n := s.Number(t, `SELECT COUNT(*) FROM campaign_visits`); n != 1 {
		t.Errorf("got %d rows after 800 days, want 1", n)
	}
	queued := campaign.Visits{}
	for i := range 1000 {
		queued.Add(campaign.Visits{campaign.NewKey("x", "", fmt.Sprint(i)): 1})
	}
	if len(queued) > campaign.MaxKeys+1 {
		t.Errorf("got %d keys in memory, want at most %d", len(queued), campaign.MaxKeys+1)
	}
}
