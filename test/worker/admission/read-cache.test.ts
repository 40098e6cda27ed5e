// The lifetime of cached responses, and what invalidates them (docs/internals/admission.md, "Read cache").
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { allEnded, OTHER, TestConnection } from "../fakes/connection.ts";
import { theirs } from "../fakes/messages.ts";
import type { FakeSession } from "../fakes/bridge.ts";

afterEach(allEnded);

const CHAT = `${OTHER}@c.us`;
const cached = { method: "GET", flags: { mutating: false, counted: false, cached: true } } as const;

async function idsIn(connection: TestConnection): Promise<string[]> {
  const anything = { before: null, after: null, from_me: null, type: null, reference: null, status: null, q: null };
  const input = { chat_id: CHAT, limit: 50, cursor: null, ...anything };
  const answer = await connection.ask("messages.list", input, cached);
  if (!answer.ok) throw new Error(answer.code);
  return answer.value.items.map((message) => message.message_id);
}

/** True if reading the "about" text of `CHAT` queries the network. */
async function asksForAbout(connection: TestConnection, session: FakeSession): Promise<boolean> {
  const before = session.frames.seen("command");
  const reading = connection.ask("contacts.about", { contact_id: CHAT }, cached);
  const asked = await Promise.race([before.then(() => true), reading.then(() => false)]);
  if (asked) await session.answer("contacts.about", { about: "oi", set_at: null });
  await reading;
  return asked;
}

describe("a cached read", () => {
  it("shows a message as soon as its webhook may be sent", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([theirs("A1")]);
    expect(await idsIn(connection)).toEqual(["A1"]);
    await session.commit([theirs("A2")]);
    expect(await idsIn(connection)).toEqual(["A2", "A1"]);
  });

  it("survives new messages if its data comes from the network, until that data changes", async () => {
    const { connection, session } = await TestConnection.connected();
    expect(await asksForAbout(connection, session)).toBe(true);
    await session.commit([theirs("A1")]);
    expect(await asksForAbout(connection, session)).toBe(false);
    await session.commit([{ type: "contact.updated", person: { phone: OTHER, lid: null }, name: "Bia" }]);
    expect(await asksForAbout(connection, session)).toBe(true);
  });

  it("is counted in storage a few seconds later, although nothing else is due", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1, 10, 20), toFake: ["Date"] });
    const { connection } = await TestConnection.connected();
    const read = () => connection.ask("instance.get", {}, { method: "GET", flags: { mutating: false, counted: true, cached: true } });
    const dueIn = async () =>
      ((await runInDurableObject(connection.stub, (_, { storage }) => storage.getAlarm())) ?? Number.NaN) - Date.now();
    await read();
    // Fires the alarm of the first, uncached read.
    await connection.after(4_000);
    expect(await dueIn()).toBeGreaterThan(6_000);
    await read();
    expect(await dueIn()).toBeLessThanOrEqual(4_000);
  });
});
