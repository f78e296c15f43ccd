import { Problem, post } from './api.js'

/**
 * Asks what an order would cost now. A coupon that does not apply, or a delivery charge that is not
 * for the address, is left out and asked about again: so there are figures to show beside the reason.
 * Throws the problem that remains.
 */
export async function quoteOrder(order, options) {
  const { customer, ...body } = order // who it is for changes no figure, and may be half typed
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
