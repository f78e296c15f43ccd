package shop

import (
	"context"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/locale"
	"storefront/shop/order"
	"storefront/shop/outbox"
	"storefront/shop/page"
	"storefront/shop/translation"
)

// Translation are the texts of a record in the shop's own language and in its second one.
type Translation struct {
	Kind     translation.Kind `json:"kind"`
	ID       string           `json:"_id" doc:"Of the record; a page's slug; shop; a tag or type in lower case, with % and / as %25 and %2F"`
	Label    string           `json:"label" doc:"Its name in the shop's own language"`
	Language locale.Language  `json:"language" doc:"The shop's second language"`
	Missing  int              `json:"missing" doc:"Number of texts without a translation, apart from those that have both languages, such as Tea — চা"`
	Texts    []TranslatedText `json:"texts" nullable:"false"`
}

// TranslatedText is one text of a record in both languages.
type TranslatedText struct {
	Field       string `json:"field" doc:"Such as title, descriptionHtml, option:Size or value:Large"`
	Text        string `json:"text" doc:"In the shop's own language"`
	Translation string `json:"translation" doc:"Empty if there is none: the text in the shop's own language is shown"`
}

func newTranslation(o *translation.Original, language locale.Language) Translation {
	t := Translation{Kind: o.Kind, ID: o.ID, Label: o.Label, Language: language, Texts: []TranslatedText{}}
	for _, text := range o.Texts {
		translated := o.Saved[language][text.Field]
		if text.Text != "" && translated == "" && locale.NameIn(language, text.Text) == text.Text {
			t.Missing++
		}
		t.Texts = append(t.Texts, TranslatedText{text.Field, text.Text, translated})
	}
	return t
}

// TranslationFilter selects records of a kind with their translations.
type TranslationFilter struct {
	page.Request
	Missing bool `query:"missing" doc:"Only records with a text without a translation"`
}

// ListTranslations returns one page of the records of a kind with their texts in both languages.
// Codes: validation_failed, not_found, state_conflict (the shop has no second language),
// unauthenticated, forbidden.
func (s *Shop) ListTranslations(
	ctx context.Context, caller access.Caller, kind translation.Kind, filter TranslationFilter,
) (*page.List[Translation], error) {
	language, err := s.findSecondLanguage(ctx)
	if err != nil {
		return nil, err
	}
	return access.ReadMany(ctx, s.data, caller, access.ToListTranslations, func(tx *db.Tx, who access.Staff) (*page.List[Translation], error) {
		var bad fault.Invalid
		w := filter.Window(&bad)
		if err := bad.Err(); err != nil {
			return nil, err
		}
		if err := checkKind(tx, who, kind, false); err != nil {
			return nil, err
		}
		if err := requireSecond(language); err != nil {
			return nil, err
		}
		var missingIn locale.Language
		if filter.Missing {
			missingIn = language
		}
		found, count, err := listOriginals(tx, kind, missingIn, w)
		if err != nil {
			return nil, err
		}
		list := &page.List[Translation]{Nodes: make([]Translation, len(found)), Meta: w.ListMetaFor(count, len(found))}
		for i := range found {
			list.Nodes[i] = newTranslation(&found[i], language)
		}
		return list, nil
	})
}

// FindTranslation returns a record with its texts in both languages. Products and collections are
// found by their handles, too. Codes: validation_failed, not_found, state_conflict (as for
// ListTranslations), unauthenticated, forbidden.
func (s *Shop) FindTranslation(ctx context.Context, caller access.Caller, kind translation.Kind, id string) (*Translation, error) {
	language, err := s.findSecondLanguage(ctx)
	if err != nil {
		return nil, err
	}
	return access.Read(ctx, s.data, caller, access.ToFindTranslation, func(tx *db.Tx, who access.Staff) (*Translation, error) {
		found, err := findOriginal(tx, who, kind, id, false)
		if err != nil {
			return nil, err
		}
		if err := requireSecond(language); err != nil {
			return nil, err
		}
		return new(newTranslation(&found, language)), nil
	})
}

