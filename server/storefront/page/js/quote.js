import { Problem, post } from './api.js'
import * as session from './session.js'

/**
 * Requests a quote. A coupon that does not apply, or a delivery charge that is not available for
 * the address, is left out of a second request, so that there are figures to show with the reason.
 * If no delivery charge follows from the address, the quote has the first one possible and is
 * `undecided`: the buyer must choose one. Throws the remaining problem.
 */
export async function quoteOrder(order, options) {
  // the customer does not affect the price, and may be incomplete
  const { customer, ...body } = order
  let couponProblem = null
  let charges = null // those to try if none follows from the address
  for (;;) {
    try {
      const quote = await post('/orders/quote', body, {
        ...options,
        orderToken: session.orderToken(body.replacesOrderId),
      })
      return { quote, couponProblem, undecided: charges !== null }
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem
      const delivery = problem.code === 'delivery_charge_required'
      if (body.couponCode && problem.code.startsWith('coupon_')) {
        couponProblem = problem
        delete body.couponCode
      } else if (delivery && body.deliveryChargeId && !charges) {
        delete body.deliveryChargeId
      } else if (delivery && (charges ??= [...(problem.details.deliveryCharges ?? [])]).length) {
        body.deliveryChargeId = charges.shift()._id
      } else {
        throw Object.assign(problem, { couponProblem })
      }
    }
  }
}
