package sms

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

//go:embed presets.json
var presetsJSON []byte

// senderParam is the parameter that sets [Config.Sender]. All others set secrets.
const senderParam = "sender"

// PresetInfo describes a gateway with a configuration that lacks only the data of an account.
type PresetInfo struct {
	Name   string        `json:"name"`
	Title  string        `json:"title"`
	Params []PresetParam `json:"params"`
	Config Config        `json:"config"` // without the parameters
}

// PresetParam is a parameter of a preset, such as an API key.
type PresetParam struct {
	Name     string `json:"name"`
	Meaning  string `json:"meaning"`
	Optional bool   `json:"optional,omitempty"`
}

// Presets returns all presets, sorted by name.
func Presets() ([]PresetInfo, error) {
	var presets []PresetInfo // decoded for each call, because callers may modify the maps
	if err := json.Unmarshal(presetsJSON, &presets); err != nil {
		return nil, fmt.Errorf("parse SMS presets: %w", err)
	}
	return presets, nil
}

// Preset returns the configuration of the named preset for an account. An unknown name and missing
// or unknown parameters are [Faults].
func Preset(name string, params map[string]string) (Config, error) {
	presets, err := Presets()
	if err != nil {
		return Config{}, err
	}
	i := slices.IndexFunc(presets, func(p PresetInfo) bool { return p.Name == name })
	if i < 0 {
		var faults Faults
		faults.add("preset", "unknown preset %q; must be one of: %s", name, presetNames(presets))
		return Config{}, faults
	}
	return presets[i].fill(params)
}

func (p *PresetInfo) fill(params map[string]string) (Config, error) {
	var faults Faults
	cfg := p.Config
	cfg.Secrets = make(Secrets)
	known := make(map[string]bool)
	for _, param := range p.Params {
		known[param.Name] = true
		value := params[param.Name]
		switch {
		case value == "" && !param.Optional:
			faults = append(faults, Fault{Field: param.Name, Message: "required: " + param.Meaning, Missing: true})
		case param.Name == senderParam:
			cfg.Sender = value
		default:
			cfg.Secrets[param.Name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if !known[name] {
			faults.add(name, "unknown parameter of %s", p.Title)
		}
	}
	return cfg, faults.err()
}

func presetNames(presets []PresetInfo) string {
	var names []string
	for _, p := range presets {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
