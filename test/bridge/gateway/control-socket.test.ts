// A bridge's heartbeats to the pool, and its repeated load reports (docs/internals/bridges.md, "Bridges, leases and generations").
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ControlSocket, type Load } from "#root/session-bridge/gateway/control-socket.ts";
import { LOAD_REPEAT_MS, LOAD_REPORT_INTERVAL_MS } from "@gateway/protocol/bridge-socket.ts";
import { BRIDGE_CREDENTIAL, FakeGateway } from "../../support/bridge/fake-gateway.ts";
import { eventually } from "../../support/eventually.ts";

const WAIT_MS = 60_000;
let gateway: FakeGateway;
let socket: ControlSocket;
let load: Load;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  gateway = await new FakeGateway().start();
  load = { type: "load", sessions: 100, rss_mb: 400, cpu: 0.1, away: 0, troubles: [{ kind: "close", code: "405", total: 9, sessions: 9 }] };
  const ignore = (): void => undefined;
  socket = new ControlSocket({
    gatewayUrl: new URL(gateway.url),
    credential: BRIDGE_CREDENTIAL,
    pool: null,
    hello: () => ({ type: "hello", bridge_id: "bridge", network: "local", capacity: 150, sessions: [], pings: true }),
    load: () => load,
    received: ignore,
    rejected: ignore,
    credentialDead: ignore,
    connected: ignore,
    replaced: ignore,
  });
});
afterEach(async () => {
  socket.close();
  await gateway.stop();
  vi.useRealTimers();
});

const loads = (): number => gateway.controlFrames.filter(({ type }) => type === "load").length;

/** Advances five seconds, and waits for the bridge's frame. `sign` counts pings or loads. */
async function pass(sign: () => number): Promise<void> {
  const before = sign();
  vi.advanceTimersByTime(LOAD_REPORT_INTERVAL_MS);
  await eventually("a sign of life", WAIT_MS, () => sign() > before || undefined);
}

async function connected(): Promise<void> {
  socket.dial();
  await eventually("the first load", WAIT_MS, () => loads() === 1 || undefined);
}

it("the control socket pings, and repeats its load once a minute and after a change of a tenth", async () => {
  gateway.countsPings = true;
  await connected();
  // The response to the hello arrived before this.
  await pass(() => gateway.pings + loads());
  const first = loads();
  for (let passed = LOAD_REPORT_INTERVAL_MS; passed < LOAD_REPEAT_MS - LOAD_REPORT_INTERVAL_MS; passed += LOAD_REPORT_INTERVAL_MS) {
    load = { ...load, rss_mb: load.rss_mb + 1, cpu: 0.15, sessions: 101 };
    await pass(() => gateway.pings);
  }
  expect(loads(), "a small change of the load is not reported").toBe(first);
  for (let passed = 0; passed <= LOAD_REPORT_INTERVAL_MS; passed += LOAD_REPORT_INTERVAL_MS) await pass(() => gateway.pings);
  expect(loads()).toBe(first + 1);
  load = { ...load, sessions: 120 };
  await pass(() => gateway.pings);
  load = { ...load, troubles: [{ kind: "close", code: "405", total: 20, sessions: 20 }] };
  await pass(() => gateway.pings);
  expect(loads()).toBe(first + 3);
});

it("the control socket reports its load every five seconds until the pool confirms that it counts pings", async () => {
  await connected();
  for (let n = 0; n < 4; n++) await pass(loads);
  expect([loads(), gateway.pings]).toEqual([5, 0]);
});
