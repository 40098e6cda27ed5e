// An instance's session uses the assigned proxy through every change (docs/use/apis.md, "Settings and pacing").
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import { pushPendingRecords } from "#root/src/services/connections/push-records.ts";
import { sealProxyPassword } from "#root/src/services/proxies/address.ts";
import { allDisconnected, connectedInstance } from "../support/account-session.ts";
import { codeOf, holder } from "../support/accounts.ts";

afterEach(allDisconnected);

type Row = { protocol?: string; host?: string; port?: number; username?: string | null; password?: string | null; active?: boolean };

async function proxy(row: Row = {}): Promise<string> {
  const id = crypto.randomUUID();
  const { protocol = "http", host = "proxy.example.com", port = 3128, username = null, password = null, active = true } = row;
  const sealed = password === null ? null : sealProxyPassword(env as Env, id, password);
  await env.DB.prepare(
    "INSERT INTO proxy (id, label, protocol, host, port, username, password_sealed, is_active, created_at) VALUES (?, 'p', ?, ?, ?, ?, ?, ?, 0)",
  )
    .bind(id, protocol, host, port, username, sealed, Number(active))
    .run();
  return id;
}

describe("the proxy of an instance", () => {
  it("is passed to its session with its credentials, which are stored encrypted", async () => {
    const { call } = await holder();
    const id = await proxy({ protocol: "socks5", port: 1080, username: "ana", password: "p@ss:xyzzy" });
    const { session } = await connectedInstance(call, { proxy_id: id });
    expect(session.settings?.proxy_url).toBe("socks5://ana:p%40ss%3Axyzzy@proxy.example.com:1080");
    const row = await env.DB.prepare("SELECT * FROM proxy WHERE id = ?").bind(id).first();
    expect(JSON.stringify(row)).not.toContain("xyzzy");
  });

  it("can be changed and removed while the session runs", async () => {
    const { call } = await holder();
    const { id, session } = await connectedInstance(call, { proxy_id: await proxy() });
    expect(session.settings?.proxy_url).toBe("http://proxy.example.com:3128");
    const asked = call("GET", `/instances/${id}/health`);
    await session.answer("account.limits", {
      new_chat_quota: { total: 100, used: 80, cycle_ends_at: 1_900_000_000, status: "first_warning" },
    });
    expect((await asked).body.data.proxy).toEqual({ id: expect.any(String), status: "unknown", latency_ms: null });
    const quota = { total: 100, used: 80, cycle_ends_at: "2030-03-17T17:46:40.000Z", status: "first_warning" };
    expect((await call("GET", `/instances/${id}/status`)).body.data.new_chat_quota).toEqual(quota);
    const other = await proxy({ host: "other.example.com" });
    expect((await call("PATCH", `/instances/${id}`, { proxy_id: other })).body.data.proxy_id).toBe(other);
    expect((await session.frames.next("settings")).settings.proxy_url).toBe("http://other.example.com:3128");
    await call("PATCH", `/instances/${id}`, { proxy_id: null });
    expect((await session.frames.next("settings")).settings.proxy_url).toBeNull();
  });

  it("is sent again to every session that uses it when it changes, and is never bypassed when missing", async () => {
    const { call } = await holder();
    const id = await proxy();
    const [one, two] = [await connectedInstance(call, { proxy_id: id }), await connectedInstance(call, { proxy_id: id })];
    const none = await connectedInstance(call);
    const change = async (statement: string) => {
      await env.DB.prepare(statement).bind(id).run();
      await env.DB.prepare("UPDATE connection SET pending_revision = 0 WHERE proxy_id = ?").bind(id).run();
      await pushPendingRecords(env as Env, undefined);
      return [one, two].map(({ session }) => session.frames.next("settings"));
    };
    for (const configured of await change("UPDATE proxy SET port = 3129, is_active = 0 WHERE id = ?"))
      expect((await configured).settings.proxy_url).toBe("http://proxy.example.com:3129");
    for (const configured of await change("DELETE FROM proxy WHERE id = ?"))
      expect((await configured).settings.proxy_url).toBe("proxy:gone");
    expect(none.session.frames.rest.filter(({ type }) => type === "settings")).toEqual([]);
  });

  it("must exist and be active", async () => {
    const { call } = await holder();
    const unused = await proxy({ active: false });
    for (const proxy_id of [unused, crypto.randomUUID()])
      expect(codeOf(await call("POST", "/instances", { name: "x", proxy_id }))).toEqual([400, "validation_error"]);
  });
});
