// The deployment's self-check, which `npm run doctor` reads.
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { sendMail } from "#root/src/services/mail/send.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { runWatchdog } from "#root/src/services/watchdog/watch.ts";
import { FakeBridge, pool } from "../fakes/bridge.ts";
import { codeOf, holder } from "../support/accounts.ts";
import { gateway } from "../support/gateway.ts";
import { freshEmail } from "../support/people.ts";

let admin: Awaited<ReturnType<typeof holder>>;
beforeAll(async () => {
  admin = await holder();
  await setRole(env.DB, admin.who.user.id, "admin");
});
afterEach(() => vi.useRealTimers());

type Check = { name: string; ok: boolean; detail: string | null };

/** Failed checks, by name. */
async function failed(call = admin.call): Promise<Record<string, string | null>> {
  const { status, body } = await call("GET", "/admin/self-check");
  expect(status).toBe(200);
  return Object.fromEntries((body.data.checks as Check[]).flatMap(({ name, ok, detail }) => (ok ? [] : [[name, detail]])));
}

/** The same administrator on a worker with other bindings. */
const at = async (bindings: Partial<Env>) => {
  const ask = gateway(bindings);
  return async (method: string, path: string) => {
    const answer = await ask(`/api${path}`, { method, headers: { "x-api-key": admin.key } });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
  };
};

it("the self-check lists failing checks, and drops them once they pass", async () => {
  const before = await failed();
  expect(before).toMatchObject({
    settings: expect.stringContaining("MAIL_FROM = gateway@example.com"),
    pages: "the dashboard's first page answers 404",
    crons: expect.stringContaining('"* * * * *" has never run'),
    bridges: expect.stringMatching(/bridge/),
  });
  for (const name of ["database", "migrations", "clock", "files", "pools", "containers", "mail"]) expect(before).not.toHaveProperty(name);

  const bridge = await FakeBridge.dial();
  await runWatchdog(env as Env, Date.now());
  await vi.waitFor(async () => expect(await failed()).not.toHaveProperty("bridges"));
  expect(await failed()).not.toHaveProperty("crons");
  await bridge.left();
});

it("the self-check names the pool while all its bridges are full", async () => {
  const bridge = await FakeBridge.dial({ capacity: 1 });
  await vi.waitFor(async () => expect(await failed()).not.toHaveProperty("bridges"));
  expect(await failed()).not.toHaveProperty("capacity");
  const [placed, waiting] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const connection of [placed, waiting]) await pool().place({ connection, generation: 1, ticket: "ticket" });
  expect((await failed())["capacity"]).toBe("every bridge is full: default (1 of 1 sessions, 1 waiting)");
  for (const connection of [waiting, placed]) await pool().release({ connection, below: 2 });
  expect(await failed()).not.toHaveProperty("capacity");
  await bridge.left();
});

it("the self-check names a migration that is missing", async () => {
  const [last] = (await env.DB.prepare("SELECT * FROM d1_migrations ORDER BY id DESC LIMIT 1").all<{ id: number; name: string }>()).results;
  await env.DB.prepare("UPDATE d1_migrations SET name = 'other.sql' WHERE id = ?").bind(last?.id).run();
  expect(await failed()).toMatchObject({ migrations: `not applied: ${last?.name}` });
  await env.DB.prepare("UPDATE d1_migrations SET name = ? WHERE id = ?").bind(last?.name, last?.id).run();
  expect(await failed()).not.toHaveProperty("migrations");
});

it("the self-check reports a refused last email, without its address, until an email is accepted", async () => {
  const to = freshEmail();
  const refusal = Object.assign(new Error(`the sender of an email to ${to} is not verified`), { code: "E_SENDER_NOT_VERIFIED" });
  const refusing = { ...env, MAIL: { send: () => Promise.reject(refusal) } } as unknown as Env;
  await expect(sendMail(refusing, { to, subject: "a", text: "b" })).rejects.toThrow("not verified");
  expect((await failed())["mail"]).toBe(
    "the platform refused the last email: E_SENDER_NOT_VERIFIED, the sender of an email to … is not verified",
  );
  await sendMail({ ...env, MAIL: { send: async () => ({ messageId: "1" }) } } as unknown as Env, { to, subject: "a", text: "b" });
  expect(await failed()).not.toHaveProperty("mail");
});

it("the self-check reports when files, pages or the pool do not respond", async () => {
  const MEDIA = { head: () => Promise.reject(new Error("we encountered an internal error (10001)")) } as unknown as Env["MEDIA"];
  expect(await failed(await at({ MEDIA, ASSETS: undefined } as unknown as Partial<Env>))).toMatchObject({
    files: "we encountered an internal error (10001)",
    pages: "the binding ASSETS is missing",
  });
  const BRIDGE_POOL = {
    getByName: () => ({ list: () => Promise.reject(new Error("no pool")), fleet: () => Promise.reject(new Error("no pool")) }),
  };
  expect(await failed(await at({ BRIDGE_POOL: BRIDGE_POOL as unknown as Env["BRIDGE_POOL"] }))).toMatchObject({
    pools: "no pool",
    bridges: "no pool",
    alarms: "no pool",
  });
});

it("the self-check includes a single machine's report on disk and backups, or that the host does not answer", async () => {
  expect(await failed()).not.toHaveProperty("disk");
  const answering = (answer: () => Promise<Response>) => ({ MACHINE: { fetch: answer } }) as unknown as Partial<Env>;
  const report = { disk: "disk.low: 90 MB free in /data", backups: null };
  const checked = await failed(await at(answering(async () => Response.json(report))));
  expect(checked["disk"]).toBe(report.disk);
  expect(checked).not.toHaveProperty("backups");
  const silent = await at(answering(() => Promise.reject(new Error("connection closed"))));
  expect(await failed(silent)).toMatchObject({ disk: "connection closed", backups: "connection closed" });
});

it("the self-check is for administrators alone", async () => {
  const other = await holder();
  expect(codeOf(await other.call("GET", "/admin/self-check"))).toEqual([403, "forbidden"]);
});
