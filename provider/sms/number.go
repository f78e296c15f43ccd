package sms

import (
	"errors"
	"regexp"
	"strings"
)

var (
	e164        = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
	callingCode = regexp.MustCompile(`^[1-9][0-9]{0,3}$`)
)

// formatNumber converts a number from E.164 to the gateway's format. Errors do not contain the
// number.
func (c *Config) formatNumber(number string) (string, error) {
	if !e164.MatchString(number) {
		return "", errors.New("the phone number must be in E.164 format")
	}
	digits := number[1:]
	code, allowed := c.callingCodeOf(digits)
	switch {
	case !allowed:
		return "", errors.New("the phone number must begin with one of callingCodes")
	case c.NumberFormat == International:
		return digits, nil
	case c.NumberFormat == National:
		return "0" + digits[len(code):], nil
	}
	return number, nil
}

// callingCodeOf returns the listed calling code that digits begin with, and whether messages to the
// number are allowed.
func (c *Config) callingCodeOf(digits string) (code string, allowed bool) {
	for _, code := range c.CallingCodes {
		if code == anyCountry {
			return "", true
		}
		if strings.HasPrefix(digits, code) {
			return code, true
		}
	}
	return "", false
}

// anyCountry allows messages to all countries.
const anyCountry = "*"

// WithDefaults returns a copy that sends to the shop's own country, which has callingCode, unless
// it lists calling codes.
func (c Config) WithDefaults(callingCode string) Config {
	if len(c.CallingCodes) == 0 && callingCode != "" {
		c.CallingCodes = []string{callingCode}
	}
	return c
}
