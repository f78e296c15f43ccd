// What a courier's statement has, by names of this page.

/** Returns the number of shipments. */
export const shipmentsOf = (/** @type {import('../api.js').Schemas['Reconciliation']} */ { parcels: count }) => count

/** Returns the amount that the courier reports. */
export const reportedOf = (/** @type {import('../api.js').Schemas['CashDifference']} */ { told: amount }) => amount
