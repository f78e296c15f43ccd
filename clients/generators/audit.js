// Runs the audit of GraphQL over HTTP against the demo shop of a server, without its MAY rules, and introspection with
// every option.
import { buildClientSchema, getIntrospectionQuery, printSchema } from 'graphql'
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

const query = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  experimentalDirectiveDeprecation: true,
  oneOf: true,
})
const parameters = new URLSearchParams({ query })
const answer = await (await fetch(`${url}?${parameters}`)).json()
const schema = answer.data && printSchema(buildClientSchema(answer.data))
if (answer.errors || !schema.includes('type Product ')) {
  console.error(answer.errors ?? schema)
  process.exitCode = 1
}
