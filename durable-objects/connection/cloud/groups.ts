// Groups: Meta's ids are opaque texts, ours are digits as on sessions (docs/internals/cloud.md, "Ids").
import type { ChatId } from "@gateway/protocol/ids.ts";
import { randomDigits } from "./people.ts";

const GROUP_DIGITS = 18;
const SUFFIX = "@g.us";

export class CloudGroups {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Our id of the group, made when it is first heard of. */
  chatOf(groupId: string): ChatId {
    const known = this.#sql.exec<{ digits: string }>("SELECT digits FROM cloud_groups WHERE group_id = ?", groupId).toArray()[0];
    if (known !== undefined) return known.digits + SUFFIX;
    for (;;) {
      const digits = randomDigits(GROUP_DIGITS);
      const added = this.#sql
        .exec("INSERT INTO cloud_groups (group_id, digits) VALUES (?, ?) ON CONFLICT (digits) DO NOTHING RETURNING 1", groupId, digits)
        .toArray();
      if (added.length > 0) return digits + SUFFIX;
    }
  }

  /** Meta's id; null: no such group was ever heard of. */
  idOf(chatId: ChatId): string | null {
    if (!chatId.endsWith(SUFFIX)) return null;
    const digits = chatId.slice(0, -SUFFIX.length);
    return (
      this.#sql.exec<{ group_id: string }>("SELECT group_id FROM cloud_groups WHERE digits = ?", digits).toArray()[0]?.group_id ?? null
    );
  }
}
