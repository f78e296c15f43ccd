package doctor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"storefront/media/mediatest"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/tenants"
	"storefront/tenants/doctor"
)

// newFolder creates a data folder with the shop acme, and returns its configuration.
func newFolder(t *testing.T) tenants.Config {
	t.Helper()
	cfg := tenants.Config{Dir: t.TempDir(), Schema: shoptest.Schema(t)}
	inFolder(t, cfg, func(all *tenants.Tenants) {
		settings := map[string]any{"name": "Acme", "currency": "BDT", "country": "BD"}
		if _, err := all.Create(t.Context(), "acme", shoptest.Raw(t, settings)); err != nil {
			t.Fatal(err)
		}
	})
	return cfg
}

// inFolder opens a data folder for the duration of do.
func inFolder(t *testing.T, cfg tenants.Config, do func(*tenants.Tenants)) {
	t.Helper()
	all, err := tenants.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	do(all)
	if err := all.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// examine returns the findings about acme by their names.
func examine(t *testing.T, cfg tenants.Config) map[string]doctor.Finding {
	t.Helper()
	x, err := doctor.Examine(t.Context(), cfg, tenants.RestoreSources{}, []string{"acme"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]doctor.Finding{}
	for _, f := range x.Shops[0].Findings {
		found[f.Name] = f
	}
	return found
}

func TestExamine_UnknownShop(t *testing.T) {
	t.Parallel()
	cfg := newFolder(t)
	_, err := doctor.Examine(t.Context(), cfg, tenants.RestoreSources{}, []string{"other"}, nil)
	var refused *fault.Error
	if !errors.As(err, &refused) || refused.Code != fault.CodeTenantNotFound {
		t.Errorf("got %v, want tenant_not_found", err)
	}
}

// A shop that is deleted while others are checked is no finding.
func TestExamine_DeletedMeanwhile(t *testing.T) {
	t.Parallel()
	cfg := newFolder(t)
	inFolder(t, cfg, func(all *tenants.Tenants) {
		settings := map[string]any{"name": "Best", "currency": "BDT", "country": "BD"}
		if _, err := all.Create(t.Context(), "best", shoptest.Raw(t, settings)); err != nil {
			t.Fatal(err)
		}
	})
	deleteOne := func(n, _ int) {
		if n == 1 {
			inFolder(t, cfg, func(all *tenants.Tenants) {
				if err := all.Delete(t.Context(), "best"); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
	x, err := doctor.Examine(t.Context(), cfg, tenants.RestoreSources{}, nil, deleteOne)
	if err != nil || len(x.Shops) != 1 || x.Shops[0].UID != "acme" {
		t.Errorf("got %+v, %v, want the findings about acme alone", x, err)
	}
}

// The images whose files are missing or damaged are counted.
func TestExamine_Images(t *testing.T) {
	t.Parallel()
	cfg := newFolder(t)
	intact := doctor.Finding{
		Name: "images", Code: doctor.CodeImages, State: doctor.StateOK, Message: "All files are intact.",
	}
	if got := examine(t, cfg)["images"]; got != intact {
		t.Errorf("without images: got %+v, want %+v", got, intact)
	}
	var ids []string
	inFolder(t, cfg, func(all *tenants.Tenants) {
		ids = []string{uploadImage(t, all, 200), uploadImage(t, all, 300)}
	})
	if got := examine(t, cfg)["images"]; got != intact {
		t.Errorf("with images: got %+v, want %+v", got, intact)
	}
	dir := func(id string) string { return filepath.Join(cfg.Dir, "media", "acme", id[:2], id) }
	if err := os.RemoveAll(dir(ids[0])); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir(ids[1]), "300.jpg"), 50); err != nil {
		t.Fatal(err)
	}
	want := doctor.Finding{
		Name: "images", Code: doctor.CodeImagesLost, State: doctor.StateFailing,
		Message: "Missing images: 1 of 2, damaged: 1, such as " +
			"" + ids[0] + ", " + ids[1] + ". Copy their folders from media/acme in the folder of backups " +
			"to the same place in the data folder, or upload them again.",
	}
	if got := examine(t, cfg)["images"]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// uploadImage uploads a picture to acme and returns its ID.
func uploadImage(t *testing.T, all *tenants.Tenants, width int) string {
	t.Helper()
	acme, err := all.Shop(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	upload := catalogue.MediaUpload{ContentType: "image/png", Body: mediatest.PNG(t, width, 9)}
	m, _, err := acme.Catalogue.UploadMedia(t.Context(), access.Operator(), upload)
	if err != nil {
		t.Fatal(err)
	}
	return m.ID
}
