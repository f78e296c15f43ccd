// A typed client of one shop. The types are generated from the OpenAPI document: see README.md.
import createClient, { type Client } from 'openapi-fetch'
import type { components, paths } from './schema.js'

export type Product = components['schemas']['Product']
export type Order = components['schemas']['Order']
export type Problem = components['schemas']['Problem']

export interface Shop {
  api: Client<paths>
  /** Sets the access token for later requests. null means a guest. */
  signIn(accessToken: string | null): void
}

/** Returns a client of the shop with the UID tenant, on the server at baseUrl. */
export function openShop(baseUrl: string, tenant: string): Shop {
  let token: string | null = null
  const api = createClient<paths>({ baseUrl, headers: { 'x-tenant': tenant } })
  api.use({
    onRequest({ request }) {
      if (token !== null) request.headers.set('Authorization', `Bearer ${token}`)
      return request
    },
  })
  return { api, signIn: (accessToken) => (token = accessToken) }
}
