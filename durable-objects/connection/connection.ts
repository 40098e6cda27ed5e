// One object per connection: everything about one number lives here (architecture, "One home for every fact").
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../src/env.ts";
import { ConnectionRecord } from "../../src/protocol/connection.ts";
import { migrate } from "./schema.ts";
import { SESSION_MIGRATIONS } from "./session/schema.ts";
import { Identity } from "./session/identity.ts";

export class Connection extends DurableObject<Env> {
  readonly #identity: Identity;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage, [["session", SESSION_MIGRATIONS]]);
    this.#identity = new Identity(ctx.storage.sql);
  }

  /** Takes over the D1 facts about this connection; called by the verb that changed them, before it answers. */
  configure(record: ConnectionRecord): void {
    this.#identity.store(ConnectionRecord.parse(record));
  }
}
