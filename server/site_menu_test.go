package server_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/design"
	"storefront/shop/fault"
)

// saveMenus saves menus as the operator.
func (s *pageSite) saveMenus(t *testing.T, menus design.Menus) {
	t.Helper()
	if _, _, err := s.shop.Designs.SaveMenus(t.Context(), access.Operator(), menus, nil); err != nil {
		t.Fatal(err)
	}
}

func menuLink(english, bangla, link string) design.MenuLink {
	return design.MenuLink{Title: design.Text{English: english, Bangla: bangla}, Link: link}
}

// The pages show the merchant's menus at once, in their language, without links to what buyers do
// not see. Without menus they show the collections.
func TestSite_Menus(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	draft := s.create(t, catalogue.ProductInput{
		Title: "Soon", Handle: "soon", Status: catalogue.ProductDraft, Variants: []catalogue.VariantInput{{Price: 100}},
	})
	b := s.browser()
	automatic := b.get(t, shopHost+"/")
	s.saveMenus(t, design.Menus{
		Main: []design.MenuItem{
			{
				MenuLink: menuLink("Drinks", "পানীয়", ""),
				Items: []design.MenuLink{
					menuLink("Morning tea", "সকালের চা", "/products/tea"), menuLink("Hidden", "", "/products/"+draft.Handle),
					menuLink("Unknown", "", "/products/no-such"),
				},
			},
			{MenuLink: menuLink("Unknown collection", "", "/collections/no-such")},
			{MenuLink: menuLink("Call us", "", "tel:+8801712345678")},
		},
		Footer:    []design.MenuItem{{MenuLink: menuLink("Rules", "", "/policies/returns")}},
		Secondary: []design.MenuItem{{MenuLink: menuLink("Weavers", "", "https://weavers.example/?a=1&b=2")}},
	})
	page := b.get(t, shopHost+"/")
	page.has(http.StatusOK, `<summary>Drinks</summary>`, `<a href="/products/tea">Morning tea</a>`, `href="tel:&#43;8801712345678"`,
		`<a href="/policies/returns">Rules</a>`, `href="https://weavers.example/?a=1&amp;b=2"`)
	for _, absent := range []string{"Hidden", "Unknown", "All products"} {
		if strings.Contains(page.html, absent) {
			t.Errorf("the page shows the link %q", absent)
		}
	}
	b.get(t, shopHost+"/bn/").has(http.StatusOK, "<summary>পানীয়</summary>", `<a href="/bn/products/tea">সকালের চা</a>`)
	s.saveMenus(t, design.Menus{})
	if again := b.get(t, shopHost+"/"); again.html != automatic.html {
		t.Error("without menus the page is not as before")
	}
}

// Menus are checked before they are saved, and marked where they lead to nothing.
func TestAdmin_MenusRefused(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	link := `{"title":{"en":"A"},"link":"/collections/all"}`
	for field, main := range map[string]string{
		"main[0].title":         `{"title":{},"link":"/"}`,
		"main[0].title.en":      `{"title":{"en":"` + strings.Repeat("x", 61) + `"},"link":"/"}`,
		"main[0].link":          `{"title":{"en":"A"},"link":"javascript:alert(1)"}`,
		"main[1].link":          link + `,{"title":{"en":"A"},"link":""}`,
		"main[0].items[0].link": `{"title":{"en":"A"},"link":"","items":[{"title":{"en":"A"},"link":"//evil.example"}]}`,
		"main":                  strings.Repeat(link+",", design.MaxMenuLinks) + link,
	} {
		body := `{"main":[` + main + `],"footer":[],"secondary":[]}`
		problem := s.as("PUT", "menus", body, "Cookie", s.owner).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
		if len(problem.Errors) != 1 || problem.Errors[0].Field != field {
			t.Errorf("got %v, want the field %s", problem.Errors, field)
		}
	}
	third := `{"main":[{"title":{"en":"A"},"link":"/","items":[{"title":{"en":"A"},"link":"/","items":[]}]}],"footer":[],"secondary":[]}`
	wantProblem(t, s.as("PUT", "menus", third, "Cookie", s.owner), http.StatusUnprocessableEntity, fault.CodeUnknownField)

	tag := s.as("GET", "menus", "", "Cookie", s.owner).header.Get("ETag")
	saved := s.as("PUT", "menus", strings.Replace(auditedMenus, "/collections/all", "/products/no-such", 1), "Cookie", s.owner, "If-Match", tag)
	if !regexp.MustCompile(`"missing":\["/products/no-such"\]`).Match(saved.body) {
		t.Errorf("got %s, want the link among the missing ones", saved.body)
	}
	wantProblem(t, s.as("PUT", "menus", auditedMenus, "Cookie", s.owner, "If-Match", tag), http.StatusPreconditionFailed, fault.CodeChangedMeanwhile)
}
