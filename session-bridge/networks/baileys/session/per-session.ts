// What a session knows beyond its socket: it outlives reconnects and is gone with the process, so nothing of it is missed.
import type { SessionLink } from "./session-context.ts";

export type PerSession<T> = {
  (link: SessionLink): T;
  /** Puts another in its place. */
  replace(link: SessionLink, value: T): void;
};

/** One value for each session, made when it is first asked for. */
export function perSession<T>(create: (link: SessionLink) => T): PerSession<T> {
  const values = new WeakMap<SessionLink, T>();
  const find = (link: SessionLink): T => {
    const known = values.get(link);
    if (known !== undefined) return known;
    const created = create(link);
    values.set(link, created);
    return created;
  };
  return Object.assign(find, { replace: (link: SessionLink, value: T) => void values.set(link, value) });
}
