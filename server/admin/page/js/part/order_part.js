// Orders of which a part can come back.

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */

/** Whether a courier has delivered a part of the order. */
export const isInPart = (/** @type {StaffOrder} */ order) =>
  order.fulfillmentStatus === 'partially_delivered'

/** Whether the buyer has or had the order, and can have sent back a part of it. */
export const canBeInPart = (/** @type {StaffOrder} */ order) =>
  order.actions.restock.allowed &&
  (isInPart(order) ||
    (order.fulfillmentStatus === 'delivered' &&
      order.items.reduce((all, item) => all + item.quantity, 0) > 1))
