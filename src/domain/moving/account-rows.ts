// The account's webhooks do not move. The old gateway sends their waiting deliveries, and the new one has webhooks of its own.

const QUEUES = "SELECT queue_id FROM endpoint WHERE style = 'account'";
/** States of a delivery that is new, in flight or waiting for a retry. */
const IS_WAITING = "state IN (0, 1, 2)";

const hasDelivery = (condition: string) =>
  `EXISTS (SELECT 1 FROM delivery WHERE delivery.seq >= body.seq AND delivery.seq < body.seq + body.copies AND ${condition})`;

/** SQL conditions for rows that stay, by table. Delete in this order, because each condition reads later tables. */
export const ACCOUNT_ROWS: ReadonlyMap<string, string> = new Map([
  ["body", `NOT ${hasDelivery(`queue_id NOT IN (${QUEUES})`)}`],
  ["delivery", `queue_id IN (${QUEUES})`],
  ["resend", `queue_id IN (${QUEUES})`],
  ["notice", `queue_id IN (${QUEUES})`],
  ["secret", `queue_id IN (${QUEUES})`],
  ["endpoint", "style = 'account'"],
]);

/** Like `ACCOUNT_ROWS`, but for rows that the old gateway keeps until they are sent. */
export const WAITING_ROWS: ReadonlyMap<string, string> = new Map([
  ["body", hasDelivery(`queue_id IN (${QUEUES}) AND ${IS_WAITING}`)],
  ["delivery", `queue_id IN (${QUEUES}) AND ${IS_WAITING}`],
  ["secret", `queue_id IN (${QUEUES})`],
  ["endpoint", "style = 'account'"],
]);
