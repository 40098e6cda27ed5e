// An administrator suspends an account in full use: every credential, stream, session and delivery ends within a second of the response,
// and lifting the suspension restores all of them.
import { setImmediate as immediate, setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AccountCalls, accountCalls } from "../../support/account-holder.ts";
import { ask, customer, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { administrator, inviteUser, type InvitedUser } from "../../support/invited-user.ts";
import { freshPhone } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";
import { expectAtMost } from "../../support/promised-times.ts";

const WITHIN_MS = 60_000;
/** Promised time from the response until everything has ended. */
const BINDS_IN_MS = 1_000;

let [store, otherStore, bia] = ["", "", ""];
let sandbox: SharedSandbox;
let network: ReturnType<typeof phones>;
let receiver: Receiver;
let admin: AccountCalls;
let owner: InvitedUser;
let bearer: AccountCalls;
let keyOfAccount: AccountCalls;

beforeEach(async () => {
  [sandbox, receiver] = await Promise.all([borrowSandbox(), Receiver.start()]);
  network = phones(sandbox.ready());
  [store, otherStore, bia] = [freshPhone(), freshPhone(), freshPhone()];
  for (const [phone, name] of Object.entries({ [store]: "Store", [otherStore]: "Other", [bia]: "Bia" })) await network.create(phone, name);
  admin = await administrator(sandbox.ready());
  owner = await inviteUser(sandbox.ready(), admin, `${crypto.randomUUID()}@example.com`);
  bearer = accountCalls(sandbox.ready(), { authorization: `Bearer ${owner.token}` });
  const key = (await ok(bearer("POST", "/api-keys", { name: "Journey" }), 201)).data.key as string;
  keyOfAccount = accountCalls(sandbox.ready(), { "x-api-key": key });
});
afterEach(async () => {
  await sandbox.dispose();
  await receiver.stop();
});

const dashboard = (path: string) => `${sandbox.ready().app_url}/api/dashboard${path}`;
const inBrowser = (path: string) => ask(dashboard(path), { headers: { cookie: owner.cookie } });
const online = async (phone: string): Promise<boolean> =>
  (await network.call("GET", `/phones/${phone}`)).body.data.devices.some((device: { online: boolean }) => device.online);
const statusOf = async (id: string): Promise<string> => (await ok(keyOfAccount("GET", `/instances/${id}/status`))).data.status;

/** An instance of the owner, paired with this phone. */
async function paired(phone: string): Promise<string> {
  const { id } = (await ok(keyOfAccount("POST", "/instances", { name: phone }), 201)).data;
  const qr = await eventually("a QR", WITHIN_MS, async () => {
    const answer = await keyOfAccount("GET", `/instances/${id}/qr`);
    return answer.status === 200 && (answer.body.raw as string);
  });
  await ok(network.call("POST", `/phones/${phone}/scan`, { qr }));
  await eventually("connected", WITHIN_MS, async () => (await statusOf(id)) === "connected");
  return id;
}

/** An open stream; `hasEnded` is true once this process has seen it end. */
async function openStream(url: string, headers: Record<string, string>): Promise<{ hasEnded: () => Promise<boolean> }> {
  const answer = await fetch(url, { headers });
  expect([url, answer.status, answer.headers.get("content-type")]).toEqual([url, 200, "text/event-stream"]);
  const reader = answer.body!.getReader();
  await reader.read();
  let ended = false;
  const untilItEnds = async () => {
    while (!(await reader.read().catch(() => ({ done: true }))).done);
    ended = true;
  };
  void untilItEnds();
  return { hasEnded: () => whatHasCome(() => ended) };
}

/** Evaluates `said` after all input received so far has been processed. */
async function whatHasCome(said: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < 3; turn += 1) await immediate();
  return said();
}

/**
 * Start time of the last poll that returned false; polls run continuously. A poll delayed by this machine may see a change that happened
 * long before, so it proves nothing.
 */
async function lastNotSo(what: string, isSo: () => Promise<boolean>): Promise<number> {
  let last = 0;
  await eventually(what, WITHIN_MS, async () => {
    const begunAt = performance.now();
    if (await isSo()) return true;
    last = begunAt;
    await pause(5);
    return false;
  });
  return last;
}

