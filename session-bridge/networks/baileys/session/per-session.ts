// State of a session that outlives its sockets and ends with the process: caches and queues, nothing durable. Each room declares its own,
// so that no central class has to know all rooms.
import type { NetworkSession } from "./session-context.ts";

export type PerSession<T> = {
  (session: NetworkSession): T;
  /** Replaces it. */
  replace(session: NetworkSession, value: T): void;
};

/** One value per session, created on first use. */
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
