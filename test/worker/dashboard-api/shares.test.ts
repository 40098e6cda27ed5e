// Sharing by email address: it takes effect once the address is confirmed, and reveals nothing about the recipient.
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { Env } from "#root/src/env.ts";
import { createConnection } from "#root/src/services/connections/create.ts";
import { provisionUser } from "#root/src/services/users/provision.ts";
import { accessTo } from "#root/src/services/connections/access.ts";
import { browser, formBehind, linkIn, mailbox, type SeenMail } from "../support/browser.ts";
import { type EnglishError, gateway, scriptedConnections } from "../support/gateway.ts";
import { freshEmail, someone, type Someone } from "../support/people.ts";

const objects = scriptedConnections(() => ({ ok: false, failure: { code: "unavailable" } }));

async function shared() {
  const owner = await someone();
  const { MAIL, sent } = mailbox();
  const made = await createConnection({ ...env, ...objects } as Env, { ownerId: owner.user.id, name: "Loja", kind: "session" }, Date.now());
  if (!made.ok) throw new Error(made.failure.code);
  const ask = gateway({ ...objects, MAIL });
  const path = `/api/dashboard/connections/${made.value.id}/shares`;
  const share = (email: string, role = "viewer") =>
    ask(path, { method: "POST", headers: owner.headers, body: JSON.stringify({ email, role }) });
  const list = async () => ((await (await ask(path, { headers: owner.headers })).json()) as { data: object[] }).data;
  const roleOf = async ({ id }: { id: string }) => (await accessTo(env.DB, id, made.value.id))?.role ?? null;
  return { owner, ask, path, connection: path.replace("/shares", ""), share, list, roleOf, sent, MAIL };
}