// SaveTranslation changes translations of a record into the shop's second language; an empty text
// deletes one. check must accept the record before the change; nil accepts any. Codes: as for
// FindTranslation, and check's.
func (s *Shop) SaveTranslation(
	ctx context.Context, caller access.Caller, kind translation.Kind, id string, texts translation.Texts, check func(Translation) error,
) (*Translation, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToSaveTranslation)
	if err != nil {
		return nil, err
	}
	language, err := s.findSecondLanguage(ctx)
	if err != nil {
		return nil, err
	}
	texts = translation.Clean(texts)
	var saved Translation
	err = s.data.UpdateAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		found, err := findOriginal(tx, who, kind, id, true)
		if err != nil {
			return err
		}
		if err := requireSecond(language); err != nil {
			return err
		}
		if err := access.Accept(check, newTranslation(&found, language)); err != nil {
			return err
		}
		var bad fault.Invalid
		texts.Check(&bad, "texts", found.Fields())
		if err := bad.Err(); err != nil {
			return err
		}
		want := found.Saved.With(language, texts).Only(found.Fields())
		if err := s.saveTranslation(ctx, tx, who, &found, want); err != nil {
			return err
		}
		found.Saved = want
		saved = newTranslation(&found, language)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.revision.Add(1) // cached settings have translations
	return &saved, nil
}

func (s *Shop) saveTranslation(ctx context.Context, tx *db.Tx, who access.Staff, found *translation.Original, want translation.Record) error {
	switch {
	case found.Kind == translation.Product:
		return s.Catalogue.SaveProductTranslations(ctx, tx, who, found.ID, want)
	case found.Kind == translation.Collection:
		return catalogue.SaveCollectionTranslations(tx, who, found.ID, found.Saved, want)
	case found.Saved.Equal(want):
		return nil
	}
	if err := translation.Save(tx, found.Kind, found.ID, found.Saved, want); err != nil {
		return err
	}
	subject := access.Subject{Kind: access.SubjectProducts, Label: found.Label}
	if found.Kind == translation.Discount {
		subject = access.Subject{Kind: access.SubjectCoupon, ID: found.ID, Label: found.Label}
	}
	if slices.Contains(settingKinds, found.Kind) {
		subject.Kind = access.SubjectSettings
		if err := outbox.Append(tx, outbox.Event{Type: outbox.SettingsChanged, Subject: "settings"}); err != nil {
			return err
		}
	}
	return who.Audit(tx, subject, translation.Changes(found.Saved, want)...)
}

// findSecondLanguage returns the shop's second language; "" means none.
func (s *Shop) findSecondLanguage(ctx context.Context) (locale.Language, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return "", err
	}
	return set.second(), nil
}

// requireSecond checks that the shop has a second language. Codes: state_conflict.
func requireSecond(language locale.Language) error {
	if language == "" {
		return fault.Errorf(fault.CodeStateConflict, "The shop has no second language: choose one in its settings.")
	}
	return nil
}

// translationPermission returns the permission to view or change records of a kind.
func translationPermission(kind translation.Kind, write bool) access.Permission {
	ofProduct := !slices.Contains(settingKinds, kind)
	switch {
	case kind == translation.Discount && write:
		return access.CouponsWrite
	case kind == translation.Discount:
		return access.CouponsRead
	case ofProduct && write:
		return access.ProductsWrite
	case ofProduct:
		return access.ProductsRead
	case write:
		return access.SettingsWrite
	}
	return access.SettingsRead
}

// checkKind checks that records of a kind can be translated, and that the caller may view or change
// them. Codes: not_found, forbidden.
func checkKind(tx *db.Tx, who access.Staff, kind translation.Kind, write bool) error {
	if !slices.Contains(translation.Kinds(), kind) {
		return fault.Errorf(fault.CodeNotFound, "The record %q does not exist.", input.Cut(input.CleanLine(string(kind)), maxLine))
	}
	return who.Require(tx, translationPermission(kind, write))
}

// findOriginal returns a record for its translation to a caller who may view it, or change it.
// Codes: forbidden, not_found.
func findOriginal(tx *db.Tx, who access.Staff, kind translation.Kind, id string, write bool) (found translation.Original, err error) {
	if err := checkKind(tx, who, kind, write); err != nil {
		return found, err
	}
	switch kind {
	case translation.Product:
		return catalogue.FindTranslatedProduct(tx, id)
	case translation.Collection:
		return catalogue.FindTranslatedCollection(tx, id)
	}
	all, err := findOriginals(tx, kind)
	if err != nil {
		return found, err
	}
	at := slices.IndexFunc(all, func(o translation.Original) bool { return o.ID == id })
	if at < 0 {
		return found, fault.Errorf(fault.CodeNotFound, "The record %q does not exist.", input.Cut(input.CleanLine(id), maxLine))
	}
	return all[at], nil
}

