// Limits for the /mcp tools that make changes (docs/use/mcp.md, "Policy of a key"). They apply per connection key.
import type { AssistantPolicy } from "@gateway/protocol/assistant.ts";
import type { Call } from "@gateway/protocol/connection.ts";
import { fail, succeed } from "@gateway/protocol/failures.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import type { AssistantChange } from "@gateway/protocol/operations/assistant.ts";
import { type ChatId, chatKind, personOf } from "@gateway/protocol/ids.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import type { Migrations } from "../../shared/migrate.ts";
import type { HandlersOf } from "../handlers.ts";
import type { Identity } from "../instance/identity.ts";
import type { Stores } from "../store/stores.ts";
import type { ApiKeys, UsedKey } from "./api-keys.ts";
import type { Confirmations } from "./confirmations.ts";

export const ASSISTANT_MIGRATIONS: Migrations = [
  `CREATE TABLE assistant_change (
     key_id TEXT NOT NULL, request_id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (key_id, request_id)
   ) WITHOUT ROWID`,
  // `change` is JSON of the `AssistantChange`, and null once a person has decided. `accepted` is null until then.
  `CREATE TABLE assistant_confirmation (
     id TEXT PRIMARY KEY, key_id TEXT NOT NULL, chat_id TEXT, change TEXT, accepted INTEGER, expires_at INTEGER NOT NULL
   ) WITHOUT ROWID`,
];

const CHANGES_PER_HOUR = 30;
/** The retention time of an Idempotency-Key. During this time, a repeated change has no second effect. */
const RETENTION_MS = DAY_MS;

export class AssistantPace {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Returns the ms until this change is allowed, or 0 if it is allowed now. */
  waitMs(keyId: string, requestId: string, now: number): number {
    this.#sql.exec("DELETE FROM assistant_change WHERE at <= ?", now - RETENTION_MS);
    const rows = this.#sql
      .exec<{ request_id: string; at: number }>("SELECT request_id, at FROM assistant_change WHERE key_id = ? ORDER BY at DESC", keyId)
      .toArray();
    const decisive = rows[CHANGES_PER_HOUR - 1];
    if (decisive === undefined || rows.some((row) => row.request_id === requestId)) return 0;
    return Math.max(0, decisive.at + HOUR_MS - now);
  }

  count(keyId: string, requestId: string, now: number): void {
    this.#sql.exec("INSERT OR IGNORE INTO assistant_change (key_id, request_id, at) VALUES (?, ?, ?)", keyId, requestId, now);
  }
}

type Caller = { keys: ApiKeys; assistantPace: AssistantPace; confirmations: Confirmations };
type Chats = Pick<Stores, "lids" | "chatQueries" | "messageQueries">;

export function assistantHandlers(
  { keys, assistantPace: pace, confirmations }: Caller,
  stores: Chats,
  identity: Identity,
): HandlersOf<"assistant.rights" | "assistant.admit" | "assistant.asked" | "assistant.decide"> {
  const recipient = (chatId: ChatId | null) => ({
    name: chatId === null ? null : (stores.chatQueries.get(chatId)?.name ?? null),
    phone: chatId === null ? null : (personOf(chatId)?.phone ?? null),
  });
  const asked = (id: string, now: number) => {
    const row = confirmations.find(id, now);
    if (row === null) return null;
    const { key_id: keyId, chat_id, change, accepted, expires_at } = row;
    return {
      key: keys.names().get(keyId) ?? "",
      accepted: accepted === null ? null : accepted === 1,
      expires_at,
      change: change === null ? null : { ...(JSON.parse(change) as AssistantChange), chat_id, ...recipient(chat_id) },
    };
  };
  return {
    "assistant.rights": (_input, { call }) => {
      const key = keyOf(keys, call);
      return key === null ? fail("forbidden") : succeed({ scopes: key.scopes === null ? null : [...key.scopes], policy: key.assistant });
    },

    "assistant.admit": ({ chat_id: given, request_id: requestId, confirmed, link }, { call, now }) => {
      const key = keyOf(keys, call);
      if (key === null) return fail("forbidden");
      const chatId = given === null ? null : stores.lids.chat(given);
      const wrote = (since: number) => chatId !== null && stores.messageQueries.hasReceived(chatId, since);
      const { confirm, recipients } = key.assistant;
      const answer = (verdict: OperationOutput<"assistant.admit">["verdict"], waitMs = 0) =>
        succeed({
          verdict,
          ...recipient(chatId),
          retry_after: waitMs === 0 ? null : Math.ceil(waitMs / 1000),
          connection_id: identity.instanceRef(null).id,
        });
      if (!isRecipient(recipients, chatId, () => wrote(now - DAY_MS))) return answer("recipient");
      const waitMs = pace.waitMs(key.id, requestId, now);
      if (waitMs > 0) return answer("pace", waitMs);
      const asks = confirm === "always" || (confirm === "new_chats" && !wrote(0));
      const verdict = !asks || confirmed ? "allowed" : link === null ? "ask" : confirmations.ask(key.id, chatId, link, now);
      if (verdict === "allowed") pace.count(key.id, requestId, now);
      return answer(verdict);
    },

    "assistant.asked": ({ id }, { call, now }) => (isPerson(call) ? succeed(asked(id, now)) : fail("forbidden")),

    "assistant.decide": ({ id, accept }, { call, now }) => {
      if (!isPerson(call)) return fail("forbidden");
      confirmations.decide(id, accept, now);
      return succeed(asked(id, now));
    },
  };
}

/** A key must not confirm the changes that it requested itself. */
function isPerson({ caller }: Call): boolean {
  return caller.kind === "account";
}

function keyOf(keys: ApiKeys, { caller }: Call): UsedKey | null {
  return caller.kind === "connection_key" ? keys.find(caller.hash) : null;
}

/** Without a chat, the recipient of the change is unknown, so the policy must be `any`. */
function isRecipient(recipients: AssistantPolicy["recipients"], chatId: ChatId | null, wroteLately: () => boolean): boolean {
  if (recipients === "any") return true;
  if (chatId === null) return false;
  if (recipients !== "replies") return recipients.some((each) => chatId === each || chatId === `${each}@c.us`);
  const kind = chatKind(chatId);
  return (kind === "direct" || kind === "group") && wroteLately();
}
