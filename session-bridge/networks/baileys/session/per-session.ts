// What a session knows beyond its socket: it outlives reconnects and is gone with the process, so nothing of it is missed.
import type { NetworkSession } from "./session-context.ts";

export type PerSession<T> = {
  (session: NetworkSession): T;
  /** Puts another in its place. */
  replace(session: NetworkSession, value: T): void;
};

/** One value for each session, made when it is first asked for. */
export function perSession<T>(create: (session: NetworkSession) => T): PerSession<T> {
  const values = new WeakMap<NetworkSession, T>();
  const find = (session: NetworkSession): T => {
    const known = values.get(session);
    if (known !== undefined) return known;
    const created = create(session);
    values.set(session, created);
    return created;
  };
  return Object.assign(find, { replace: (session: NetworkSession, value: T) => void values.set(session, value) });
}
