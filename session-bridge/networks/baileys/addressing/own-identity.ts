import type { Person } from "@gateway/protocol/ids.ts";
import { userOf } from "./jids.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";

export type Own = Person;

/** Our own identity, cached until the credentials change, because every JID is compared with it. */
class Identity {
  #auth: SessionContext["auth"] | null = null;
  #id: string | undefined;
  #lid: string | undefined;
  #own: Own = { phone: null, lid: null };

  readFrom(auth: SessionContext["auth"]): void {
    this.#auth = auth;
  }

  get own(): Own {
    const me = this.#auth?.creds.me;
    if (me?.id === this.#id && me?.lid === this.#lid) return this.#own;
    [this.#id, this.#lid] = [me?.id, me?.lid];
    this.#own = { phone: userOf(this.#id), lid: userOf(this.#lid) };
    return this.#own;
  }
}

export const identityOf = perSession(() => new Identity());