describe("sharing a connection", () => {
  it("reports in the page's language that an address is the owner's", async () => {
    const { owner, ask, path } = await shared();
    const body = JSON.stringify({ email: owner.user.email, role: "viewer" });
    const issues = [];
    for (const language of ["pt-BR", "en"]) {
      const answer = await ask(path, { method: "POST", headers: { ...owner.headers, "accept-language": language }, body });
      issues.push(((await answer.json()) as EnglishError).error.details);
    }
    expect(issues).toEqual([[{ field: "email", issue: "é o endereço do dono" }], [{ field: "email", issue: "this is the owner" }]]);
  });

  it("answers and lists alike for an address with an account, without one, and not confirmed", async () => {
    const { share, list, sent, MAIL } = await shared();
    const known: Someone = await someone(null);
    const unconfirmed = freshEmail();
    await browser({ MAIL })("POST", "/api/auth/sign-up/email", { email: unconfirmed, name: "Eve" });
    await vi.waitFor(() => expect(sent).toHaveLength(1), { timeout: 60_000 });
    const bodies = [];
    for (const email of [known.user.email, freshEmail(), unconfirmed]) {
      const answer = await share(email);
      const { data } = (await answer.json()) as { data: { email: string; invitation: string } };
      const { invitation, ...shown } = data;
      expect([answer.status, shown.email, invitation]).toEqual([201, email, "sent"]);
      bodies.push(shown);
    }
    const shape = { id: expect.any(String), email: expect.any(String), role: "viewer", created_at: expect.any(String), opened_at: null };
    expect(bodies).toEqual([shape, shape, shape]);
    expect(await list()).toEqual(expect.arrayContaining(bodies));
    await vi.waitFor(() => expect(sent).toHaveLength(4), { timeout: 60_000 });
    expect(new Set(sent.slice(1).map(({ text }) => text)).size).toBe(1);
    // The email names the role and links to the connection.
    expect(sent[1]?.text).toMatch(/Sua função: leitor.*\/connections\/\d+\n/s);
  });

  it("works at once for a confirmed address, and for another as soon as its holder confirms it", async () => {
    const { share, list, roleOf, sent, MAIL } = await shared();
    const known = await someone(null);
    await share(known.user.email, "operator");
    expect(await roleOf(known.user)).toBe("operator");
    await share(known.user.email, "viewer");
    expect(await roleOf(known.user)).toBe("viewer");
    expect(await list()).toHaveLength(1);

    const email = freshEmail();
    await share(email.toUpperCase(), "operator");
    const go = browser({ MAIL });
    await go("POST", "/api/auth/sign-up/email", { email, name: "Ana" });
    const link = () => linkIn(sent.find(({ to, text }) => to === email && text.includes("/set-password")));
    await vi.waitFor(() => expect(link()).not.toBe(""), { timeout: 60_000 });
    const row = await env.DB.prepare("SELECT id FROM user WHERE email = ?").bind(email).first<{ id: string }>();
    expect(await roleOf({ id: row?.id ?? "" })).toBe(null);
    await go("POST", "/set-password", await formBehind(await go("GET", link()), { password: "only the holder knows" }));
    expect(await roleOf({ id: row?.id ?? "" })).toBe("operator");

    const outside = freshEmail();
    await share(outside);
    const bearer = { issuer: "https://issuer.example", email: outside, name: null };
    const pretender = await provisionUser(env as Env, { ...bearer, subject: crypto.randomUUID(), emailVerified: false });
    expect(await roleOf(pretender ?? { id: "" })).toBe(null);
    const guest = await provisionUser(env as Env, { ...bearer, subject: crypto.randomUUID(), emailVerified: true });
    expect(guest?.id).not.toBe(pretender?.id);
    expect(await roleOf(guest ?? { id: "" })).toBe("viewer");
  });

  it("ends for everyone, whether accepted or pending", async () => {
    const { owner, ask, path, share, list, roleOf } = await shared();
    const known = await someone(null);
    for (const email of [known.user.email, freshEmail()]) await share(email);
    for (const { id } of (await list()) as { id: string }[]) {
      expect((await ask(`${path}/${id}`, { method: "DELETE", headers: owner.headers })).status).toBe(200);
      expect((await ask(`${path}/${id}`, { method: "DELETE", headers: owner.headers })).status).toBe(404);
    }
    expect([await list(), await roleOf(known.user)]).toEqual([[], null]);
  });

  it("is reported as accepted only once the connection was opened", async () => {
    const { share, list, connection, ask } = await shared();
    const guest = await someone(null);
    for (const email of [guest.user.email, freshEmail()]) await share(email);
    expect(await list()).toMatchObject([{ opened_at: null }, { opened_at: null }]);
    const opened = async () => ((await list()) as { email: string; opened_at: string | null }[]).map((one) => one.opened_at !== null);
    await ask("/api/dashboard/connections", { headers: guest.headers });
    expect(await opened()).toEqual([false, false]);
    await ask(connection, { headers: guest.headers });
    await vi.waitFor(async () => expect(await opened()).toEqual([true, false]));
    const [first] = await list();
    await ask(connection, { headers: guest.headers });
    expect((await list())[0]).toEqual(first);
  });

  it("lets the owner change the role of accepted and pending recipients", async () => {
    const { owner, ask, path, share, list, roleOf } = await shared();
    const guest = await someone(null);
    for (const email of [guest.user.email, freshEmail()]) await share(email);
    for (const { id } of (await list()) as { id: string }[]) {
      const changed = await ask(`${path}/${id}`, { method: "PATCH", headers: owner.headers, body: JSON.stringify({ role: "operator" }) });
      expect([changed.status, await changed.json()]).toMatchObject([200, { data: { id, role: "operator" } }]);
    }
    expect(await roleOf(guest.user)).toBe("operator");
    expect(await list()).toMatchObject([{ role: "operator" }, { role: "operator" }]);
    const asGuest = { method: "PATCH", headers: guest.headers, body: JSON.stringify({ role: "viewer" }) };
    const [first] = (await list()) as { id: string }[];
    expect((await ask(`${path}/${first?.id}`, asGuest)).status).toBe(403);
    expect((await ask(`${path}/${crypto.randomUUID()}`, { ...asGuest, headers: owner.headers })).status).toBe(404);
    const other = await shared();
    const elsewhere = `${other.path}/${first?.id}`;
    expect((await ask(elsewhere, { ...asGuest, headers: other.owner.headers })).status).toBe(404);
  });

  it("is left by a guest, whose next call finds nothing; its owner cannot leave", async () => {
    const { owner, ask, path, share, list, roleOf, connection } = await shared();
    const [guest, other] = [await someone(null), await someone(null)];
    for (const { user } of [guest, other]) await share(user.email);
    const leave = (who: Someone) => ask(`${path}/mine`, { method: "DELETE", headers: who.headers, body: "{}" });
    expect([(await leave(owner)).status, (await leave(guest)).status]).toEqual([403, 200]);
    expect([await roleOf(guest.user), await roleOf(other.user)]).toEqual([null, "viewer"]);
    expect(await list()).toMatchObject([{ email: other.user.email }]);
    expect([(await ask(connection, { headers: guest.headers })).status, (await leave(guest)).status]).toEqual([404, 404]);
  });

  it("limits emails per mailbox and shares per owner, each per day", async () => {
    const email = freshEmail();
    const boxes: SeenMail[][] = [];
    for (let n = 0; n < LIMITS.identity.invitations.requests; n += 1) {
      const { share, sent } = await shared();
      expect((await share(email)).status).toBe(201);
      boxes.push(sent);
    }
    await vi.waitFor(() => expect(boxes.flat()).toHaveLength(LIMITS.identity.invitations.requests), { timeout: 60_000 });
    const { share, sent: own } = await shared();
    const dropped = await share(email);
    expect([dropped.status, await dropped.json()]).toMatchObject([201, { data: { invitation: "not_sent" } }]);
    await share(freshEmail());
    await vi.waitFor(() => expect(own).toHaveLength(1), { timeout: 60_000 });
    const statuses = [];
    for (let n = 0; n < LIMITS.identity.invitationsSent.requests; n += 1) statuses.push((await share("one@example.com")).status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(LIMITS.identity.invitationsSent.requests - 2);
    expect(own.filter(({ to }) => to === email)).toEqual([]);
  });
});
