package admin

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"storefront/shop/access"
	"storefront/shop/design"
	"storefront/shop/fault"
)

// SectionKinds are the kinds of sections.
type SectionKinds struct {
	Nodes []design.Kind `json:"nodes" nullable:"false"`
}

// DesignPreview is a link that shows the draft of the design.
type DesignPreview struct {
	URL       string    `json:"url" doc:"The home page with the draft; its links stay in the preview"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// designVersion is the version of the draft.
func designVersion(draft design.Document) string { return versionOf(draft) }

// design returns the designs with the version of the draft.
func (r *request) design(found *design.Design, err error) (*design.Design, error) {
	if err == nil {
		r.setVersion(designVersion(found.Draft))
	}
	return found, err
}

// LandingPageRecord is a landing page with its address.
type LandingPageRecord struct {
	design.LandingPage
	URL string `json:"url" doc:"Where buyers see it; empty if the shop has no site at this server"`
}

// LandingPages are landing pages.
type LandingPages struct {
	Nodes []LandingPageRecord `json:"nodes" nullable:"false"`
}

// landingVersion is the version of a landing page.
func landingVersion(page design.LandingPage) string { return versionOf(page) }

// landingPage returns a landing page with its version and its address.
func (r *request) landingPage(ctx context.Context, found *design.LandingPage, err error) (*LandingPageRecord, error) {
	if err != nil {
		return nil, err
	}
	origin, err := r.pagesOrigin(ctx)
	if err != nil {
		return nil, err
	}
	r.setVersion(landingVersion(*found))
	return withAddress(origin, *found), nil
}

// pagesOrigin returns the origin of the shop's pages, "" if it has none at this server.
func (r *request) pagesOrigin(ctx context.Context) (string, error) {
	origin, err := r.x.SiteOrigin(ctx)
	if fault.HasCode(err, fault.CodeStateConflict) {
		return "", nil
	}
	return origin, err
}

// withAddress returns a landing page with its address at an origin, "" if there is none.
func withAddress(origin string, page design.LandingPage) *LandingPageRecord {
	with := &LandingPageRecord{LandingPage: page}
	if origin != "" {
		with.URL = origin + "/l/" + url.PathEscape(page.Slug)
	}
	return with
}

// MenusRecord are the menus of the site, with the links that lead nowhere.
type MenusRecord struct {
	design.Menus
	Missing []string `json:"missing" nullable:"false" doc:"The links that pages leave out: what they lead to does not exist, or is hidden"`
}

func menusVersion(menus design.Menus) string { return versionOf(menus) }

// menus returns the menus with their version.
func (r *request) menus(found *design.Menus, missing []string, err error) (*MenusRecord, error) {
	if err != nil {
		return nil, err
	}
	r.setVersion(menusVersion(*found))
	return &MenusRecord{*found, orEmpty(missing)}, nil
}

// versionNumber returns the number of a version in a path, 0 for another text: there is none.
func versionNumber(text string) int {
	number, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return number
}

func designOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "getDesign", Path: "design", Tag: tagSite, Use: access.ToFindDesign, Versioned: true,
			Summary: "The design of the site: the draft, what buyers see, and the versions",
			Description: "A value that is missing is the design's own, such as the sections of the home page. " +
				"The ETag identifies the draft.",
		}, func(ctx context.Context, in *struct{ request }) (*design.Design, error) {
			return in.design(in.shop().Designs.FindDesign(ctx, in.caller()))
		}),

		define(Operation{
			ID: "saveDesign", Method: http.MethodPut, Path: "design", Tag: tagSite, Use: access.ToSaveDesign, Versioned: true,
			Summary:     "Replace the draft of the design",
			Description: "Buyers do not see it before publishDesign. The draft of another shop can be sent here.",
			Codes:       lockedCodes,
			Example: design.Document{
				Design: design.Angan, Tokens: design.Tokens{Seed: "#7a2740"},
			},
		}, func(ctx context.Context, in *struct {
			request
			Precondition
			Body design.Document
		}) (*design.Design, error) {
			return in.design(in.shop().Designs.SaveDesign(ctx, in.caller(), in.Body, check(in.Precondition, designVersion)))
		}),

		define(Operation{
			ID: "publishDesign", Method: http.MethodPost, Path: "design/publish", Tag: tagSite, Use: access.ToPublishDesign,
			Versioned: true, BodyOptional: true,
			Summary:     "Make the draft the design that buyers see",
			Description: "The last 20 versions can be restored. Nothing happens if the draft has no changes.",
		}, func(ctx context.Context, in *struct {
			request
			Precondition
			NoBody
		}) (*design.Design, error) {
			return in.design(in.shop().Designs.PublishDesign(ctx, in.caller(), check(in.Precondition, designVersion)))
		}),

		define(Operation{
			ID: "getDesignVersion", Path: "design/versions/{version}", Tag: tagSite, Use: access.ToFindDesignVersion,
			Summary: "A published version of the design",
			Codes:   []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			Version string `path:"version" doc:"Number of the version" example:"1"`
		}) (*design.Document, error) {
			return in.shop().Designs.FindDesignVersion(ctx, in.caller(), versionNumber(in.Version))
		}),

		define(Operation{
			ID: "restoreDesign", Method: http.MethodPost, Path: "design/versions/{version}/restore", Tag: tagSite,
			Use: access.ToRestoreDesign, Versioned: true, BodyOptional: true, Idempotent: true,
			Summary:     "Publish an earlier version of the design again",
			Description: "It becomes the newest version. A draft with changes stays as it is.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			Precondition
			NoBody
			Version string `path:"version" doc:"Number of the version" example:"1"`
		}) (*design.Design, error) {
			return in.design(in.shop().Designs.RestoreDesign(ctx, in.caller(), versionNumber(in.Version), check(in.Precondition, designVersion)))
		}),

		define(Operation{
			ID: "createDesignPreview", Method: http.MethodPost, Path: "design/previews", Tag: tagSite, Use: access.ToCreatePreview,
			Created: true, BodyOptional: true, Secret: true,
			Summary:     "Create a link that shows the draft on the pages of the shop",
			Description: "Everybody with the link sees the draft, for one hour. Search engines do not list it.",
			Codes:       []fault.Code{fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			NoBody
		}) (*DesignPreview, error) {
			preview, err := in.shop().Designs.CreatePreview(ctx, in.caller())
			if err != nil {
				return nil, err
			}
			origin, err := in.x.SiteOrigin(ctx)
			if err != nil {
				return nil, err
			}
			return &DesignPreview{origin + design.PreviewPath + preview.Token + "/", preview.ExpiresAt}, nil
		}),

		define(Operation{
			ID: "listSectionKinds", Path: "design/sections", Tag: tagSite, Use: access.ToFindDesign,
			Summary: "The kinds of sections of pages, with their settings",
		}, func(ctx context.Context, in *struct{ request }) (*SectionKinds, error) {
			_, err := in.shop().Designs.FindDesign(ctx, in.caller())
			return &SectionKinds{design.Kinds()}, err
		}),

		define(Operation{
			ID: "listLandingPages", Path: "landing-pages", Tag: tagSite, Use: access.ToListLandingPages, List: true,
			Summary:     "List landing pages by slug",
			Description: "A landing page has no menu. Advertisements lead to it, and buyers order on it. All are returned.",
		}, func(ctx context.Context, in *struct{ request }) (*LandingPages, error) {
			found, err := in.shop().Designs.ListLandingPages(ctx, in.caller())
			if err != nil {
				return nil, err
			}
			origin, err := in.pagesOrigin(ctx)
			all := &LandingPages{make([]LandingPageRecord, len(found))}
			for i, page := range found {
				all.Nodes[i] = *withAddress(origin, page)
			}
			return all, err
		}),

		define(Operation{
			ID: "getLandingPage", Path: "landing-pages/{slug}", Tag: tagSite, Use: access.ToFindLandingPageRecord, Versioned: true,
			Summary: "A landing page",
			Codes:   []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			Slug string `path:"slug" doc:"Last part of its address" example:"eid-panjabi"`
		}) (*LandingPageRecord, error) {
			found, err := in.shop().Designs.FindLandingPageRecord(ctx, in.caller(), in.Slug)
			return in.landingPage(ctx, found, err)
		}),

		define(Operation{
			ID: "saveLandingPage", Method: http.MethodPut, Path: "landing-pages", Tag: tagSite, Use: access.ToSaveLandingPage, Versioned: true,
			Summary: "Create a landing page, or replace the one with the same slug",
			Example: design.LandingPage{
				Slug: "eid-panjabi", Title: design.Text{English: "Eid panjabi", Bangla: "ঈদের পাঞ্জাবি"}, Products: []string{"panjabi"}, Visible: true,
				Sections: []design.Section{{Kind: "productFacts"}, {Kind: "orderForm"}},
			},
			Codes: []fault.Code{fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			Precondition
			Creation
			Body design.LandingPage
		}) (*LandingPageRecord, error) {
			check := checkCreation(in.Creation, "slug", "Another landing page has this slug.", checkExisting(in.Precondition, landingVersion))
			saved, err := in.shop().Designs.SaveLandingPage(ctx, in.caller(), in.Body, check)
			return in.landingPage(ctx, saved, err)
		}),

		define(Operation{
			ID: "deleteLandingPage", Method: http.MethodDelete, Path: "landing-pages/{slug}", Tag: tagSite, Use: access.ToDeleteLandingPage,
			Summary: "Delete a landing page",
			Codes:   []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			Precondition
			Slug string `path:"slug" doc:"Last part of its address" example:"eid-panjabi"`
		}) (*Done, error) {
			return done(in.shop().Designs.DeleteLandingPage(ctx, in.caller(), in.Slug, check(in.Precondition, landingVersion)))
		}),

		define(Operation{
			ID: "getMenus", Path: "menus", Tag: tagSite, Use: access.ToFindMenus, Versioned: true,
			Summary:     "The menus of the site",
			Description: "An empty menu is made of the collections and pages.",
		}, func(ctx context.Context, in *struct{ request }) (*MenusRecord, error) {
			return in.menus(in.shop().Designs.FindMenus(ctx, in.caller()))
		}),

		define(Operation{
			ID: "saveMenus", Method: http.MethodPut, Path: "menus", Tag: tagSite, Use: access.ToSaveMenus, Versioned: true,
			Summary:     "Replace the menus of the site",
			Description: "Buyers see them immediately. A menu has at most 50 links on two levels.",
			Example: design.Menus{
				Main: []design.MenuItem{{
					MenuLink: design.MenuLink{Title: design.Text{English: "Eid", Bangla: "ঈদ"}, Link: "/collections/eid"},
					Items:    []design.MenuLink{{Title: design.Text{English: "Panjabi", Bangla: "পাঞ্জাবি"}, Link: "/products/panjabi"}},
				}},
				Footer: []design.MenuItem{}, Secondary: []design.MenuItem{},
			},
		}, func(ctx context.Context, in *struct {
			request
			Precondition
			Body design.Menus
		}) (*MenusRecord, error) {
			return in.menus(in.shop().Designs.SaveMenus(ctx, in.caller(), in.Body, check(in.Precondition, menusVersion)))
		}),
	}
}
