// Which orders an action fits.

/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */

/** Whether a courier would refuse the address: such an order is confirmed after a second look. */
export const isDoubtful = (/** @type {OrderRow} */ row) =>
  row.flags.some((flag) => flag === 'address_short')

/**
 * Reports whether the server would probably accept it: it checks each order again.
 * @type {Record<string, (row: OrderRow) => boolean>}
 */
export const fits = {
  confirm: (row) => row.status === 'pending' && row.paymentMethod === 'cod',
  book: (row) =>
    /^(confirmed|processing)$/.test(row.status) &&
    row.fulfillmentStatus === 'unfulfilled' &&
    (!row.shipment || row.shipment.status === 'cancelled'),
  track: (row) =>
    row.shipment !== null &&
    !/^(delivered|returned|cancelled|exchanged)$/.test(row.shipment.status),
}
