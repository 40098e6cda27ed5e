// Sessions move between working bridges under load: all sessions of a drained bridge, then single ones.
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { type AccountCalls, accountCalls } from "../../support/account-holder.ts";
import { ask, person, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { Receiver } from "../../support/receiver.ts";
import { type ExtraBridge, startExtraBridge } from "../../support/bridge/extra-bridge.ts";
import { promised, type Sandbox, startSandbox } from "../../support/sandbox.ts";
import { useStory } from "../../support/runner/story.ts";
import { line, type Party, startTraffic, type Traffic, type TrafficResult } from "./load/two-way-traffic.ts";

const SESSIONS = 50;
const PAIRING_CONCURRENCY = 8;
const WITHIN_MS = 120_000;
const STEADY_MS = 2_000;

let sandbox: Sandbox;
let receiver: Receiver;
let extra: ExtraBridge | null;
let admin: AccountCalls;
let traffic: Traffic | null;
/** The demo number comes first. */
let parties: Party[];

const step = useStory(open, close);

async function open(): Promise<void> {
  [extra, traffic, parties] = [null, null, []];
  [sandbox, receiver] = await Promise.all([startSandbox(["--no-limits"]), Receiver.start("any")]);
  const ready = sandbox.ready();
  const { body } = await ask<{ access_token: string }>(`${ready.app_url}/sandbox/token`, { json: { email: ready.admin.email } });
  admin = accountCalls(ready, { authorization: `Bearer ${body.access_token}` });
  const { phone, api_key: key } = ready.demo.connection;
  parties.push({ phone: phone ?? "", key });
  for (let n = 1; n < SESSIONS; n += PAIRING_CONCURRENCY) {
    const next = Array.from({ length: Math.min(PAIRING_CONCURRENCY, SESSIONS - n) }, (_, at) => n + at);
    parties.push(...(await Promise.all(next.map(pair))));
  }
  await phones(ready).call("PATCH", `/phones/${contactPhone()}`, { reply: null });
  const account = accountCalls(ready, { "x-api-key": ready.demo.api_key });
  const hook = await account("POST", "/webhooks", { url: receiver.url, events: ["message.received"] });
  expect(hook.status).toBe(201);
  extra = await startExtraBridge(sandbox);
}

async function close(): Promise<void> {
  await traffic?.stop();
  await extra?.stop();
  await Promise.all([sandbox.dispose(), receiver.stop()]);
}

const contactPhone = () => sandbox.ready().demo.contact?.phone ?? "";

async function pair(n: number): Promise<Party> {
  const ready = sandbox.ready();
  const owner = await person(ready);
  const phone = `55119300${String(n).padStart(5, "0")}`;
  await phones(ready).create(phone, `Number ${n}`);
  const { body } = await owner.call("POST", "/connections", { name: `Number ${n}` });
  const path = `/connections/${body.data.id}`;
  const key = (await owner.call("POST", `${path}/keys`, { name: "test" })).body.data.key as string;
  await owner.call("POST", `${path}/connect`);
  const qr = await eventually("a QR", WITHIN_MS, async () => {
    const answer = await owner.call("GET", `${path}/qr`);
    return answer.status === 200 && (answer.body.data.raw as string);
  });
  await phones(ready).call("POST", `/phones/${phone}/scan`, { qr });
  await eventually("connected", WITHIN_MS, async () => (await owner.call("GET", path)).body.data.status === "connected");
  return { phone, key };
}

type BridgeRow = { id: string; sessions: number; draining: boolean; connected: boolean; started_at: string };

async function bridge(id: string): Promise<BridgeRow | undefined> {
  const { status, body } = await admin("GET", "/admin/bridges");
  expect(status).toBe(200);
  return (body.data as BridgeRow[]).find((row) => row.id === id);
}

/** Nothing lost or duplicated, and every response matches its send's outcome; on a slow machine some may say "later". */
function expectWhole(result: TrafficResult): void {
  expect(result.lost).toEqual([]);
  expect(result.doubled).toEqual([]);
  expect(result.wrong).toEqual([]);
  const spared = Math.floor((promised(1, sandbox) - 1) * 0.02 * result.sent);
  expect(result.notOk.slice(spared), `of ${result.sent}`).toEqual([]);
}

it(
  "a drained bridge loses and duplicates nothing, and its process accepts sessions again after a restart",
  step(async () => {
    const own = await bridge("sandbox");
    expect(own).toMatchObject({ sessions: SESSIONS, draining: false });
    traffic = startTraffic(sandbox, parties, contactPhone(), receiver, "drain");
    await pause(STEADY_MS);
    const startedAt = performance.now();
    const drain = await admin("POST", "/admin/bridges/sandbox/drain", { reason: "new image" });
    expect([drain.status, drain.body]).toEqual([200, { message: "The bridge gives its sessions away, and ends." }]);
    await eventually("all sessions have moved", WITHIN_MS, async () => (await extra?.sessions()) === SESSIONS);
    const tookMs = performance.now() - startedAt;
    await pause(STEADY_MS);
    const result = await traffic.stop();
    process.stdout.write(line(`drain of ${SESSIONS} sessions in ${Math.round(tookMs)} ms`, result));
    expectWhole(result);

    const again = await eventually("the bridge was started again", WITHIN_MS, async () => {
      const row = await bridge("sandbox");
      return row !== undefined && row.connected && row.started_at !== own?.started_at && row;
    });
    expect(again).toMatchObject({ draining: false, sessions: 0 });
    expect(await bridge("extra")).toMatchObject({ sessions: SESSIONS });
  }),
);

it(
  "single moves lose and duplicate nothing, and every send during them succeeds",
  step(async () => {
    const { instance_id: id } = sandbox.ready().demo.connection;
    const [demo] = parties;
    if (demo === undefined) throw new Error("the demo number takes part");
    traffic = startTraffic(sandbox, [demo], contactPhone(), receiver, "move");
    await pause(STEADY_MS);
    for (const to of ["sandbox", "extra"]) {
      const startedAt = performance.now();
      const moved = await admin("POST", `/admin/instances/${id}/move`, { bridge_id: to });
      expect([moved.status, moved.body]).toEqual([200, { message: `The instance is on the bridge ${to}.` }]);
      process.stdout.write(`moved to ${to} in ${Math.round(performance.now() - startedAt)} ms\n`);
      await pause(STEADY_MS);
    }
    const result = await traffic.stop();
    process.stdout.write(line("two moves", result));
    expectWhole(result);
    const listed = await eventually("the list shows its bridge", WITHIN_MS, async () => {
      const { body } = await admin("GET", "/admin/instances?bridge_id=extra&limit=200");
      return (body.data as { id: string; status: string }[]).find((row) => row.id === id && row.status === "connected");
    });
    expect(listed).toMatchObject({ bridge_id: "extra", owner: { email: sandbox.ready().demo.email } });
  }),
);
