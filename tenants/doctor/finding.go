package doctor

import (
	"fmt"
	"slices"
	"strings"
)

// FindingCode identifies the subject of a finding, for programs: names and messages may be
// reworded, codes stay. docs/operations.md lists them with their remedies.
type FindingCode string

// The codes of findings. Several are of one check, if they need different remedies.
const (
	CodeDataFolder            FindingCode = "data_folder"
	CodeOwner                 FindingCode = "owner"
	CodeDisk                  FindingCode = "disk"
	CodeDiskLow               FindingCode = "disk_low"
	CodeKey                   FindingCode = "key"
	CodeShops                 FindingCode = "shops"
	CodeOperators             FindingCode = "operators"
	CodeOperatorsOwner        FindingCode = "operators_owner"
	CodeDatabase              FindingCode = "database"
	CodeDatabaseUnsafe        FindingCode = "database_unsafe"
	CodeDatabaseSettings      FindingCode = "database_settings"
	CodeDatabaseMoves         FindingCode = "database_moves"
	CodeClock                 FindingCode = "clock"
	CodeClockOutside          FindingCode = "clock_outside"
	CodePublicAddress         FindingCode = "public_address"
	CodePublicAddressMissing  FindingCode = "public_address_missing"
	CodePublicAddressPrivate  FindingCode = "public_address_private"
	CodePublicAddressInsecure FindingCode = "public_address_insecure"
	CodeReach                 FindingCode = "reach"
	CodeReachOther            FindingCode = "reach_other_server"
	CodeBackups               FindingCode = "backups"
	CodeBackupsLate           FindingCode = "backups_late"
	CodeReplica               FindingCode = "replica"
	CodeReplicaIncomplete     FindingCode = "replica_incomplete"
	CodeCertificates          FindingCode = "certificates"
	CodeCertificatesEnding    FindingCode = "certificates_ending"
	CodeCertificatesMissing   FindingCode = "certificates_missing"
	CodeFile                  FindingCode = "file"
	CodeSchema                FindingCode = "schema"
	CodeSchemaOlder           FindingCode = "schema_older"
	CodeSchemaNewer           FindingCode = "schema_newer"
	CodeSchemaForeign         FindingCode = "schema_foreign"
	CodeSettings              FindingCode = "settings"
	CodeDomains               FindingCode = "domains"
	CodeDomainsOfServer       FindingCode = "domains_of_server"
	CodeDomainsOfOther        FindingCode = "domains_of_other_shop"
	CodeDomainsMissing        FindingCode = "domains_not_confirmed"
	CodeDomainsElsewhere      FindingCode = "domains_elsewhere"
	CodeSite                  FindingCode = "site"
	CodeSums                  FindingCode = "sums"
	CodeImages                FindingCode = "images"
	CodeImagesLost            FindingCode = "images_lost"
	CodeSecrets               FindingCode = "secrets"
	CodeAPIKeys               FindingCode = "api_keys"
	CodeAPIKeysEnding         FindingCode = "api_keys_ending"
	CodePayments              FindingCode = "payments"
	CodePaymentsOverdue       FindingCode = "payments_overdue"
	CodePaymentsReview        FindingCode = "payments_review"
	CodeOrderFlags            FindingCode = "order_flags"
	CodePaymentStarts         FindingCode = "payment_starts"
	CodeRefunds               FindingCode = "refunds"
	CodeParcels               FindingCode = "parcels"
	CodeParcelsUnanswered     FindingCode = "parcels_unanswered"
	CodeParcelsStray          FindingCode = "parcels_stray"
	CodeWebhooks              FindingCode = "provider_calls"
	CodeWebhookEndpoints      FindingCode = "webhook_endpoints"
	CodePlugins               FindingCode = "plugins"
	CodePluginSettings        FindingCode = "plugin_settings"
	CodePluginRefused         FindingCode = "plugin_refused"
	CodeCourierAddress        FindingCode = "courier_address"
)

// findingName is the name of the findings with a code.
type findingName struct {
	code FindingCode
	name string
}

