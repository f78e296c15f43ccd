package cmd_test

import (
	"os"
	"path/filepath"
	"testing"

	"storefront/cmd"
)

// Every row of a file is checked before the first shop is created.
func TestTenantCreate_File(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	file := filepath.Join(t.TempDir(), "shops.csv")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("uid,name,currency,country\nmaple,Maple,,\nacme,Acme,,\nX,Bad,,\nmaple,Maple,,\noak,Oak,BUCKS,\nbirch,,,\n")
	for _, want := range []string{"no shop was created; invalid rows: 5 of 6", "line 3: ",
		"line 4: The UID must be", "line 5: maple is in line 2 already",
		"line 6: ", "line 7: "} {
		c.fails(cmd.ExitFailed, want, "tenant", "create", "--from", file)
	}
	var list []struct{ UID, Name, Currency string }
	if c.json(&list, "tenant", "list"); len(list) != 1 {
		t.Fatalf("got %+v, want acme alone", list)
	}
	write("\xEF\xBB\xBFsep=;\ruid;name;currency\rmaple;Maple;\rpin-oak;\"Oak, Pin\";EUR\r")
	var report struct{ Created []string }
	if c.json(&report, "tenant", "create", "--from", file); len(report.Created) != 2 {
		t.Errorf("got %+v, want 2 shops", report)
	}
	c.json(&list, "tenant", "list")
	if len(list) != 3 || list[1].Currency != "BDT" || list[2].Name != "Oak, Pin" || list[2].Currency != "EUR" {
		t.Errorf("got %+v", list)
	}
	c.fails(cmd.ExitUsage, "--from", "tenant", "create", "elm", "--from", file)
	c.fails(cmd.ExitUsage, "tenant create needs a shop", "tenant", "create", "--name", "Elm")
	write("uid,title\nelm,Elm\n")
	c.fails(cmd.ExitFailed, "unknown column title", "tenant", "create", "--from", file)
}
