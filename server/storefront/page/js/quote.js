import { Problem, post } from './api.js'

/**
 * Requests a quote. A coupon that does not apply, or a delivery charge that is not available for the
 * address, is left out of a second request, so that there are figures to show with the reason. Throws
 * the remaining problem.
 */
export async function quoteOrder(order, options) {
  const { customer, ...body } = order // the customer does not affect the price, and may be incomplete
  let couponProblem = null
  for (;;) {
    try {
      return { quote: await post('/orders/quote', body, options), couponProblem }
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem
      if (body.couponCode && problem.code.startsWith('coupon_')) {
        couponProblem = problem
        delete body.couponCode
      } else if (body.deliveryChargeId && problem.code === 'delivery_charge_required') {
        delete body.deliveryChargeId
      } else {
        throw Object.assign(problem, { couponProblem })
      }
    }
  }
}
