// Patches libsignal 6.0.0 to try each session on a copy, because a failed attempt would advance the session's ratchet.
import { SessionCipher } from "libsignal";

type SignalSession = { serialize(): unknown; pendingPreKey?: unknown };
type Decrypted = { session: SignalSession; plaintext: Buffer };
type Cipher = { decryptWithSessions: (this: Cipher, data: Uint8Array, sessions: SignalSession[]) => Promise<Decrypted> };
type SessionClass = { deserialize(data: unknown): SignalSession };

const repaired = Symbol("trial decryption works on copies");

/** Patches libsignal for the whole process, at most once. Call it before the first decryption. */
export function decryptOnCopies(): void {
  const cipher = SessionCipher.prototype as unknown as Cipher & { [repaired]?: true };
  if (cipher[repaired] || !("decryptWithSessions" in cipher)) return;
  cipher[repaired] = true;
  const decrypt = cipher.decryptWithSessions;
  cipher.decryptWithSessions = async function (data, sessions) {
    if (sessions.length < 2) return decrypt.call(this, data, sessions);
    let last: unknown;
    for (const session of sessions) {
      try {
        const decrypted = await decrypt.call(this, data, [copyOf(session)]);
        adopt(session, decrypted.session);
        return { session, plaintext: decrypted.plaintext };
      } catch (error) {
        last = error;
      }
    }
    throw last;
  };
}

function copyOf(session: SignalSession): SignalSession {
  return (session.constructor as unknown as SessionClass).deserialize(session.serialize());
}

/** The peer's first reply consumes the pending pre-key. The copy no longer has it, so it must be deleted from the original too. */
function adopt(session: SignalSession, copy: SignalSession): void {
  if (copy.pendingPreKey === undefined) delete session.pendingPreKey;
  Object.assign(session, copy);
}

// Drops old receiving chains of Signal sessions, and old keys of skipped messages. libsignal 6.0.0 keeps all of them, so that sessions would
// grow forever.

/** Phones keep this many chains too. Messages on older chains are requested again. */
const RECENT_CHAINS = 5;
/** Maximum number of chains, including older ones that still hold keys for skipped messages. */
const MAX_CHAINS = 40;
/** The number that libsignal lets a single message skip. A hostile sender could add as many with each further message. */
const MAX_SKIPPED_KEYS = 2_000;
const RECEIVING = 2;

type Chains = Record<string, { chainType: number; messageKeys: Record<string, unknown> }>;

export function dropOldChains(record: unknown): void {
  const { _sessions: sessions } = (record ?? {}) as { _sessions?: Record<string, { _chains?: Chains }> };
  let left = MAX_SKIPPED_KEYS;
  for (const { _chains: chains = {} } of Object.values(sessions ?? {}).toReversed()) {
    const newestFirst = Object.entries(chains)
      .filter(([, { chainType }]) => chainType === RECEIVING)
      .toReversed();
    for (const [at, [name, { messageKeys }]] of newestFirst.entries()) {
      left -= dropOldKeys(messageKeys, left);
      const isWanted = at < RECENT_CHAINS || (at < MAX_CHAINS && Object.keys(messageKeys).length > 0);
      if (!isWanted) delete chains[name];
    }
  }
}

/** Keeps the `most` newest keys and returns how many are kept. Keys are named by their counter, so that they are in ascending order. */
function dropOldKeys(messageKeys: Record<string, unknown>, most: number): number {
  const counters = Object.keys(messageKeys);
  const excess = Math.max(0, counters.length - most);
  for (const counter of counters.slice(0, excess)) delete messageKeys[counter];
  return counters.length - excess;
}
