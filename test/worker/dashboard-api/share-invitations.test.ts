// The invitation email of a share while the email service is down: sent later and once, unless it is no longer wanted.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import type { Env } from "#root/src/env.ts";
import { createConnection } from "#root/src/services/connections/create.ts";
import { sendInvitation } from "#root/src/services/shares/invitation.ts";
import { addShare } from "#root/src/services/shares/shares.ts";
import { evict } from "../support/eviction.ts";
import { gateway, scriptedConnections } from "../support/gateway.ts";
import { ownerWaits } from "../support/owner-mail.ts";
import { freshEmail, someone } from "../support/people.ts";

type Mail = { to: string; text: string };
let mails: Mail[];
let isDown: boolean;

beforeEach(() => {
  [mails, isDown] = [[], true];
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  vi.spyOn(env.MAIL, "send").mockImplementation(async (mail) => {
    const { to, text } = mail as unknown as Mail;
    if (isDown) throw new Error(`connect ECONNREFUSED for <${to}>`);
    mails.push({ to, text });
    return { messageId: "sent" };
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function owned() {
  const owner = await someone();
  const objects = scriptedConnections(() => ({ ok: false, failure: { code: "unavailable" } }));
  const made = await createConnection({ ...env, ...objects } as Env, { ownerId: owner.user.id, name: "Loja", kind: "session" }, Date.now());
  if (!made.ok) throw new Error(made.failure.code);
  const ask = gateway({ ...objects, MAIL: env.MAIL });
  const call = async (method: string, path: string, body: object = {}) => {
    const answer = await ask(`/api/dashboard/connections/${made.value.id}/shares${path}`, {
      method,
      headers: owner.headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, data: ((await answer.json()) as { data: { id: string; invitation: string } }).data };
  };
  const guest = freshEmail();
  const share = () => call("POST", "", { email: guest, role: "viewer" });
  return { owner, connection: made.value, call, guest, share, guard: env.ACCOUNT_GUARD.getByName(owner.user.id) };
}

const to = (email: string) => mails.filter((mail) => mail.to === email);

describe("a refused invitation to share a connection", () => {
  it("is sent once the service works again, once only, with the role of then, though the guard is evicted in between", async () => {
    const { owner, call, guest, share, guard } = await owned();
    const lines = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const { status, data } = await share();
    const { data: again } = await share();
    const changed = await call("PATCH", `/${data.id}`, { role: "operator" });
    expect([status, data.invitation, again.invitation, changed.status]).toEqual([201, "later", null, 200]);
    await ownerWaits(owner.user.id, 15 * MINUTE_MS);
    expect(lines.mock.calls.flat().join("\n")).toMatch(/"share.mail_failed".*"account.mail_failed","kind":"invitation"/s);
    expect(lines.mock.calls.flat().join("\n")).not.toContain(guest);
    lines.mockRestore();
    await evict(guard);
    isDown = false;
    await ownerWaits(owner.user.id, DAY_MS);
    expect(to(guest)).toMatchObject([{ text: expect.stringContaining("Sua função: operador") as string }]);
  });

  it("is dropped after a few hours", async () => {
    const { owner, guest, share } = await owned();
    await share();
    await ownerWaits(owner.user.id, 8 * HOUR_MS);
    isDown = false;
    await ownerWaits(owner.user.id, DAY_MS);
    expect(to(guest)).toEqual([]);
  });

  it.each([
    ["the share is revoked", ({ call }, id) => call("DELETE", `/${id}`)],
    [
      "the connection is removed",
      ({ connection: { id } }) => env.DB.prepare("UPDATE connection SET removed_at = 1 WHERE id = ?").bind(id).run(),
    ],
    [
      "the owner is suspended",
      ({ owner }) => env.DB.prepare("UPDATE user SET status = 'suspended' WHERE id = ?").bind(owner.user.id).run(),
    ],
  ] satisfies [string, (world: Awaited<ReturnType<typeof owned>>, share: string) => Promise<unknown>][])(
    "is not sent if %s in the meantime",
    async (_name, end) => {
      const world = await owned();
      const { data } = await world.share();
      await end(world, data.id);
      isDown = false;
      await ownerWaits(world.owner.user.id, DAY_MS);
      expect(to(world.guest)).toEqual([]);
    },
  );

  it("is reported as not sent if it could not be kept either", async () => {
    const { owner, connection, guest } = await owned();
    const shared = await addShare(env as Env, { ...connection, ownerId: owner.user.id }, guest, "viewer", Date.now());
    if (!shared.ok) throw new Error(shared.failure.code);
    const oweMail = () => Promise.reject(new Error("the guard is away"));
    const away = { ...env, ACCOUNT_GUARD: { getByName: () => ({ oweMail }) } } as unknown as Env;
    const invitation = { ownerId: owner.user.id, invitation: shared.value.share.id, to: guest };
    expect(await sendInvitation(away, invitation)).toBe("not_sent");
  });
});
