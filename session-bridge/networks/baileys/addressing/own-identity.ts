// The account's own phone and LID, from the credentials of the newest socket.
import type { Person } from "@gateway/protocol/ids.ts";
import { userOf } from "./jids.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";

export type Own = Person;

/** Read for every JID, so the parsed result is reused while the credentials are unchanged. */
class Identity {
  #auth: SessionContext["auth"] | null = null;
  #id: string | undefined;
  #lid: string | undefined;
  #own: Own = { phone: null, lid: null };

  /** The credentials to read from. */
  readFrom(auth: SessionContext["auth"]): void {
    this.#auth = auth;
  }

  /** Both null until the session is paired. */
  get own(): Own {
    const me = this.#auth?.creds.me;
    if (me?.id === this.#id && me?.lid === this.#lid) return this.#own;
    [this.#id, this.#lid] = [me?.id, me?.lid];
    this.#own = { phone: userOf(this.#id), lid: userOf(this.#lid) };
    return this.#own;
  }
}

export const identityOf = perSession(() => new Identity());
