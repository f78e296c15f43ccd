package admin

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// MediaPath has an uploaded image in the path.
type MediaPath struct {
	ID string `path:"id" doc:"The image's _id" example:"mzxw6ytboi3dcnrqgezd"`
}

// MediaChange is a change of some fields of an uploaded image.
type MediaChange struct {
	Alt Nullable[string] `json:"alt,omitempty" doc:"Text alternative where the image is used without one; null or empty removes it"`
}

// mediaVersion is the version of an uploaded image: a hash of its editable fields.
func mediaVersion(m catalogue.Media) string { return versionOf([]any{m.ID, m.Alt}) }

// media returns an uploaded image with its version.
func (r *request) media(m *catalogue.Media, err error) (*catalogue.Media, error) {
	if err == nil {
		r.setVersion(mediaVersion(*m))
	}
	return m, err
}

// mediaOutput is an uploaded image: 201 if it is new, otherwise 200.
type mediaOutput struct {
	Status int
	Body   catalogue.Media
}

// MediaUpload is an image to be uploaded.
type MediaUpload struct {
	request
	Alt         string `query:"alt" doc:"Text alternative where the image is used without one"`
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte `contentType:"image/jpeg"`
}

// defineUpload returns the operation that uploads an image.
func defineUpload(o Operation) Operation {
	o.Method, o.Image, o.parameters = http.MethodPost, true, parametersOf[MediaUpload]()
	o.register = func(api huma.API, op huma.Operation) {
		huma.Register(api, op, func(ctx context.Context, in *MediaUpload) (*mediaOutput, error) {
			release, err := in.x.Acquire(o.work())
			if err != nil {
				return nil, err
			}
			defer release()
			m, created, err := in.shop().Catalogue.UploadMedia(ctx, in.caller(), catalogue.MediaUpload{
				ContentType: in.ContentType, Body: in.RawBody, Alt: in.Alt,
			})
			if err != nil {
				return nil, err
			}
			in.setVersion(mediaVersion(*m))
			out := &mediaOutput{Status: http.StatusOK, Body: *m}
			if created {
				out.Status = http.StatusCreated
			}
			return out, nil
		})
		responses := api.OpenAPI().Paths[op.Path].Post.Responses
		responses["201"].Description = "The image is stored"
		responses["200"] = &huma.Response{Description: "The shop had this image already", Content: responses["201"].Content}
	}
	return o
}

func mediaOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listMedia", Path: "media", Tag: tagProducts, Use: access.ToListMedia, List: true,
			Summary:     "List uploaded images, newest first",
			Description: "Each has the number of products and collections that show it.",
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			catalogue.MediaFilter
		}) (*page.List[catalogue.Media], error) {
			in.Request = in.page()
			return in.shop().Catalogue.ListMedia(ctx, in.caller(), in.MediaFilter)
		}),

		defineUpload(Operation{
			ID: "uploadMedia", Path: "media",
			Tag: tagProducts, Use: access.ToUploadMedia, Idempotent: true, Created: true, Versioned: true,
			Summary: "Upload an image",
			Description: "The body is the image, of at most 12 MiB and 12,000 pixels a side. It " +
				"is stored without its metadata, turned by its EXIF orientation and at most 2048 " +
				"pixels a side, with smaller renditions. Only the first frame of an animation is " +
				"stored. Products and collections show it by its `_id`.",
			Codes: []fault.Code{fault.CodeImageInvalid, fault.CodeQuotaReached, fault.CodePlanLimit},
		}),

		define(Operation{
			ID: "getMedia", Path: "media/{id}", Tag: tagProducts, Use: access.ToFindMedia, Versioned: true,
			Summary:     "One uploaded image",
			Description: "Includes the number of products and collections that show it.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			MediaPath
		}) (*catalogue.Media, error) {
			return in.media(in.shop().Catalogue.FindMedia(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "updateMedia", Method: http.MethodPatch, Path: "media/{id}",
			Tag: tagProducts, Use: access.ToUpdateMedia, Versioned: true,
			Summary:     "Change the text alternative of an uploaded image",
			Description: "Products and collections that show the image have a text alternative of their own.",
			Codes:       []fault.Code{fault.CodeNotFound},
			Example:     map[string]any{"alt": "Red panjabi, front"},
		}, func(ctx context.Context, in *struct {
			request
			MediaPath
			Precondition
			Body MediaChange
		}) (*catalogue.Media, error) {
			return in.media(in.shop().Catalogue.UpdateMedia(ctx, in.caller(), in.ID, catalogue.MediaChange{
				Alt: in.Body.Alt.edit(), Check: check(in.Precondition, mediaVersion),
			}))
		}),

		define(Operation{
			ID: "deleteMedia", Method: http.MethodDelete, Path: "media/{id}",
			Tag: tagProducts, Use: access.ToDeleteMedia,
			Summary: "Delete an image that nothing shows",
			Description: "The files stay for at least 45 days, so that the shop can be restored " +
				"to an earlier state, and as long as orders show the image. now=true deletes the " +
				"files immediately. It requires a recent proof and fails with `in_use` if an " +
				"order shows the image.",
			Codes: []fault.Code{fault.CodeNotFound, fault.CodeInUse, fault.CodeProofRequired},
		}, func(ctx context.Context, in *struct {
			request
			MediaPath
			Precondition
			Now bool `query:"now" doc:"Delete the files immediately, even if the image was deleted before"`
		}) (*Done, error) {
			return done(in.shop().Catalogue.DeleteMedia(ctx, in.caller(), in.ID, catalogue.MediaDeletion{
				Now: in.Now, Check: check(in.Precondition, mediaVersion),
			}))
		}),
	}
}
