// In-memory state of a session that outlives its sockets. Each module declares its own, so that no central class has to know all of them.
// Values are created on first use.
import type { NetworkSession } from "./session-context.ts";

export type PerSession<T> = {
  (session: NetworkSession): T;
  replace(session: NetworkSession, value: T): void;
};

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
