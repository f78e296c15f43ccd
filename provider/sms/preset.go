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

// senderParam is the parameter that becomes [Config.Sender]; all others become secrets.
const senderParam = "sender"

// PresetInfo describes a gateway whose configuration is ready but for an account's own data.
type PresetInfo struct {
	Name   string        `json:"name"`
	Title  string        `json:"title"`
	Params []PresetParam `json:"params"`
	Config Config        `json:"config"` // without the parameters
}

// PresetParam is what a preset needs to know.
type PresetParam struct {
	Name     string `json:"name"`
	Meaning  string `json:"meaning"`
	Optional bool   `json:"optional,omitempty"`
}

// Presets lists the gateways that [Preset] knows, by name.
func Presets() ([]PresetInfo, error) {
	var presets []PresetInfo // read anew each time: they hold maps that callers may change
	if err := json.Unmarshal(presetsJSON, &presets); err != nil {
		return nil, fmt.Errorf("read SMS presets: %w", err)
	}
	return presets, nil
}

// Preset gives the configuration of a known gateway for an account. A name that is unknown and
// parameters that are missing or unknown give [Faults].
func Preset(name string, params map[string]string) (Config, error) {
	presets, err := Presets()
	if err != nil {
		return Config{}, err
	}
	i := slices.IndexFunc(presets, func(p PresetInfo) bool { return p.Name == name })
	if i < 0 {
		var faults Faults
		faults.add("preset", "there is no %q; there are: %s", name, presetNames(presets))
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
			faults.add(param.Name, "%s needs it: %s", p.Title, param.Meaning)
		case param.Name == senderParam:
			cfg.Sender = value
		default:
			cfg.Secrets[param.Name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if !known[name] {
			faults.add(name, "%s does not know it", p.Title)
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
