// A repair of libsignal 6.0.0, process-wide. With two sessions of one peer (both wrote first at the same time) a ciphertext is tried on
// each of them; a try steps that session's ratchet before it knows whether the message fits, and when another session opens the message
// the spoilt one is stored too. From then on its messages are unreadable. Here each try works on a copy.
import { SessionCipher } from "libsignal";

type Session = { serialize(): unknown; pendingPreKey?: unknown };
type Opened = { session: Session; plaintext: Buffer };
/** What the library's types leave out. */
type Cipher = { decryptWithSessions: (this: Cipher, data: Uint8Array, sessions: Session[]) => Promise<Opened> };
type SessionClass = { deserialize(data: unknown): Session };

const repaired = Symbol("trial decryption works on copies");

/** Call before the first message is decrypted; a second call changes nothing. */
export function decryptOnCopies(): void {
  const cipher = SessionCipher.prototype as unknown as Cipher & { [repaired]?: true };
  if (cipher[repaired]) return;
  cipher[repaired] = true;
  const decrypt = cipher.decryptWithSessions;
  cipher.decryptWithSessions = async function (data, sessions) {
    if (sessions.length < 2) return decrypt.call(this, data, sessions);
    let last: unknown;
    for (const session of sessions) {
      try {
        const opened = await decrypt.call(this, data, [copyOf(session)]);
        adopt(session, opened.session);
        return { session, plaintext: opened.plaintext };
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

/** The first answer of the peer ends the offer of a prekey: the copy has lost it, so must the session. */
function adopt(session: Session, copy: Session): void {
  if (copy.pendingPreKey === undefined) delete session.pendingPreKey;
  Object.assign(session, copy);
}
