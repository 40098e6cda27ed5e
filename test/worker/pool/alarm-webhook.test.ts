// Alarms posted to an operator's receiver, signed, and repeated until it accepts them.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { FleetMails } from "#root/durable-objects/bridge-pool/fleet-mails.ts";
import { poolTimeColumns } from "#root/durable-objects/bridge-pool/schema.ts";
import { FleetWatch } from "#root/durable-objects/bridge-pool/fleet-watch.ts";
import { ClockSteps } from "#root/durable-objects/shared/clock-steps.ts";
import { StoredTimes } from "#root/durable-objects/shared/stored-times.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { fromBase64, toBase64 } from "@gateway/domain/base64.ts";
import { makeWebhookSecret } from "@gateway/domain/webhooks/signature.ts";

const MINUTE = 60_000;
const WAIT = { timeout: 60_000, interval: 20 };
const SECRET = makeWebhookSecret(new Uint8Array(32).fill(7));

type Posted = { url: string; headers: Headers; body: string };

afterEach(() => {
  vi.restoreAllMocks();
});

async function macOf({ headers, body }: Posted): Promise<string> {
  const secret = new Uint8Array(fromBase64(SECRET.slice("whsec_".length)));
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const text = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
  return `v1,${toBase64(new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text))))}`;
}

it("an alarm is posted when it is raised and when it ends, again after a failure", async () => {
  const posted: Posted[] = [];
  let status = 500;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    posted.push({ url: request.url, headers: request.headers, body: await request.text() });
    return new Response(null, { status });
  });
  const settings = { ...(env as Env), ALARM_WEBHOOK: `https://alarms.example.com/in ${SECRET}` } as Env;
  await runInDurableObject(env.BRIDGE_POOL.getByName("alarm-webhook"), async (_object, { storage: { sql } }) => {
    const mails = new FleetMails(settings, sql, () => undefined);
    const watch = new FleetWatch({
      env: settings,
      sql,
      times: new StoredTimes(sql, "fleet_time"),
      mails,
      pool: "sam/1",
      rearm: () => undefined,
    });
    const left = () => sql.exec<{ n: number }>("SELECT count(*) AS n FROM fleet_mail WHERE kind = 'alarm_webhook'").one().n;
    const start = Date.now();
    const at = (now: number, closed: number) => {
      const troubles = closed === 0 ? [] : [{ kind: "close", code: "403", total: closed, sessions: closed }];
      watch.reported("one", { type: "load", sessions: 100, rss_mb: 1, cpu: 0, away: 0, troubles });
      watch.run(now);
      mails.run(now);
    };
    at(start, 50);
    await vi.waitFor(() => expect(posted).toHaveLength(1), WAIT);
    expect(left()).toBe(1);
    status = 204;
    at(start + 2 * MINUTE, 50);
    await vi.waitFor(() => expect([posted.length, left()]).toEqual([2, 0]), WAIT);
    at(start + 4 * MINUTE, 0);
    at(start + 15 * MINUTE, 0);
    await vi.waitFor(() => expect([posted.length, left()]).toEqual([3, 0]), WAIT);
  });
  const bodies = posted.map(({ body }) => JSON.parse(body) as { id: string; type: string; data: object });
  expect(bodies.map(({ type }) => type)).toEqual(["alarm.raised", "alarm.raised", "alarm.over"]);
  // A repeated request has the same event, so a receiver recognizes it.
  expect(bodies[1]).toEqual(bodies[0]);
  expect(bodies[0]?.data).toMatchObject({
    alarm: "close 403",
    sessions: 50,
    pool: "sam/1",
    page: `${settingsOf(settings).APP_URL}/admin/fleet`,
    guide: "docs/operate/monitoring.md#alarm-close",
  });
  for (const each of posted) {
    expect(each.url).toBe("https://alarms.example.com/in");
    expect(each.headers.get("webhook-id")).toBe((JSON.parse(each.body) as { id: string }).id);
    expect(each.headers.get("webhook-signature")).toBe(await macOf(each));
  }
});

it("a post is repeated for over an hour, though the pool restarts each minute, because a receiver or a mail server may be down for that long", async () => {
  const posted: number[] = [];
  let minute = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
    posted.push(minute);
    return new Response(null, { status: minute <= 60 ? 503 : 204 });
  });
  const settings = { ...(env as Env), ALARM_WEBHOOK: `https://alarms.example.com/in ${SECRET}` } as Env;
  await runInDurableObject(env.BRIDGE_POOL.getByName("alarm-outage"), async (_object, { storage: { sql } }) => {
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    let attempt = { settled, resolve };
    const start = Date.now();
    new FleetMails(settings, sql, () => undefined).add("alarm_webhook", "", { subject: "one", text: "{}" }, start);
    for (; minute < 180; minute += 1) {
      const now = start + minute * MINUTE;
      // A pool that starts shortens the times that are further ahead than their longest delay.
      expect(new ClockSteps(sql, poolTimeColumns(MINUTE), now).wasSetBack(now)).toBe(false);
      const mails = new FleetMails(settings, sql, () => attempt.resolve());
      if ((mails.nextDue() ?? Number.POSITIVE_INFINITY) > now) continue;
      const { promise, resolve } = Promise.withResolvers<void>();
      attempt = { settled: promise, resolve };
      mails.run(now);
      await attempt.settled;
    }
    expect(posted).toEqual([0, 1, 6, 36, 96]);
    expect(sql.exec("SELECT id FROM fleet_mail").toArray()).toEqual([]);
  });
});

it("a setting without an https address or a whole secret is refused", () => {
  for (const wrong of [`http://a.example/ ${SECRET}`, "https://a.example/", `https://a.example/ ${SECRET.slice(0, -4)}`, SECRET]) {
    expect(() => settingsOf({ ...(env as Env), ALARM_WEBHOOK: wrong } as Env)).toThrow(
      /^bad settings: ALARM_WEBHOOK: an https address, a space/,
    );
  }
});
