// Hostile text from an unknown sender, traced to everywhere it ends up: webhook, APIs, dashboard, email and logs.
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, phones } from "../../support/clients.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { eventually } from "../../support/eventually.ts";
import { pairConnection, type PairedConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";
import { STRANGERS_MESSAGES, STRANGERS_STRINGS } from "../../support/strangers/strings.ts";

const dashboard = useDashboard(["--no-limits"]);
const STRANGER = "5511955560001";
const CHAT = `${STRANGER}@c.us`;
const PATIENT_MS = 60_000;
/** In a log, each would prove that the text leaked. */
const WRITTEN = ["X-Planted", "gpj.exe", "globalThis.planted", "z".repeat(300)];
/** Logged when a string breaks something or causes a retry. */
const BROKEN = /"event":"(\w+\.(failed|unreadable|lost|not_stored|retried)|session\.(event_failed|event_invalid|notify_failed))"/;

let receiver: Receiver;
let victim: PairedConnection;
beforeAll(async () => {
  receiver = await Receiver.start();
  const { ready } = dashboard();
  await phones(ready).create(STRANGER, "Stranger");
  victim = await pairConnection(ready, "5511955560002", { name: "Victim" }, await dashboard().newUser("victim@example.com"));
  await ok(victim.owner.call("PUT", `/connections/${victim.id}/webhook`, { url: receiver.url }), 201);
});
afterAll(() => receiver.stop());

const send = async (body: Record<string, unknown>): Promise<string> =>
  (await ok(phones(dashboard().ready).send(STRANGER, { to: victim.phone, ...body }))).message_id;
const delivered = (id: string) =>
  receiver.waitFor(id, PATIENT_MS, ({ type, data }) => type === "message.received" && data.message_id === id);

/** Paths of texts with a lone surrogate, which many JSON parsers reject. */
function halves(value: unknown, path = ""): string[] {
  if (typeof value === "string") return value.isWellFormed() ? [] : [path];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, each]) => halves(each, `${path}.${key}`));
}

it.for(Object.keys(STRANGERS_STRINGS).flatMap((string) => Object.keys(STRANGERS_MESSAGES).map((where) => [string, where] as const)))(
  "%s as %s are delivered once, and read by every API",
  async ([string, where]) => {
    const id = await send(STRANGERS_MESSAGES[where]!(STRANGERS_STRINGS[string]!));
    const { body } = await delivered(id);
    expect(halves(JSON.parse(body))).toEqual([]);
    const read = await ok(victim.api.get(`/chats/${CHAT}/messages/${id}`));
    expect(halves(read)).toEqual([]);
    const page = await ok(victim.owner.call("GET", `/connections/${victim.id}/chats/${CHAT}/messages?limit=1`));
    expect(halves(page)).toEqual([]);
    const { url } = read.data.media ?? {};
    if (url === undefined) return;
    const stored = (await eventually("the file", PATIENT_MS, async () => {
      return (await victim.api.get(`/chats/${CHAT}/messages/${id}`)).body.data.media.url;
    })) as string;
    const { status, headers } = await fetch(stored);
    expect(status).toBe(200);
    expect(headers.get("x-planted")).toBeNull();
    expect(headers.get("content-disposition") ?? "").toMatch(/^[\x20-\x7e]*$/);
  },
);

it.for(Object.entries(STRANGERS_STRINGS))("%s as names of people and groups are reported, and read by every API", async ([, text]) => {
  const network = phones(dashboard().ready);
  await ok(network.call("PATCH", `/phones/${STRANGER}`, { name: text, about: text }));
  const { body } = await delivered(await send({ text: "by somebody with such a name" }));
  expect(halves(JSON.parse(body))).toEqual([]);
  const group = await ok(network.call("POST", `/phones/${STRANGER}/groups`, { subject: "Group", participants: [victim.phone] }), 201);
  const groupId = group.data?.group_id ?? group.data?.chat_id ?? group.group_id;
  await ok(network.call("POST", `/phones/${STRANGER}/groups/${groupId}/subject`, { subject: text }));
  await ok(network.call("POST", `/phones/${STRANGER}/groups/${groupId}/description`, { description: text }));
  await delivered(await send({ text: "after the group" }));
  for (const path of [`/contacts/${CHAT}`, "/contacts", "/chats", `/groups/${groupId}`, "/groups"]) {
    const { status, body: answer } = await victim.api.get(path);
    expect([path, status, halves(answer)], JSON.stringify(answer).slice(0, 300)).toEqual([path, 200, []]);
  }
});

it("a dashboard shows strangers' strings as text", async () => {
  const { page } = await dashboard().visit(`/connections/${victim.id}/chats`, { as: "victim@example.com" });
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.goto(`/connections/${victim.id}/chats/${CHAT}`);
  await page.getByRole("article").filter({ hasText: "after the group" }).last().waitFor();
  await page.goto(`/connections/${victim.id}/deliveries`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await page.evaluate(() => "planted" in globalThis)).toBe(false);
});

it("every delivery succeeded at the first attempt, with no string in a header, an email subject or a log", async () => {
  const ids = receiver.events<{ data?: { message_id?: string }; type?: string }>().map(({ type, data }) => `${type} ${data?.message_id}`);
  const messages = ids.filter((id) => id.startsWith("message.received"));
  expect(messages.length).toBe(new Set(messages).size);
  const deliveries = await ok(victim.owner.call("GET", `/connections/${victim.id}/webhook/deliveries?limit=100`));
  for (const { id, status, attempts } of deliveries.data) expect([id, status, attempts]).toEqual([id, "delivered", 1]);
  const { headers } = receiver.received.at(-1)!;
  expect(Object.keys(headers)).not.toContain("x-planted");
  const mails = (await ask<{ data: { subject: string; text: string }[] }>(`${dashboard().url}/sandbox/mail`)).body.data;
  expect(mails.length, "the owner was invited by mail").toBeGreaterThan(0);
  for (const { subject } of mails) expect(subject).toMatch(/^\P{Cc}+$/u);
  const logs = dashboard().logs();
  for (const line of logs.trim().split("\n")) {
    expect(line).not.toMatch(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
    expect(line).not.toMatch(BROKEN);
    expect(line, "an answer of 500 and more").not.toMatch(/"status":5\d\d/);
    JSON.parse(line);
  }
  for (const text of WRITTEN) expect([text, logs.includes(text), JSON.stringify(mails).includes(text)]).toEqual([text, false, false]);
});
