// Proxies for tests: created by an administrator, or written directly to the table.
import { env } from "cloudflare:workers";
import { expect, onTestFinished, vi } from "vitest";
import type { ProxyCheckResult } from "@gateway/protocol/bridge-socket.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { type FakeBridge, pool } from "../fakes/bridge.ts";
import { type Calls, holder } from "../support/accounts.ts";
import { ringAlarm } from "../support/eviction.ts";

export type SentMail = { to: string; subject: string; text: string };

export async function admin(): Promise<{ call: Calls; email: string }> {
  const { who, call } = await holder();
  await setRole(env.DB, who.user.id, "admin");
  return { call, email: who.user.email };
}

/** A unique host, which distinguishes its checks from those of other tests. */
export function hostName(): string {
  return `${crypto.randomUUID()}.example.com`;
}

export async function madeProxy(call: Calls, change: Record<string, unknown> = {}): Promise<any> {
  const made = await call("POST", "/admin/proxies", { label: "São Paulo 1", protocol: "http", host: hostName(), port: 3128, ...change });
  if (made.status !== 201) throw new Error(`no proxy: ${JSON.stringify(made.body)}`);
  return made.body.data;
}

/** Marks the proxy as successfully checked. */
export async function healthy(id: string): Promise<void> {
  await env.DB.prepare(
    "INSERT OR REPLACE INTO proxy_health (proxy_id, status, consecutive_failures, past_checks) VALUES (?, 'healthy', 0, '[]')",
  )
    .bind(id)
    .run();
}

/** Emails sent during the rest of this test. All objects and files share MAIL, so it must not be replaced. */
export function sentMails(): SentMail[] {
  const mails: SentMail[] = [];
  const spy = vi.spyOn(env.MAIL, "send").mockImplementation(async (mail) => {
    mails.push(mail as unknown as SentMail);
    return { messageId: crypto.randomUUID() };
  });
  onTestFinished(() => spy.mockRestore());
  return mails;
}

/** Resolves once the API shows this health for the proxy. */
export async function healthIs(call: Calls, id: string, wanted: Record<string, unknown>): Promise<any> {
  return vi.waitFor(async () => {
    const { health } = (await call("GET", `/admin/proxies/${id}`)).body.data;
    expect(health).toMatchObject(wanted);
    return health;
  });
}

/** Advances the pool by a minute while its bridges stay alive. Needs fake dates. */
export async function minute(bridges: readonly FakeBridge[], ms = 60_000): Promise<void> {
  const from = Date.now() + ms;
  vi.setSystemTime(from);
  for (const bridge of bridges) bridge.say({ type: "load", sessions: 0, rss_mb: 0, cpu: 0 });
  await vi.waitFor(async () => {
    const seen = (await pool().list()).bridges;
    for (const { id } of bridges) if ((seen.find((one) => one.id === id)?.last_seen_at ?? 0) < from) throw new Error("not heard yet");
  });
  await ringAlarm(pool());
}

/** Answers the next check of the proxy at this host on any bridge. Resolves to the frame and the bridge. */
export async function answerCheck(bridges: readonly FakeBridge[], host: string, result: ProxyCheckResult) {
  const bridge = await vi.waitFor(() => {
    const asked = bridges.find(({ control }) => control.rest.some((frame) => frame.type === "check_proxy" && frame.url.includes(host)));
    if (asked === undefined) throw new Error("nobody is asked yet");
    return asked;
  });
  const frame = await bridge.control.next("check_proxy", ({ url }) => url.includes(host));
  bridge.say({ type: "proxy_checked", check: frame.check, result });
  return { bridge: bridge.id, frame };
}