// findingNames are the names of the findings by code; "" for findings that are named after a
// plugin.
var findingNames = []findingName{
	{CodeDataFolder, "data folder"},
	{CodeOwner, "owner"},
	{CodeDisk, "disk"},
	{CodeDiskLow, "disk"},
	{CodeKey, "key"},
	{CodeShops, "shops"},
	{CodeOperators, "operators"},
	{CodeOperatorsOwner, "operators"},
	{CodeDatabase, "database"},
	{CodeDatabaseUnsafe, "database"},
	{CodeDatabaseSettings, "database"},
	{CodeDatabaseMoves, "database"},
	{CodeClock, "clock"},
	{CodeClockOutside, "clock outside"},
	{CodePublicAddress, "public address"},
	{CodePublicAddressMissing, "public address"},
	{CodePublicAddressPrivate, "public address"},
	{CodePublicAddressInsecure, "public address"},
	{CodeReach, "reach"},
	{CodeReachOther, "reach"},
	{CodeBackups, "backups"},
	{CodeBackupsLate, "backups"},
	{CodeReplica, "replica"},
	{CodeReplicaIncomplete, "replica"},
	{CodeCertificates, "certificates"},
	{CodeCertificatesEnding, "certificates"},
	{CodeCertificatesMissing, "certificates"},
	{CodeFile, "file"},
	{CodeSchema, "schema"},
	{CodeSchemaOlder, "schema"},
	{CodeSchemaNewer, "schema"},
	{CodeSchemaForeign, "schema"},
	{CodeSettings, "settings"},
	{CodeDomains, "domains"},
	{CodeDomainsOfServer, "domains"},
	{CodeDomainsOfOther, "domains"},
	{CodeDomainsMissing, "domains"},
	{CodeDomainsElsewhere, "domains"},
	{CodeSite, "site"},
	{CodeSums, "sums"},
	{CodeImages, "images"},
	{CodeImagesLost, "images"},
	{CodeSecrets, "secrets"},
	{CodeAPIKeys, "API keys"},
	{CodeAPIKeysEnding, "API keys"},
	{CodePayments, "payments"},
	{CodePaymentsOverdue, "payments"},
	{CodePaymentsReview, "payments"},
	{CodeOrderFlags, "orders"},
	{CodePaymentStarts, "payment starts"},
	{CodeRefunds, "refunds"},
	{CodeParcels, "parcels"},
	{CodeParcelsUnanswered, "parcels"},
	{CodeParcelsStray, "parcels"},
	{CodeWebhooks, "provider calls"},
	{CodeWebhookEndpoints, "webhook endpoints"},
	{CodePlugins, "plugins"},
	{CodePluginSettings, ""},
	{CodePluginRefused, ""},
	{CodeCourierAddress, ""},
}

// FindingCodes returns all codes.
func FindingCodes() []FindingCode {
	codes := make([]FindingCode, len(findingNames))
	for i, f := range findingNames {
		codes[i] = f.code
	}
	return codes
}

// NewFinding returns a finding with the name of its code.
func NewFinding(code FindingCode, state State, format string, args ...any) Finding {
	name := string(code)
	i := slices.IndexFunc(findingNames, func(f findingName) bool { return f.code == code })
	if i >= 0 {
		name = findingNames[i].name
	}
	return newNamedFinding(code, name, state, format, args...)
}

// newNamedFinding returns a finding about a plugin.
func newNamedFinding(
	code FindingCode, name string, state State, format string, args ...any,
) Finding {
	return Finding{name, code, state, oneLine(fmt.Sprintf(format, args...))}
}

// oneLine returns a text without line breaks, which joined errors and errors of providers have.
func oneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(lines, "; ")
}

// maxListed is how many items of a list a finding names.
const maxListed = 5

// listSome joins the first items of a list, and the number of the others.
func listSome(items []string, separator string) string {
	if more := len(items) - maxListed; more > 0 {
		return fmt.Sprintf("%s%sand %d more", strings.Join(items[:maxListed], separator), separator, more)
	}
	return strings.Join(items, separator)
}
