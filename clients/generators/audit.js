// Runs the audit of GraphQL over HTTP against the demo shop of a server. Its MAY rules are not required.
import { serverAudits } from 'graphql-http'

const url = `${process.env.STOREFRONT_URL ?? 'http://localhost:8080'}/graphql`
const fetchFn = (to, options) => fetch(to, { ...options, headers: { ...options?.headers, 'x-tenant': 'demo' } })
const audits = serverAudits({ url, fetchFn })
for (const audit of audits) {
  const result = await audit.fn()
  if (result.status === 'warn' || result.status === 'error') {
    console.error(`${result.id} ${result.name}: ${result.reason}`)
    process.exitCode = 1
  }
}
if (audits.length < 50) {
  console.error(`got ${audits.length} audits, want all`)
  process.exitCode = 1
}
