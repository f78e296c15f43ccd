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

// formatNumber gives a number in E.164 as the gateway wants it. Errors do not name the number.
func (c *Config) formatNumber(number string) (string, error) {
	if !e164.MatchString(number) {
		return "", errors.New("the phone number is not in E.164")
	}
	digits := number[1:]
	code, served := c.callingCodeOf(digits)
	switch {
	case !served:
		return "", errors.New("the phone number is of a country that callingCodes does not list")
	case c.NumberFormat == International:
		return digits, nil
	case c.NumberFormat == National:
		return "0" + digits[len(code):], nil
	}
	return number, nil
}

func (c *Config) callingCodeOf(digits string) (code string, served bool) {
	for _, code := range c.CallingCodes {
		if strings.HasPrefix(digits, code) {
			return code, true
		}
	}
	return "", len(c.CallingCodes) == 0
}
