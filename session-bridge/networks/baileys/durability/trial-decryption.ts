// Repairs libsignal 6.0.0, process-wide. With two sessions of one peer (both wrote first at the same time) each is tried on a ciphertext. A
// try advances that session's ratchet before it is known whether the message fits, and when the other session decrypts it the wrongly
// advanced one is stored too: its later messages cannot be decrypted. Here each try works on a copy.
import { SessionCipher } from "libsignal";

type Session = { serialize(): unknown; pendingPreKey?: unknown };
type Decrypted = { session: Session; plaintext: Buffer };
/** What the library's types omit. */
type Cipher = { decryptWithSessions: (this: Cipher, data: Uint8Array, sessions: Session[]) => Promise<Decrypted> };
type SessionClass = { deserialize(data: unknown): Session };

const repaired = Symbol("trial decryption works on copies");

/** Call it before the first decryption; further calls do nothing. */
export function decryptOnCopies(): void {
  const cipher = SessionCipher.prototype as unknown as Cipher & { [repaired]?: true };
  // A version without it: the self-check finds it missing still.
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

function copyOf(session: Session): Session {
  return (session.constructor as unknown as SessionClass).deserialize(session.serialize());
}

/** The peer's first reply consumes the pending pre-key: removed from the copy, it must be removed from the session too. */
function adopt(session: Session, copy: Session): void {
  if (copy.pendingPreKey === undefined) delete session.pendingPreKey;
  Object.assign(session, copy);
}
