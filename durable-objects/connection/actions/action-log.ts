// Logs who changed this connection and what: keys, webhook, sharing, name, session (docs/operate/security.md, "Activity log").
import type { HandlersOf } from "../handlers.ts";
import { succeed } from "@gateway/protocol/failures.ts";
import type { Call } from "@gateway/protocol/connection.ts";
import type { OperationInput, OperationName } from "@gateway/protocol/operations.ts";
import { type ActionName, type ActionRecord, GATEWAY_ACTOR } from "@gateway/protocol/operations/history.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { Migrations } from "../../shared/migrate.ts";
import type { PairingLinks } from "../pairing/pairing-links.ts";

export const ACTION_LOG_MIGRATIONS: Migrations = [
  // One row per logged action. `act` is the action's name, `key` the name of the key or pairing link, and `subject` what was changed.
  "CREATE TABLE act (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor TEXT, key TEXT, act TEXT NOT NULL, subject TEXT)",
];

const RETENTION_MS = 90 * DAY_MS;
/** Limits the log, because a program may connect and disconnect all day. */
const MAX_ENTRIES = 2_000;

type LoggedAction = { act: ActionName; subject: string | null };
type Names = { key: (id: string) => string | null; link: (id: string) => string | null };
type Logged = { [N in OperationName]?: (input: OperationInput<N>, names: Names) => LoggedAction };

const plain = (act: ActionName) => () => ({ act, subject: null });

const LOGGED: Logged = {
  "instance.connect": ({ force_new_pairing: forced }) => ({ act: forced ? "pairing_forced" : "connect", subject: null }),
  "instance.disconnect": plain("disconnect"),
  "instance.restart": plain("restart"),
  "instance.logout": plain("logout"),
  "instance.pairing_code": plain("pairing_code"),
  "pairing.create": ({ label }) => ({ act: "pairing_link_made", subject: label }),
  "pairing.revoke": ({ id }, names) => ({ act: "pairing_link_revoked", subject: names.link(id) }),
  "keys.create": ({ name }) => ({ act: "key_created", subject: name }),
  "keys.change": ({ id }, names) => ({ act: "key_changed", subject: names.key(id) }),
  "keys.revoke": ({ id }, names) => ({ act: "key_revoked", subject: names.key(id) }),
  // The URL's path may contain a token, so only the host is logged.
  "webhook.put": ({ url }) => ({ act: "webhook_set", subject: URL.canParse(url) ? new URL(url).host : null }),
  "webhook.delete": plain("webhook_deleted"),
  "webhook.rotate": plain("webhook_rotated"),
  "webhook.reactivate": plain("webhook_reactivated"),
  "actions.enter": (entered) => entered,
};

export type ActionLogDependencies = {
  sql: SqlStorage;
  keyOf: (hash: string) => string | null;
  keyNames: () => ReadonlyMap<string, string>;
  links: Pick<PairingLinks, "find" | "list">;
};

export class ActionLog {
  readonly #deps: ActionLogDependencies;

  constructor(deps: ActionLogDependencies) {
    this.#deps = deps;
  }

  /** Logs a successful call if it is one of `LOGGED`. `now` in Unix ms. */
  add(call: Call, now: number): void {
    const entryOf = LOGGED[call.operation as OperationName] as ((input: unknown, names: Names) => LoggedAction) | undefined;
    if (entryOf === undefined) return;
    try {
      this.#add(call, entryOf, now);
    } catch (error) {
      // Failures are only logged, because the call has succeeded, and an error would lose the key that it created.
      log("actions.not_written", { request: call.requestId, operation: call.operation, ...errorFields(error) });
    }
  }

  #add({ caller, input }: Call, entryOf: (input: unknown, names: Names) => LoggedAction, now: number): void {
    const { links, keyNames } = this.#deps;
    const keys = keyNames();
    const names: Names = {
      key: (id) => keys.get(id) ?? null,
      link: (id) => links.list(now).find((link) => link.id === id)?.label ?? null,
    };
    const { act, subject } = entryOf(JSON.parse(input), names);
    const { actor, key } = this.#actorOf(caller, names, now);
    this.#insert({ actor, key, act, subject }, now);
  }

  addByGateway(act: ActionName, subject: string | null, now: number): void {
    this.#insert({ actor: GATEWAY_ACTOR, key: null, act, subject }, now);
  }

  #insert({ actor, key, act, subject }: Omit<ActionRecord, "id" | "at">, now: number): void {
    const { sql } = this.#deps;
    sql.exec("INSERT INTO act (at, actor, key, act, subject) VALUES (?, ?, ?, ?, ?)", now, actor, key, act, subject);
    sql.exec("DELETE FROM act WHERE at < ? OR id <= (SELECT max(id) FROM act) - ?", now - RETENTION_MS, MAX_ENTRIES);
  }

  #actorOf(caller: Call["caller"], names: Names, now: number): Pick<ActionRecord, "actor" | "key"> {
    if (caller.kind === "account") return { actor: caller.subject.replace(/^user:/, ""), key: null };
    if (caller.kind === "pairing_link") {
      const link = this.#deps.links.find(caller.hash, now);
      return { actor: `link:${link?.id ?? ""}`, key: link?.label ?? null };
    }
    const id = this.#deps.keyOf(caller.hash);
    return { actor: null, key: id === null ? null : names.key(id) };
  }

  list(limit: number, before: number | null, now: number): { items: ActionRecord[]; more: boolean } {
    const found = this.#deps.sql
      .exec<ActionRecord>(
        "SELECT id, at, actor, key, act, subject FROM act WHERE id < ? AND at >= ? ORDER BY id DESC LIMIT ?",
        before ?? Number.MAX_SAFE_INTEGER,
        now - RETENTION_MS,
        limit + 1,
      )
      .toArray();
    return { items: found.slice(0, limit), more: found.length > limit };
  }
}

export function actionLogHandlers(actions: ActionLog): HandlersOf<"actions.list" | "actions.enter"> {
  return {
    "actions.list": ({ limit, before }, { now }) => succeed(actions.list(limit, before, now)),
    "actions.enter": () => succeed({}),
  };
}