// listOriginals returns one page of the records of a kind. With a language it returns only those
// with a missing text.
func listOriginals(tx *db.Tx, kind translation.Kind, missingIn locale.Language, w page.Window) ([]translation.Original, page.Count, error) {
	switch kind {
	case translation.Product:
		return catalogue.ListTranslatedProducts(tx, missingIn, w)
	case translation.Collection:
		return catalogue.ListTranslatedCollections(tx, missingIn, w)
	}
	all, err := findOriginals(tx, kind)
	if err != nil {
		return nil, page.Count{}, err
	}
	if missingIn != "" {
		all = slices.DeleteFunc(all, func(o translation.Original) bool { return newTranslation(&o, missingIn).Missing == 0 })
	}
	count := page.Count{Total: len(all)}
	if w.Limit == page.NoLimit {
		return all, count, nil
	}
	from := min(w.Offset(), len(all))
	return all[from:min(from+w.Limit, len(all))], count, nil
}

// findOriginals returns all records of a kind in the settings, or all discounts, tags or types.
func findOriginals(tx *db.Tx, kind translation.Kind) ([]translation.Original, error) {
	if kind == translation.Discount {
		return order.FindTranslatedDiscounts(tx)
	}
	if !slices.Contains(settingKinds, kind) {
		return catalogue.FindTranslatedTerms(tx, kind)
	}
	set, err := findSettings(tx)
	if err != nil {
		return nil, err
	}
	saved, err := translation.FindAll(tx, kind)
	if err != nil {
		return nil, err
	}
	all := set.originals(kind)
	for i := range all {
		all[i].Saved = saved[all[i].ID]
	}
	return all, nil
}

// settingKinds are the kinds of records that are in the settings.
var settingKinds = []translation.Kind{translation.Page, translation.Policy, translation.DeliveryCharge, translation.Shop}

// incompleteNotice is the field of the notice about incomplete orders.
const incompleteNotice = "incompleteNotice"

// shopRecord is the ID of the only record of [translation.Shop].
const shopRecord = "shop"

// originals returns the records of a kind, without their translations.
func (set *Settings) originals(kind translation.Kind) (all []translation.Original) {
	add := func(id, label string, texts ...translation.Text) {
		all = append(all, translation.Original{Kind: kind, ID: id, Label: label, Texts: texts})
	}
	switch kind {
	case translation.Page:
		for _, p := range set.Pages {
			add(p.Slug, p.Title, translation.Text{Field: "title", Text: p.Title}, translation.Text{Field: translation.Body, Text: p.BodyHTML})
		}
	case translation.Policy:
		for _, p := range set.LegalPolicies {
			add(p.Slug, p.Title, translation.Text{Field: "title", Text: p.Title}, translation.Text{Field: translation.Body, Text: p.BodyHTML})
		}
	case translation.DeliveryCharge:
		for _, d := range set.DeliveryCharges {
			estimate := ""
			if d.Estimate != nil {
				estimate = *d.Estimate
			}
			add(d.ID, d.Name, translation.Text{Field: "name", Text: d.Name}, translation.Text{Field: "estimate", Text: estimate})
		}
	case translation.Shop:
		add(shopRecord, set.Name,
			translation.Text{Field: "announcement", Text: set.Site.Announcement},
			translation.Text{Field: incompleteNotice, Text: set.IncompleteOrders.Notice},
			translation.Text{Field: translation.Address, Text: db.TextOf(set.SupportContact.Address)},
			translation.Text{Field: "legalName", Text: set.Invoice.LegalName},
			translation.Text{Field: "registration", Text: set.Invoice.Registration},
			translation.Text{Field: translation.Footer, Text: set.Invoice.Footer})
	}
	return all
}

