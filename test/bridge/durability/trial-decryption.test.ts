// A defect in libsignal (session-bridge/networks/baileys/durability/trial-decryption.ts): if both sides write first at the same time, they
// have two sessions, and trying a message on the wrong one corrupted it.
import { afterAll, beforeAll, expect, it } from "vitest";
import { SessionCipher } from "libsignal";
import { decryptOnCopies } from "#root/session-bridge/networks/baileys/durability/trial-decryption.ts";

type Session = { steps: number; serialize(): { steps: number } };
type Cipher = { decryptWithSessions(data: Uint8Array, sessions: Session[]): Promise<{ session: Session; plaintext: Buffer }> };

/** A session that decrypts only one message and advances at every attempt, as the library's sessions do. */
class Stepping implements Session {
  steps = 0;
  readonly opens: string;
  constructor(opens: string) {
    this.opens = opens;
  }
  serialize() {
    return { steps: this.steps, opens: this.opens };
  }
  static deserialize(data: { steps: number; opens: string }): Stepping {
    const session = new Stepping(data.opens);
    session.steps = data.steps;
    return session;
  }
}

const tries: string[] = [];
const cipher = Object.create(SessionCipher.prototype) as Cipher & {
  doDecryptWhisperMessage(data: Uint8Array, session: Stepping): Promise<Buffer>;
};
cipher.doDecryptWhisperMessage = async (data, session) => {
  tries.push(session.opens);
  session.steps += 1;
  if (Buffer.from(data).toString() !== session.opens) throw new Error("does not fit");
  Object.assign(session, { indexInfo: {} });
  return Buffer.from(session.opens);
};

const logged = console.error;
beforeAll(() => {
  decryptOnCopies();
  console.error = () => undefined;
});
afterAll(() => {
  console.error = logged;
});

const sessionsFor = (...opens: string[]) => opens.map((word) => Object.assign(new Stepping(word), { indexInfo: {} }));

it("a trial decryption leaves a session unchanged when another one decrypts the message", async () => {
  const [wrong, right] = sessionsFor("a", "b");
  if (wrong === undefined || right === undefined) throw new Error("two sessions");
  const opened = await cipher.decryptWithSessions(Buffer.from("b"), [wrong, right]);
  expect(opened.plaintext.toString()).toBe("b");
  expect(opened.session).toBe(right);
  expect([wrong.steps, right.steps]).toEqual([0, 1]);
  expect(tries).toEqual(["a", "b"]);
});

it("a trial decryption leaves all sessions unchanged when none decrypts the message", async () => {
  const sessions = sessionsFor("a", "b");
  await expect(cipher.decryptWithSessions(Buffer.from("c"), sessions)).rejects.toThrow("No matching sessions");
  expect(sessions.map((session) => session.steps)).toEqual([0, 0]);
});
