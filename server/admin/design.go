package admin

import (
	"context"
	"net/http"
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
			Version string `path:"version" example:"1"`
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
			NoBody
			Version string `path:"version" example:"1"`
		}) (*design.Design, error) {
			return in.design(in.shop().Designs.RestoreDesign(ctx, in.caller(), versionNumber(in.Version)))
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
	}
}
