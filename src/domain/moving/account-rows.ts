// The webhooks of the account stay with the account: the old gateway still sends what waits for them, and the new one has its own.

const QUEUES = "SELECT queue_id FROM endpoint WHERE style = 'account'";
/** Of `delivery`: fresh, in flight, or to be tried again. */
const IS_WAITING = "state IN (0, 1, 2)";

const hasDelivery = (condition: string) =>
  `EXISTS (SELECT 1 FROM delivery WHERE delivery.seq >= body.seq AND delivery.seq < body.seq + body.copies AND ${condition})`;

/** SQL conditions by table, of rows that do not travel. Delete in this order, because each condition needs the later tables. */
export const ACCOUNT_ROWS: ReadonlyMap<string, string> = new Map([
  ["body", `NOT ${hasDelivery(`queue_id NOT IN (${QUEUES})`)}`],
  ["delivery", `queue_id IN (${QUEUES})`],
  ["resend", `queue_id IN (${QUEUES})`],
  ["notice", `queue_id IN (${QUEUES})`],
  ["secret", `queue_id IN (${QUEUES})`],
  ["endpoint", "style = 'account'"],
]);

/** As above, of rows that the old gateway keeps until they are sent. */
export const WAITING_ROWS: ReadonlyMap<string, string> = new Map([
  ["body", hasDelivery(`queue_id IN (${QUEUES}) AND ${IS_WAITING}`)],
  ["delivery", `queue_id IN (${QUEUES}) AND ${IS_WAITING}`],
  ["secret", `queue_id IN (${QUEUES})`],
  ["endpoint", "style = 'account'"],
]);
