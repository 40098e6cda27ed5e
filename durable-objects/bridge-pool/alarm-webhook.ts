// Alarms as Standard Webhooks for an operator's own tools (docs/operate/monitoring.md, "Alarms by webhook").
import { type Alarm, guideOf, nameOf } from "@gateway/domain/fleet/alarms.ts";
import { STANDARD_WEBHOOKS } from "@gateway/domain/webhooks/signature.ts";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { type Env, settingsOf } from "#root/src/env.ts";

const TIMEOUT_MS = 10_000;

export type AlarmEvent = { id: string; body: string };

export function alarmEvent(env: Env, type: "alarm.raised" | "alarm.over", alarm: Alarm, pool: string, now: number): AlarmEvent {
  const { kind, code, sessions, raisedAt } = alarm;
  const id = `msg_${crypto.randomUUID()}`;
  const data = {
    alarm: nameOf(alarm),
    kind,
    code,
    sessions,
    pool,
    raised_at: new Date(raisedAt).toISOString(),
    page: `${settingsOf(env).APP_URL}/admin/fleet`,
    guide: guideOf(alarm),
  };
  return { id, body: JSON.stringify({ id, type, timestamp: new Date(now).toISOString(), data }) };
}

/** Throws unless the receiver accepts the event. */
export async function postAlarm(env: Env, { id, body }: AlarmEvent): Promise<void> {
  const receiver = settingsOf(env).ALARM_WEBHOOK;
  if (receiver === null) return;
  const timestamp = Math.floor(Date.now() / 1_000);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new Uint8Array(STANDARD_WEBHOOKS.keyOf(receiver.secret)), algorithm, false, ["sign"]);
  const signed = new Uint8Array(utf8ToBytes(STANDARD_WEBHOOKS.preamble(id, timestamp) + body));
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed));
  const response = await fetch(receiver.url, {
    method: "POST",
    headers: { "content-type": "application/json", ...STANDARD_WEBHOOKS.headers(id, timestamp, [mac]) },
    body,
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the alarm webhook answered ${response.status}`);
}
