// What the generated types must know.
import type { Order as RestOrder, ErrorCode } from './dist/orval-fetch'
import type { PlaceMutation, ProductsQueryVariables } from './dist/graphql/graphql'

type GraphQLOrder = NonNullable<PlaceMutation['placeOrder']>

export const amount = (order: GraphQLOrder): number => order.payment.attempts[0]!.amount.amount
export const placed = (order: GraphQLOrder): string => order.timeline[0]!.at
export const isPending = (order: RestOrder | GraphQLOrder): boolean => order.status === 'pending'
export const code: ErrorCode = 'out_of_stock'
export const cheapest: ProductsQueryVariables = { sortBy: 'price', sort: 'asc' }
// @ts-expect-error: no such status
export const isMisspelt = (order: RestOrder): boolean => order.status === 'pendng'
// @ts-expect-error: no such status in GraphQL either
export const isMisspeltToo = (order: GraphQLOrder): boolean => order.status === 'pendng'
// @ts-expect-error: no such sort key
export const noSort: ProductsQueryVariables = { sortBy: 'colour' }
