package admin

import (
	"context"
	"net/http"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/translation"
)

// TranslationPath has a record in the path.
type TranslationPath struct {
	Kind translation.Kind `path:"kind" doc:"What the record is" example:"product"`
	ID   string           `path:"id" doc:"The record's _id, or the handle or slug" example:"mango-pickle"`
}

// TranslationChange is a change of translations.
type TranslationChange struct {
	Texts map[string]string `json:"texts" nullable:"false" doc:"Translations by field; an empty one is deleted"`
}

// translationVersion is the version of a record's translations: a hash of them.
func translationVersion(t shop.Translation) string {
	texts := map[string]string{}
	for _, text := range t.Texts {
		texts[text.Field] = text.Translation
	}
	return versionOf([]any{t.Language, texts})
}

// translation returns the translations of a record with their version.
func (r *request) translation(t *shop.Translation, err error) (*shop.Translation, error) {
	if err == nil {
		r.setVersion(translationVersion(*t))
	}
	return t, err
}

func translationOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listTranslations", Path: "translations/{kind}", Tag: tagSite, Use: access.ToListTranslations, List: true,
			Summary: "List records with their texts in both languages",
			Description: "The texts of products with their tags and types, of collections, pages, policies, delivery charges and the shop itself " +
				"can be translated into the shop's second language, secondLocale. Requires settings.read for pages, policies, delivery charges " +
				"and the shop, and products.read for the others.",
			Codes: []fault.Code{fault.CodeValidationFailed, fault.CodeNotFound, fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			Kind translation.Kind `path:"kind" doc:"What the records are" example:"product"`
			shop.TranslationFilter
		}) (*page.List[shop.Translation], error) {
			in.Request = in.page()
			return in.shop().ListTranslations(ctx, in.caller(), in.Kind, in.TranslationFilter)
		}),

		define(Operation{
			ID: "getTranslations", Path: "translations/{kind}/{id}", Tag: tagSite, Use: access.ToFindTranslation, Versioned: true,
			Summary:     "One record with its texts in both languages",
			Description: "Requires a permission as listTranslations does.",
			Codes:       []fault.Code{fault.CodeNotFound, fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			TranslationPath
		}) (*shop.Translation, error) {
			return in.translation(in.shop().FindTranslation(ctx, in.caller(), in.Kind, in.ID))
		}),

		define(Operation{
			ID: "saveTranslations", Method: http.MethodPatch, Path: "translations/{kind}/{id}",
			Tag: tagSite, Use: access.ToSaveTranslation, Versioned: true,
			Summary: "Change translations of a record",
			Description: "Fields that are left out are unchanged. A text has the limits of its field, and its HTML is sanitized as the field's. " +
				"If an option or a value is renamed, its translation is deleted. " +
				"A changed announcement loses its translation. " +
				"Requires settings.write for pages, policies, delivery charges and the shop, and products.write for the others.",
			Codes:   []fault.Code{fault.CodeNotFound, fault.CodeStateConflict},
			Example: map[string]any{"texts": map[string]string{"title": "Mango pickle"}},
		}, func(ctx context.Context, in *struct {
			request
			TranslationPath
			Precondition
			Body TranslationChange
		}) (*shop.Translation, error) {
			return in.translation(in.shop().SaveTranslation(ctx, in.caller(), in.Kind, in.ID, in.Body.Texts,
				check(in.Precondition, translationVersion)))
		}),
	}
}
