package provider

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"storefront/shop/conversion"
)

// Hash returns the SHA-256 of a normalized text in lower-case hexadecimal digits, as receivers
// compare it; "" for "".
func Hash(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// SendEvent sends the body of an event to a receiver, and returns the answer by the status of the
// response: a refusal is final, all else is sent again. Neither the token nor the secrets are in
// the answer.
func SendEvent(
	ctx context.Context, client *Client, address string, header map[string]string, body any, secrets ...string,
) (conversion.Answer, *Response) {
	resp, err := client.CallJSON(ctx, http.MethodPost, address, header, body)
	if err != nil {
		a := conversion.Answer{Verdict: conversion.NotReceived, Problem: "The request could not be created."}
		if e, ok := errors.AsType[*Error](err); ok {
			if a.Problem = "No response: " + e.Reason() + "."; e.Ambiguous {
				a.Verdict = conversion.Unknown
			}
		}
		return a, nil
	}
	a := conversion.Answer{
		Status: resp.Status, Text: Redact(nil, string(resp.Body), secrets...), RetryAfter: RetryAfter(resp.Header, time.Now()),
	}
	switch {
	case resp.Status/100 == 2:
		a.Verdict = conversion.Accepted
		return a, resp
	case resp.Status == http.StatusTooManyRequests:
		a.Verdict = conversion.NotReceived
	case resp.Status/100 == 4:
		a.Verdict = conversion.Refused
		a.Account = resp.Status == http.StatusUnauthorized || resp.Status == http.StatusForbidden
	default:
		a.Verdict = conversion.Unknown
	}
	a.Problem = cmp.Or(Redact(nil, ErrorText(resp.Body), secrets...), http.StatusText(resp.Status), "An unexpected response.")
	return a, resp
}
