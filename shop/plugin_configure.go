package shop

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// ConfigurePlugin changes the settings of a plugin that changes names; null removes one, and what is
// not named stays. Nothing has to be complete: each capability says what it lacks. It is for staff
// and administrators. Codes: unauthenticated, forbidden, not_found (no such provider),
// validation_failed, unknown_field. No error repeats a value.
func (s *Shop) ConfigurePlugin(ctx context.Context, caller access.Caller, provider Provider, changes map[string]json.RawMessage) (*PluginStatus, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	plugin := s.plugin(provider)
	if plugin == nil {
		return nil, s.errNoProvider()
	}
	values, err := plugin.parseChanges(changes)
	if err != nil {
		return nil, err
	}
	err = s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if err := s.savePluginValue(tx, pluginSecret(provider, name), values[name]); err != nil {
				return err
			}
		}
		return s.clearPluginState(tx, provider)
	})
	if err != nil {
		return nil, err
	}
	s.revision.Add(1)
	set, saved, err := s.loadPluginValues(ctx)
	if err != nil {
		return nil, err
	}
	status := plugin.status(set.ActiveMode, saved[provider])
	return &status, nil
}

func (s *Shop) errNoProvider() error {
	return fault.Errorf(fault.CodeNotFound, "There is no such provider; there are: %s.", s.providerNames())
}

func (s *Shop) savePluginValue(tx *db.Tx, name string, value *string) error {
	if value == nil {
		return s.secrets.Delete(tx, name)
	}
	return s.secrets.Save(tx, name, []byte(*value))
}

// readChanges checks changes of the plugin's settings; a nil value removes one.
func (p *Plugin) parseChanges(changes map[string]json.RawMessage) (map[string]*string, error) {
	known := map[string]PluginKey{}
	for _, key := range p.Keys {
		for _, name := range key.names() {
			known[name] = key
		}
	}
	var bad fault.Invalid
	values := make(map[string]*string, len(changes))
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		key, ok := known[name]
		if !ok {
			bad.Add(name, fault.CodeUnknownField, "The plugin %s has no such setting. It has: %s.", p.Provider, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			continue
		}
		value, err := parsePluginValue(key, changes[name])
		if err != nil {
			bad.Add(name, fault.CodeInvalidValue, "This is no value for %s: %v.", name, err)
			continue
		}
		values[name] = value
	}
	return values, bad.Err()
}

// readPluginValue reads a text, a number or true and false; null is nil. A blank text is refused:
// an empty secret would match an empty header.
func parsePluginValue(key PluginKey, raw json.RawMessage) (*string, error) {
	var value any
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		return nil, fmt.Errorf("expected a text")
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
		return nil, fmt.Errorf("expected a text")
	}
	switch {
	case text == "":
		return nil, fmt.Errorf("a blank value protects nothing: send null to remove the setting")
	case len(text) > maxPluginValue:
		return nil, fmt.Errorf("expected at most %d bytes", maxPluginValue)
	case input.Clean(text) != text || strings.ContainsAny(text, "\r\n"):
		return nil, fmt.Errorf("expected one line of text")
	}
	if key.Check != nil {
		if err := key.Check(text); err != nil {
			return nil, err
		}
	}
	return &text, nil
}
