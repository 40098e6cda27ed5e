// The disabling email end to end: a receiver fails for 72 hours, the connection's owner gets one email.
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { mailStore, listMail } from "#root/src/sandbox/mail-store.ts";
import { event, TestConnection } from "../fakes/connection.ts";
import { theirText } from "../fakes/messages.ts";
import { gatheredFor, ownerMailed } from "../support/owner-mail.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

const HOOK = "https://hooks.example.net/dead";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("the owner of a connection is emailed once when its webhook is disabled", async () => {
  vi.useFakeTimers({ now: Date.UTC(2035, 0, 1), toFake: ["Date"] });
  const owner = crypto.randomUUID();
  const connection = await TestConnection.create({ owner_id: owner, name: "Loja\nBcc: all@example.com" });
  // The sandbox's mailbox replaces the platform's.
  vi.spyOn(env.MAIL, "send").mockImplementation((mail) => mailStore(env.DB).send(mail as never));
  const fetch = globalThis.fetch;
  let attempts = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (input !== HOOK) return fetch(input, init);
    attempts += 1;
    return new Response(null, { status: 500 });
  });
  const bridge = await connection.bridge();
  await connection.ask("instance.connect", { force_new_pairing: false });
  const session = await bridge.open(connection.uuid);
  await session.commit([event.open()]);
  expect(await connection.ask("webhook.put", { url: HOOK, events: ["message.received"] })).toMatchObject({ ok: true });

  const newestDelivery = async () => {
    const page = await connection.ask("webhook.deliveries", { status: null, event: null, limit: 1, before: null });
    if (!page.ok) throw new Error(page.code);
    return page.value.items[0];
  };
  const comes = async (id: string) => {
    await session.commit([{ key: id, event: { type: "message.upsert", origin: "live", message: theirText(id, "oi") } }]);
    // Waits for the stored result: an object evicted before it makes the attempt again later, and the 72 hours would begin then.
    await vi.waitFor(async () => expect(await newestDelivery()).toMatchObject({ attempts: 1, http_status: 500 }));
  };
  const status = async () => ((await connection.ask("webhook.get", {})) as { value: { status: string } }).value.status;
  const mails = async () => (await listMail(env.DB)).filter(({ to }) => to === `${owner}@example.com`);
  await comes("FIRST");
  await connection.after(71 * HOUR_MS);
  await comes("SECOND");
  expect([await status(), await mails()]).toEqual(["active", []]);
  await connection.after(HOUR_MS);
  await comes("THIRD");
  await connection.after(0);
  await vi.waitFor(async () => expect(await gatheredFor(owner)).toHaveLength(1));
  await ownerMailed(owner);
  expect(await mails()).toHaveLength(1);
  expect(await status()).toBe("disabled");
  const seen = attempts;
  await connection.after(30 * HOUR_MS);
  expect(attempts).toBe(seen);
  expect(await mails()).toMatchObject([
    { subject: "Webhook desativado: Loja Bcc: all@example.com / Webhook disabled", text: expect.stringContaining(HOOK) as string },
  ]);
});
