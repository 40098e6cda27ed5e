// Rotating STATE_SECRET: data under the old entry is re-encrypted under the current one (docs/operate/secrets.md, "Rotating secrets").
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { toBase64 } from "@gateway/domain/base64.ts";
import { currentSecret } from "@gateway/domain/keys/secrets.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { findWebhook } from "#root/src/services/account-webhooks/find.ts";
import { openSecret } from "#root/src/services/account-webhooks/secret.ts";
import { sealProxyPassword } from "#root/src/services/proxies/address.ts";
import { proxyToCheck } from "#root/src/services/proxies/checks.ts";
import { resealSlice } from "#root/src/services/secrets/reseal.ts";
import { derivedKey, Vault } from "#root/src/services/secrets/vault.ts";
import { TestConnection } from "../fakes/connection.ts";
import { holder } from "../support/accounts.ts";

afterEach(() => void vi.restoreAllMocks());

const OLD = env.STATE_SECRET ?? "";
const NEW = "the-new-secret-the-new-secret-the-new-secret";
/** The error for an entry that is missing or was replaced. */
const DEAD = /which is not set|Authentication failed/;
const bindings = (STATE_SECRET: string, change: Partial<Env> = {}) => ({ ...env, ...change, STATE_SECRET }) as Env;
/** Objects that do nothing when woken: their part is tested in test/worker/session. */
const sleepers = (woken: string[]) =>
  ({ CONNECTION: { getByName: (name: string) => ({ poke: async () => void woken.push(name) }) } }) as unknown as Partial<Env>;

async function accountWebhook(): Promise<{ userId: string; id: string }> {
  const { who, call } = await holder();
  const hook = { url: "https://hooks.example.net/a", events: ["message.received"], secret: "the customer's own secret" };
  return { userId: who.user.id, id: (await call("POST", "/webhooks", hook)).body.data.id };
}

async function proxy(bound: Env): Promise<string> {
  const id = crypto.randomUUID();
  await env.DB.prepare(
    "INSERT INTO proxy (id, label, protocol, host, port, username, password_sealed, created_at) VALUES (?, 'p', 'http', 'proxy.example.com', 1, 'ana', ?, 0)",
  )
    .bind(id, sealProxyPassword(bound, id, "xyzzy"))
    .run();
  return id;
}

const columnOf = async (table: string, column: string, id: string) =>
  (await env.DB.prepare(`SELECT ${column} AS sealed FROM ${table} WHERE id = ?`).bind(id).first<{ sealed: string }>())?.sealed ?? "";

describe("rows of D1", () => {
  it("are re-encrypted unchanged under the current entry, and the old entry opens them no more", async () => {
    const [hook, proxyId] = [await accountWebhook(), await proxy(bindings(OLD))];
    expect(await columnOf("account_webhook", "secret_sealed", hook.id)).toMatch(/^1:/);
    const both = bindings(`2:${NEW} 1:${OLD}`, sleepers([]));
    await vi.waitFor(async () => expect(await resealSlice(both)).toMatchObject({ webhooks: 0, proxies: 0 }));
    expect(await columnOf("account_webhook", "secret_sealed", hook.id)).toMatch(/^2:/);
    const after = bindings(`2:${NEW}`);
    const row = await findWebhook(env.DB, hook.userId, hook.id);
    expect(row === null ? null : openSecret(after, row)).toBe("the customer's own secret");
    expect((await proxyToCheck(after, proxyId, 0))?.url).toBe("http://ana:xyzzy@proxy.example.com:1");
    for (const old of [bindings(OLD), bindings(`2:${OLD}`)]) {
      expect(() => row !== null && openSecret(old, row)).toThrow(DEAD);
      await expect(proxyToCheck(old, proxyId, 0)).rejects.toThrow(DEAD);
    }
    // Restores the state that the file's other tests expect.
    await resealSlice(bindings(`1:${OLD} 2:${NEW}`, sleepers([])));
    expect(await columnOf("proxy", "password_sealed", proxyId)).toMatch(/^1:/);
  });

  it("count as encrypted with a plain secret, number 1, if an earlier release wrote them without a number", async () => {
    const hook = await accountWebhook();
    const { secret } = currentSecret(settingsOf(bindings(OLD)).STATE_SECRET);
    const unnumbered = toBase64(new Vault(derivedKey(secret, hook.userId, "webhook-secrets")).seal("as before", "account webhook"));
    await env.DB.prepare("UPDATE account_webhook SET secret_sealed = ? WHERE id = ?").bind(unnumbered, hook.id).run();
    const opened = async (setting: string) => {
      const row = await findWebhook(env.DB, hook.userId, hook.id);
      return row === null ? null : openSecret(bindings(setting), row);
    };
    expect(await opened(OLD)).toBe("as before");
    await resealSlice(bindings(`2:${NEW} 1:${OLD}`, sleepers([])));
    expect(await opened(`2:${NEW}`)).toBe("as before");
    await resealSlice(bindings(`1:${OLD} 2:${NEW}`, sleepers([])));
  });

  it("are counted and left unchanged if their entry was removed too early", async () => {
    const hook = await accountWebhook();
    const sealed = await columnOf("account_webhook", "secret_sealed", hook.id);
    const log = vi.spyOn(console, "log");
    const left = await resealSlice(bindings(`3:${NEW} 2:${NEW}`, sleepers([])));
    expect(left.webhooks).toBeGreaterThan(0);
    expect(await columnOf("account_webhook", "secret_sealed", hook.id)).toBe(sealed);
    const lines = log.mock.calls.flat().join("\n");
    expect(lines).toContain('"event":"secrets.not_resealed"');
    expect(lines).toContain(`"event":"secrets.under_old_entry","setting":"STATE_SECRET","kid":3`);
    expect(lines).not.toContain(NEW);
  });
});