it("a suspension takes effect everywhere within a second, and its end restores everything", { timeout: 300_000 }, async () => {
  const [running, stopped] = [await paired(store), await paired(otherStore)];
  await ok(keyOfAccount("POST", `/instances/${stopped}/disconnect`));
  await eventually("disconnected", WITHIN_MS, async () => !(await online(otherStore)));
  const { data: connections } = (await inBrowser("/connections")).body as { data: { id: number; instance_id: string }[] };
  const numeric = connections.find(({ instance_id }) => instance_id === running)?.id;
  const json = JSON.stringify({ name: "journey" });
  const headers = { cookie: owner.cookie, origin: sandbox.ready().app_url, "content-type": "application/json" };
  const made = await ok(ask(dashboard(`/connections/${numeric}/keys`), { method: "POST", headers, body: json }), 201);
  const keyOfConnection = customer(sandbox.ready(), made.data.key as string);
  await ok(keyOfConnection.get("/instance"));
  await ok(bearer("POST", "/webhooks", { url: receiver.url, events: ["message.received"] }), 201);

  // An attempt in progress with a slow receiver.
  let cancelled = false;
  receiver.reply = (_received, response) => void response.on("close", () => (cancelled = true));
  const first = (await ok(network.send(bia, { to: store, text: "before" }))).message_id as string;
  await receiver.waitFor("an attempt", WITHIN_MS, ({ data }) => data.message_id === first);

  const events = `${sandbox.ready().base_url}/api/instances/${running}/events`;
  const ofAccount = await openStream(events, { authorization: `Bearer ${owner.token}` });
  const ofDashboard = await openStream(dashboard(`/connections/${numeric}/stream`), { cookie: owner.cookie });
  const suspended = await admin("POST", `/admin/users/${owner.id}/suspend`, { reason: "Journey" });
  const answeredAt = performance.now();
  expect([suspended.status, suspended.body.data.status]).toEqual([200, "suspended"]);
  const refused = (what: string, call: () => Promise<{ status: number }>) => lastNotSo(what, async () => (await call()).status === 403);
  const bound = await Promise.all(
    Object.entries({
      "stream of the Account API (token)": lastNotSo("end", ofAccount.hasEnded),
      "stream of the dashboard (cookie)": lastNotSo("end", ofDashboard.hasEnded),
      "webhook attempt under way": lastNotSo("cancelled", () => whatHasCome(() => cancelled)),
      "key of the Connection API": refused("403", () => keyOfConnection.get("/instance")),
      "key of the Account API": refused("403", () => keyOfAccount("GET", "/me")),
      "bearer token": refused("403", () => bearer("GET", "/me")),
      "session of the dashboard": refused("403", () => inBrowser("/connections")),
      "session on the bridge, as the network sees it": lastNotSo("offline", async () => !(await online(store))),
    }).map(async ([what, last]) => ({ what, ms: Math.max(0, Math.round((await last) - answeredAt)) })),
  );
  for (const { what, ms } of bound) expectAtMost(`suspended, last seen going on: ${what}`, ms, BINDS_IN_MS);

  // A contact writes in the meantime, and the receiver works again.
  receiver.reply = (_received, response) => response.writeHead(200).end();
  const before = receiver.received.length;
  const second = (await ok(network.send(bia, { to: store, text: "meanwhile" }))).message_id as string;
  await pause(2_000);
  expect(await online(store)).toBe(false);
  expect(receiver.received.length).toBe(before);

  await ok(admin("POST", `/admin/users/${owner.id}/activate`, { reason: "Journey" }));
  const activatedAt = performance.now();
  await eventually("connected without a pairing", WITHIN_MS, async () => (await statusOf(running)) === "connected");
  const connectedMs = Math.round(performance.now() - activatedAt);
  const devices = (await network.call("GET", `/phones/${store}`)).body.data.devices as { device: number; online: boolean }[];
  expect(devices.map(({ device, online }) => [device, online])).toEqual([[1, true]]);
  const ofSecond = (body: Record<string, any>) => body["data"].message_id === second;
  await receiver.waitFor("what was written meanwhile", WITHIN_MS, ofSecond);
  const deliveredMs = Math.round(performance.now() - activatedAt);
  await eventually("the cancelled delivery", WITHIN_MS, () =>
    receiver
      .events<{ data: { message_id: string } }>()
      .slice(before)
      .some(({ data }) => data.message_id === first),
  );
  process.stdout.write(
    `activated: connected again after ${connectedMs} ms, the message written meanwhile delivered after ${deliveredMs} ms\n`,
  );
  expect((await keyOfConnection.get("/instance")).status).toBe(200);
  expect((await bearer("GET", "/me")).status).toBe(200);
  expect((await inBrowser("/connections")).status).toBe(200);
  expect(await statusOf(stopped)).toBe("disconnected");
  expect(await online(otherStore)).toBe(false);

  const mails = async () => (await ask<{ data: { to: string; subject: string }[] }>(`${sandbox.ready().app_url}/sandbox/mail`)).body.data;
  const subjects = async () => (await mails()).filter(({ to }) => to === owner.email).map(({ subject }) => subject.split(" / ")[1]);
  await expect.poll(subjects).toEqual(["Your account is active", "Your account is suspended", "You have an account"]);
  const { data: entries } = await ok(admin("GET", `/admin/audit?target=${owner.id}`));
  expect(
    entries.map(({ action, reason, before, after, outcome }: Record<string, any>) => [action, reason, before, after, outcome]),
  ).toEqual([
    ["activateUser", "Journey", { status: "suspended", removal_at: null }, { status: "active", removal_at: null }, "done"],
    ["suspendUser", "Journey", { status: "active", removal_at: null }, { status: "suspended", removal_at: null }, "done"],
    ["createUser", null, null, expect.objectContaining({ email: owner.email, role: "user" }), "done"],
  ]);
});
