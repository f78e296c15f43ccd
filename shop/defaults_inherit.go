package shop

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/design"
	"storefront/shop/fault"
	"storefront/shop/sender"
	"storefront/shop/translation"
)

// RenewDefaults sets the shop's copy of the installation's defaults; nil removes it.
func (s *Shop) RenewDefaults(ctx context.Context, d *Defaults) error {
	_, err := s.setState(ctx, access.Operator(), access.ToRenewDefaults, "defaults", d)
	return err
}

// installationDefaults returns the copy of the installation's defaults for a new shop; nil if there
// are none.
func (s *Shop) installationDefaults(ctx context.Context) (*Defaults, error) {
	from, err := s.installation(ctx)
	if err != nil {
		return nil, err
	}
	if from == nil {
		return nil, nil
	}
	d, err := from.DefaultsForShops(ctx)
	return d.For(s.UID()), err
}

// installation returns the installation's data; nil if there is none, or if the shop is it.
func (s *Shop) installation(ctx context.Context) (*Shop, error) {
	if s.cfg.Installation == nil || s.cfg.Operators {
		return nil, nil
	}
	return s.cfg.Installation(ctx)
}

// inheritedSender returns the sender of the installation if the shop may send messages of a kind
// with its configuration, and whether it must; nil if it may not. It implements
// [sender.Config.Inherited].
func (s *Shop) inheritedSender(ctx context.Context, name string) (*sender.Sender, bool, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, false, err
	}
	if set.SandboxOf != "" { // nothing reaches the world: there is no sender, and no other one is possible
		return nil, true, nil
	}
	if !set.Defaults.Has(DefaultKey(name)) {
		return nil, false, nil
	}
	locked := set.Defaults.IsLocked(DefaultKey(name))
	from, err := s.installation(ctx)
	if err != nil {
		return nil, locked, err
	}
	if from == nil {
		return nil, locked, nil
	}
	return from.Sender, locked, nil
}

// hasSMS reports whether the shop has a gateway of text messages, its own or an inherited one.
func (s *Shop) hasSMS(tx *db.Tx) (bool, error) {
	own, err := s.Sender.HasSMS(tx)
	if err != nil {
		return false, err
	}
	if own {
		return true, nil
	}
	twinOf, err := findSetting[string](tx, "sandboxOf")
	if err != nil {
		return false, err
	}
	d, err := findSetting[*Defaults](tx, "defaults")
	return d.Has(DefaultSMS) && twinOf == "", err
}

// designDefault returns the design of the site that the shop inherits; nil if there is none. It
// implements [design.Config.Default].
func designDefault(tx *db.Tx) (theme *design.Theme, locked bool, err error) {
	d, err := findSetting[*Defaults](tx, "defaults")
	if err != nil {
		return nil, false, err
	}
	if !d.Has(DefaultDesign) {
		return nil, false, nil
	}
	return d.Design, d.IsLocked(DefaultDesign), nil
}

// inheritsPolicy reports whether a default policy is in effect.
func (set *Settings) inheritsPolicy(p *DefaultPolicy) bool {
	isOwn := func(own LegalPolicy) bool { return own.Slug == p.Slug }
	return set.Defaults.IsLocked(DefaultPolicies) || !slices.ContainsFunc(set.LegalPolicies, isOwn)
}

// effectivePolicies returns the shop's own policies and those it inherits.
func (set *Settings) effectivePolicies() []LegalPolicy {
	if !set.Defaults.Has(DefaultPolicies) {
		return set.LegalPolicies
	}
	all := slices.Clone(set.LegalPolicies)
	for i := range set.Defaults.Policies {
		p := &set.Defaults.Policies[i]
		if !set.inheritsPolicy(p) {
			continue
		}
		all = slices.DeleteFunc(all, func(own LegalPolicy) bool { return own.Slug == p.Slug })
		all = append(all, p.in(set.language()))
	}
	return all
}

// inherit adds the inherited policies, and their translations, to settings in use.
func (c *cachedSettings) inherit() {
	if !c.Defaults.Has(DefaultPolicies) {
		return
	}
	if second := c.second(); second != "" {
		policies := maps.Clone(c.translations[translation.Policy])
		if policies == nil {
			policies = map[string]translation.Record{}
		}
		for i := range c.Defaults.Policies {
			if p := &c.Defaults.Policies[i]; c.inheritsPolicy(p) {
				text := p.in(second)
				policies[p.Slug] = translation.Record{second: {"title": text.Title, translation.Body: text.BodyHTML}}
			}
		}
		c.translations[translation.Policy] = policies
	}
	c.LegalPolicies = c.effectivePolicies()
}

// checkLocked checks that a change leaves the policies alone that the operator has locked. Codes:
// setting_locked.
func (set *Settings) checkLocked(was *Settings) error {
	if !set.Defaults.IsLocked(DefaultPolicies) {
		return nil
	}
	for i := range set.Defaults.Policies {
		slug := set.Defaults.Policies[i].Slug
		at := func(list []LegalPolicy) int {
			return slices.IndexFunc(list, func(p LegalPolicy) bool { return p.Slug == slug })
		}
		now := at(set.LegalPolicies)
		if now < 0 {
			continue
		}
		if before := at(was.LegalPolicies); before < 0 || was.LegalPolicies[before] != set.LegalPolicies[now] {
			return ErrLocked(fmt.Sprintf("The operator of this server sets the policy %s for all shops.", slug), DefaultPolicies)
		}
	}
	return nil
}

// ErrLocked returns the error about a setting that the operator has locked. Codes: setting_locked.
func ErrLocked(message string, key DefaultKey) error {
	return &fault.Error{Code: fault.CodeSettingLocked, Message: message, Details: map[string]any{"key": key}}
}

// findInherited returns the keys of the defaults that are in effect in the shop, sorted as
// [DefaultKeys].
func (s *Shop) findInherited(tx *db.Tx, set *Settings) ([]DefaultKey, error) {
	inherited := []DefaultKey{}
	if set.Defaults == nil || s.cfg.Operators {
		return inherited, nil
	}
	hasSMS, hasMail, err := s.Sender.FindConfigured(tx)
	if err != nil {
		return nil, err
	}
	hasDesign, err := design.HasOwnTheme(tx)
	if err != nil {
		return nil, err
	}
	own := map[DefaultKey]bool{DefaultSMS: hasSMS, DefaultMail: hasMail, DefaultDesign: hasDesign}
	if set.SandboxOf != "" {
		own[DefaultSMS], own[DefaultMail] = true, true // or none
	}
	own[DefaultPolicies] = !slices.ContainsFunc(set.Defaults.Policies, func(p DefaultPolicy) bool { return set.inheritsPolicy(&p) })
	for _, key := range DefaultKeys() {
		if set.Defaults.Has(key) && (!own[key] || set.Defaults.IsLocked(key)) {
			inherited = append(inherited, key)
		}
	}
	return inherited, nil
}

// withoutDefaults returns the changes of settings without the content of the defaults, which the
// log of the installation has.
func withoutDefaults(changes []access.Change, was, now *Settings) []access.Change {
	for i := range changes {
		if changes[i].Field == "defaults" {
			changes[i].Before, changes[i].After = was.Defaults.Hash(), now.Defaults.Hash()
		}
	}
	return changes
}
