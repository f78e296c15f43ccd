package shop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/outbox"
	"storefront/shop/plugin"
	"storefront/shop/secret"
)

// ConfigurePlugin changes the settings in changes; null removes one, and the others remain. The
// settings may be incomplete: the result lists the missing ones of each capability. Errors contain
// no value. Codes: unauthenticated, forbidden, not_found (no such provider), validation_failed,
// unknown_field.
func (s *Shop) ConfigurePlugin(
	ctx context.Context, caller access.Caller, provider plugin.Provider, changes map[string]json.RawMessage,
) (*PluginStatus, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToConfigurePlugin)
	if err != nil {
		return nil, err
	}
	plugin := plugin.Find(s.plugins, provider)
	if plugin == nil {
		return nil, s.errNoProvider()
	}
	values, err := parsePluginChanges(plugin, changes)
	if err != nil {
		return nil, err
	}
	err = s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		before, err := s.findPluginSettings(tx, provider, values)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if err := s.savePluginValue(tx, pluginSecret(provider, name), values[name]); err != nil {
				return err
			}
		}
		if err := s.clearPluginState(tx, provider); err != nil {
			return err
		}
		if err := deleteConnection(tx, string(provider)); err != nil {
			return err
		}
		if err := outbox.Append(tx, outbox.Event{Type: outbox.SettingsChanged, Subject: string(provider)}); err != nil {
			return err
		}
		return who.Audit(tx, providerSubject(provider), auditedPluginChanges(plugin, before, values)...)
	})
	if err != nil {
		return nil, err
	}
	s.revision.Add(1)
	set, saved, err := s.loadPluginValues(ctx)
	if err != nil {
		return nil, err
	}
	status := pluginStatus(plugin, set.ActiveMode, saved[provider])
	return &status, nil
}

// providerSubject returns a provider as the audit log names it.
func providerSubject(p plugin.Provider) access.Subject {
	return access.Subject{Kind: access.SubjectProvider, ID: string(p), Label: string(p)}
}

// auditedPluginChanges returns the changed settings for the audit log, secrets without their
// values. nil is a setting that is not set.
func auditedPluginChanges(p *plugin.Plugin, before, after map[string]*string) (changes []access.Change) {
	isSecret := map[string]bool{}
	for _, key := range p.Keys {
		for _, name := range key.Names() {
			isSecret[name] = key.Secret
		}
	}
	shown := func(name string, value *string) any {
		switch {
		case value == nil:
			return nil
		case isSecret[name]:
			return access.Secret
		}
		return *value
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if !isSecret[name] && db.TextOf(before[name]) == db.TextOf(after[name]) {
			continue // a setting is never blank
		}
		changes = append(changes, access.Change{Field: name, Before: shown(name, before[name]), After: shown(name, after[name])})
	}
	return changes
}

// findPluginSettings returns the present values of the named settings of a provider. A value sealed
// with another key counts as not set: it can only be replaced.
func (s *Shop) findPluginSettings(tx *db.Tx, provider plugin.Provider, named map[string]*string) (map[string]*string, error) {
	found := make(map[string]*string, len(named))
	for name := range named {
		value, err := s.findPluginValue(tx, pluginSecret(provider, name))
		if err != nil && !errors.Is(err, secret.ErrSealed) {
			return nil, err
		}
		found[name] = value
	}
	return found, nil
}

// findPluginValue returns a saved setting, nil if it is not set.
func (s *Shop) findPluginValue(tx *db.Tx, name string) (*string, error) {
	plain, err := s.secrets.Find(tx, name)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return new(string(plain)), nil
}

func (s *Shop) errNoProvider() error {
	return fault.Errorf(fault.CodeNotFound, "There is no such provider. Choose one of: %s.", s.providerNames())
}

func (s *Shop) savePluginValue(tx *db.Tx, name string, value *string) error {
	if value == nil {
		return s.secrets.Delete(tx, name)
	}
	return s.secrets.Save(tx, name, []byte(*value))
}

// parsePluginChanges parses and checks changes of the plugin's settings. A nil value removes a
// setting.
func parsePluginChanges(p *plugin.Plugin, changes map[string]json.RawMessage) (map[string]*string, error) {
	declared := map[string]plugin.Key{}
	for _, key := range p.Keys {
		for _, name := range key.Names() {
			declared[name] = key
		}
	}
	var bad fault.Invalid
	values := make(map[string]*string, len(changes))
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		key, ok := declared[name]
		if !ok {
			bad.Add(name, fault.CodeUnknownField, "%s has no such setting. It has: %s.",
				p.Provider.Name(), strings.Join(slices.Sorted(maps.Keys(declared)), ", "))
			continue
		}
		value, err := parsePluginValue(key, changes[name])
		if err != nil {
			bad.Add(name, fault.CodeInvalidValue, "%s", fault.Sentence(err.Error()))
			continue
		}
		values[name] = value
	}
	return values, bad.Err()
}

// errPluginValue means that a setting is a list or an object.
var errPluginValue = errors.New("must be a text, a number, true or false")

// parsePluginValue parses a text, a number or a boolean; null becomes nil. A blank text is invalid,
// since an empty secret would match an empty header.
func parsePluginValue(key plugin.Key, raw json.RawMessage) (*string, error) {
	var value any
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		return nil, errPluginValue
	}
	var text string
	switch v := value.(type) {
	case nil:
		return nil, nil
	case string:
		text = strings.TrimSpace(v)
	case json.Number:
		text = v.String()
	case bool:
		text = fmt.Sprint(v)
	default:
		return nil, errPluginValue
	}
	switch {
	case text == "":
		return nil, errors.New("must not be blank; send null to remove the setting")
	case len(text) > maxPluginValue:
		return nil, fmt.Errorf("must be at most %d bytes", maxPluginValue)
	case input.Clean(text) != text || strings.ContainsAny(text, "\r\n"):
		return nil, errors.New("must be one line of text")
	}
	if key.Check != nil {
		if err := key.Check(text); err != nil {
			return nil, err
		}
	}
	return &text, nil
}
