// Outcomes of the number's own messages, for its health.

/** Maximum number of messages to count. If there are more, the newest ones are representative enough. */
const MAX_MESSAGES_COUNTED = 100_000;

/** `coldRefusals` counts refused sends (463) to new chats, and `warmRefusals` refused sends to established ones. */
export type SendCount = { sent: number; failed: number; delivered: number; read: number; coldRefusals: number; warmRefusals: number };

/** SQL condition for sends that never reached the network. They are not counted, because they say nothing about the number's health. */
const UNTRIED = `json_extract(k.failure, '$.code') IN ('unavailable', 'instance_reconnecting', 'instance_not_connected')
  AND json_extract(k.failure, '$.attempted') IS NULL`;
const REFUSED = "k.status = 'failed' AND k.failure IS NOT NULL AND json_extract(k.failure, '$.code') = 'temporarily_blocked'";
const ESTABLISHED = `EXISTS (SELECT 1 FROM messages o WHERE o.chat_id = k.chat_id AND o.no <> k.no AND (o.from_me = 0 OR o.status NOT IN ('pending', 'failed')))`;

export class SendCounts {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Counts the number's own messages sent after `at` (Unix seconds), from any device. */
  after(at: number): SendCount {
    return this.#sql
      .exec<SendCount>(
        `SELECT count(*) FILTER (WHERE k.status NOT IN ('pending', 'failed')) AS sent, count(*) FILTER (WHERE k.status = 'failed' AND NOT COALESCE(${UNTRIED}, 0)) AS failed,
           count(*) FILTER (WHERE k.status IN ('delivered', 'read', 'played')) AS delivered,
           count(*) FILTER (WHERE k.status IN ('read', 'played')) AS read,
           count(*) FILTER (WHERE ${REFUSED} AND NOT ${ESTABLISHED}) AS coldRefusals,
           count(*) FILTER (WHERE ${REFUSED} AND ${ESTABLISHED}) AS warmRefusals
         FROM (SELECT no, chat_id, status, failure FROM messages INDEXED BY messages_of_side
           WHERE from_me = 1 AND timestamp > ? ORDER BY timestamp DESC, place DESC LIMIT ?) k`,
        at,
        MAX_MESSAGES_COUNTED,
      )
      .one();
  }
}
