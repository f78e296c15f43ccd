package server

import (
	"storefront/shop/incident"
	"storefront/shop/locale"
	"storefront/tenants"
)

// statusWords are the texts of the status page in one language.
type statusWords struct {
	Title, Other, At, Open, Components, Past, None, Unread string
	Overall                                                map[tenants.ComponentState]string
	State                                                  map[tenants.ComponentState]string
	Component                                              map[incident.Component]string
	Incident                                               map[incident.State]string
}

// statusWordsOf are the texts of the status page by language.
var statusWordsOf = map[locale.Language]*statusWords{
	locale.English: {
		Title: "Status", Other: "বাংলা", At: "As of", Open: "Now", Components: "Components", Past: "Last 90 days",
		None: "No incidents.", Unread: "The list of incidents cannot be read at the moment.",
		Overall: map[tenants.ComponentState]string{
			tenants.ComponentOperational: "Everything works", tenants.ComponentUnknown: "Everything works",
			tenants.ComponentDegraded: "Some parts do not work as usual", tenants.ComponentOutage: "There is an outage",
		},
		State: map[tenants.ComponentState]string{
			tenants.ComponentOperational: "Works", tenants.ComponentUnknown: "Not known",
			tenants.ComponentDegraded: "Limited", tenants.ComponentOutage: "Outage",
		},
		Component: map[incident.Component]string{
			incident.API: "Storefront API", incident.Dashboard: "Dashboard", incident.Site: "Shop pages",
			incident.Messages: "SMS and e-mail", incident.Webhooks: "Webhooks", incident.Backups: "Backups",
		},
		Incident: map[incident.State]string{
			incident.Investigating: "Investigating", incident.Identified: "Identified", incident.Monitoring: "Monitoring",
			incident.Resolved: "Resolved",
		},
	},
	locale.Bangla: {
		Title: "অবস্থা", Other: "English", At: "সময়:", Open: "এখন", Components: "অংশগুলো", Past: "গত ৯০ দিন",
		None: "কোনো সমস্যা হয়নি।", Unread: "সমস্যার তালিকা এখন পড়া যাচ্ছে না।",
		Overall: map[tenants.ComponentState]string{
			tenants.ComponentOperational: "সব ঠিকমতো চলছে", tenants.ComponentUnknown: "সব ঠিকমতো চলছে",
			tenants.ComponentDegraded: "কিছু অংশ ঠিকমতো চলছে না", tenants.ComponentOutage: "সেবা বন্ধ আছে",
		},
		State: map[tenants.ComponentState]string{
			tenants.ComponentOperational: "চলছে", tenants.ComponentUnknown: "জানা নেই",
			tenants.ComponentDegraded: "আংশিক চলছে", tenants.ComponentOutage: "বন্ধ",
		},
		Component: map[incident.Component]string{
			incident.API: "স্টোরফ্রন্ট এপিআই", incident.Dashboard: "ড্যাশবোর্ড", incident.Site: "দোকানের পাতা",
			incident.Messages: "এসএমএস ও ই-মেইল", incident.Webhooks: "ওয়েবহুক", incident.Backups: "ব্যাকআপ",
		},
		Incident: map[incident.State]string{
			incident.Investigating: "খোঁজা হচ্ছে", incident.Identified: "কারণ পাওয়া গেছে", incident.Monitoring: "নজরে রাখা হচ্ছে",
			incident.Resolved: "ঠিক হয়েছে",
		},
	},
}
