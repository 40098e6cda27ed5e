import { MAX_TROUBLES, type Trouble, TROUBLE_KINDS, type TroubleKind, TROUBLE_WINDOW_MS } from "@gateway/protocol/bridge-socket.ts";
import type { Sample } from "./registry.ts";

const MAX_CODES = Math.floor(MAX_TROUBLES / TROUBLE_KINDS.length) - 1;
const CODE = /^[a-z0-9_]{1,40}$/;
const OTHER = "other";

export function labelOf(code: string): string {
  return CODE.test(code) ? code : OTHER;
}

type TroubleCount = { total: number; lastAt: Map<string, number> };

export class Troubles {
  readonly #entries = new Map<TroubleKind, Map<string, TroubleCount>>();

  /** `session` is used only for counting and is never exposed. `now` is in ms. */
  add(kind: TroubleKind, code: string, session: string, now: number): void {
    const entry = this.#entry(kind, labelOf(code));
    entry.total += 1;
    entry.lastAt.set(session, now);
  }

  report(now: number): Trouble[] {
    return [...this.#entries].flatMap(([kind, codes]) =>
      [...codes].map(([code, { total, lastAt }]) => {
        for (const [session, at] of lastAt) if (at <= now - TROUBLE_WINDOW_MS) lastAt.delete(session);
        return { kind, code, total, sessions: lastAt.size };
      }),
    );
  }

  samples(): Sample[] {
    return [...this.#entries].flatMap(([kind, codes]) => [...codes].map(([code, { total }]) => ({ labels: { kind, code }, value: total })));
  }

  #entry(kind: TroubleKind, code: string): TroubleCount {
    const codes = this.#entries.get(kind) ?? new Map<string, TroubleCount>();
    this.#entries.set(kind, codes);
    const named = codes.has(code) || codes.size < MAX_CODES ? code : OTHER;
    const entry = codes.get(named) ?? { total: 0, lastAt: new Map<string, number>() };
    codes.set(named, entry);
    return entry;
  }
}