// deleteLostTranslations deletes the translations of texts that changed settings no longer have. An
// announcement that changes loses its translation too: the old one may be untrue.
func (set *Settings) deleteLostTranslations(tx *db.Tx, was *Settings) error {
	for _, kind := range settingKinds {
		saved, err := translation.FindAll(tx, kind)
		if err != nil {
			return err
		}
		texts := map[string][]string{} // fields by ID
		for _, o := range set.originals(kind) {
			for _, text := range o.Texts {
				isStale := text.Field == "announcement" && text.Text != was.Site.Announcement
				if text.Text != "" && !isStale {
					texts[o.ID] = append(texts[o.ID], text.Field)
				}
			}
		}
		for id, record := range saved {
			if err := translation.Save(tx, kind, id, record, record.Only(texts[id])); err != nil {
				return err
			}
		}
	}
	return nil
}

// settingTexts are the translations of records in the settings and of discounts, by kind and ID.
type settingTexts map[translation.Kind]map[string]translation.Record

func findSettingTexts(tx *db.Tx) (settingTexts, error) {
	all := settingTexts{}
	for _, kind := range append([]translation.Kind{translation.Discount}, settingKinds...) {
		found, err := translation.FindAll(tx, kind)
		if err != nil {
			return nil, err
		}
		all[kind] = found
	}
	return all, nil
}

// translateTexts returns policies or pages in a language.
func (t settingTexts) translateTexts(kind translation.Kind, texts []LegalPolicy, language locale.Language) []LegalPolicy {
	shown := slices.Clone(texts)
	for i := range shown {
		in := t[kind][shown[i].Slug][language]
		shown[i].Title, shown[i].BodyHTML = in.Or("title", shown[i].Title), in.Or(translation.Body, shown[i].BodyHTML)
	}
	return shown
}

// textsIn returns the translated texts of the shop itself in a language.
func (c *cachedSettings) textsIn(language locale.Language) translation.Texts {
	if language == "" || language != c.second() {
		return nil
	}
	return c.translations[translation.Shop][shopRecord][language]
}

// translateCharge returns the texts of a delivery charge in a language; "" means that there is no
// translation.
func (c *cachedSettings) translateCharge(language locale.Language, id string) (name, estimate string) {
	if language == "" || language != c.second() {
		return "", ""
	}
	in := c.translations[translation.DeliveryCharge][id][language]
	return in["name"], in["estimate"]
}

// translateDiscount returns the title of an automatic discount in a language; "" means that there
// is no translation.
func (c *cachedSettings) translateDiscount(language locale.Language, id string) string {
	if language == "" || language != c.second() {
		return ""
	}
	return c.translations[translation.Discount][id][language][order.TranslatedTitle]
}

// second returns the shop's second language; "" means none.
func (c *cachedSettings) second() locale.Language {
	if len(c.site.Languages) < 2 {
		return ""
	}
	return c.site.Languages[1]
}

// languageOf returns the language of a tag, such as en or en-GB: "" if it is the shop's own, or one
// that the shop does not have. Codes: validation_failed.
func (c *cachedSettings) languageOf(tag string) (locale.Language, error) {
	if tag == "" {
		return "", nil
	}
	var bad fault.Invalid
	if !localePattern.MatchString(tag) {
		bad.Add("lang", fault.CodeInvalidValue, "Must be a language tag such as bn.")
	}
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if language := c.second(); base == string(language) {
		return language, nil
	}
	return "", bad.Err()
}

// LanguageOf returns the language of a tag if the shop has two languages and it is one of them;
// otherwise "". Codes: validation_failed.
func (s *Shop) LanguageOf(ctx context.Context, lang string) (locale.Language, error) {
	if lang == "" {
		return "", nil
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return "", err
	}
	language, err := set.languageOf(lang)
	if err != nil {
		return "", err
	}
	if language != "" || set.second() == "" {
		return language, nil
	}
	if base, _, _ := strings.Cut(strings.ToLower(lang), "-"); base == string(set.site.Languages[0]) {
		language = set.site.Languages[0]
	}
	return language, nil
}

// CatalogueIn returns the shop's catalogue in a language, by its tag; "" means the shop's own, and
// so does a language that the shop does not have. Codes: validation_failed.
func (s *Shop) CatalogueIn(ctx context.Context, lang string) (*catalogue.Catalogue, error) {
	if lang == "" {
		return s.Catalogue, nil
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	language, err := set.languageOf(lang)
	if err != nil {
		return nil, err
	}
	if language == "" {
		return s.Catalogue, nil
	}
	return s.Catalogue.In(language), nil
}