describe("data that cannot be re-encrypted", () => {
  /** More unreadable rows than one slice processes; one that can be re-encrypted follows them. */
  const HOPELESS = 450;
  const ROUNDS = 60;

  it("does not keep other rows of D1 from being re-encrypted", async () => {
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    await env.DB.prepare(
      `INSERT INTO proxy (id, label, protocol, host, port, username, password_sealed, created_at)
       SELECT 'hopeless-' || value, 'p', 'http', 'proxy.example.com', 1, 'ana', '9:AAAA', 0 FROM json_each(?)`,
    )
      .bind(JSON.stringify(Array.from({ length: HOPELESS }, (_, n) => n)))
      .run();
    const good = await proxy(bindings(OLD));
    const both = bindings(`2:${NEW} 1:${OLD}`, sleepers([]));
    for (let round = 0; round < ROUNDS && (await columnOf("proxy", "password_sealed", good)).startsWith("1:"); round += 1) {
      await resealSlice(both);
    }
    expect(await columnOf("proxy", "password_sealed", good)).toMatch(/^2:/);
    await env.DB.exec("DELETE FROM proxy");
    await resealSlice(bindings(`1:${OLD} 2:${NEW}`, sleepers([])));
  });

  it("does not keep other connections from being woken", async () => {
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    const ids = Array.from({ length: HOPELESS }, (_, n) => -1 - n);
    const owner = (await holder()).who.user.id;
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO connection (id, uuid, owner_id, name, kind, metadata, settings, created_at, updated_at)
         SELECT value, 'hopeless-' || value, ?, 'n', 'session', '{}', '{}', 0, 0 FROM json_each(?)`,
      ).bind(owner, JSON.stringify(ids)),
      env.DB.prepare("INSERT INTO connection_state (connection_id, state_kid, noted_at) SELECT value, 0, 0 FROM json_each(?)").bind(
        JSON.stringify(ids),
      ),
    ]);
    const last = await TestConnection.create({ owner_id: crypto.randomUUID() });
    await vi.waitFor(async () => expect(await kidInD1(last)).toBe(1));
    const woken: string[] = [];
    const both = bindings(`2:${NEW} 1:${OLD}`, sleepers(woken));
    for (let round = 0; round < ROUNDS && !woken.includes(last.uuid); round += 1) await resealSlice(both);
    expect(woken).toContain(last.uuid);
    await env.DB.batch([
      env.DB.prepare("DELETE FROM connection_state WHERE connection_id < 0"),
      env.DB.prepare("DELETE FROM connection WHERE id < 0"),
    ]);
  });
});

describe("connections", () => {
  it("are woken if they sleep, counted until they have reported, and not woken again", async () => {
    const sleeper = await TestConnection.create({ owner_id: crypto.randomUUID() });
    await vi.waitFor(async () => expect(await kidInD1(sleeper)).toBe(1));
    const woken: string[] = [];
    const both = bindings(`2:${NEW} 1:${OLD}`, sleepers(woken));
    const { connections } = await resealSlice(both);
    expect(woken).toContain(sleeper.uuid);
    // Mimics the object's report after it has re-encrypted its data.
    await env.DB.prepare("UPDATE connection_state SET state_kid = 2 WHERE connection_id = ?").bind(sleeper.record.id).run();
    woken.length = 0;
    expect((await resealSlice(both)).connections).toBe(connections - 1);
    expect(woken).not.toContain(sleeper.uuid);
  });

  it("are left alone while there is one entry", async () => {
    const woken: string[] = [];
    expect(await resealSlice(bindings(`2:${NEW}`, sleepers(woken)))).toEqual({ connections: 0, webhooks: 0, proxies: 0 });
    expect(woken).toEqual([]);
  });
});

const kidInD1 = async ({ record }: TestConnection) =>
  (await env.DB.prepare("SELECT state_kid FROM connection_state WHERE connection_id = ?").bind(record.id).first<{ state_kid: number }>())
    ?.state_kid;
