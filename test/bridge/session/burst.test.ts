// The pool assigns a bridge all its sessions at once, as it does after another bridge dies.
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bridge } from "#root/session-bridge/bridge.ts";
import { INSTANCE_LIMITS } from "@gateway/domain/instance/state.ts";
import { BRIDGE_CREDENTIAL, FakeGateway } from "../../support/bridge/fake-gateway.ts";
import { eventually } from "../../support/eventually.ts";
import { bestOfThree } from "../../support/promised-times.ts";
import { simulatedSettings } from "../../support/fleet/simulated-settings.ts";
import { simulatedNetwork } from "../../support/fleet/simulated-network.ts";

const SESSIONS = 150;

let gateway: FakeGateway;
let bridge: Bridge;
const opened: string[] = [];

beforeAll(async () => {
  gateway = await new FakeGateway().start();
  const settings = simulatedSettings({ gatewayUrl: gateway.url, id: "bridge", credential: BRIDGE_CREDENTIAL, capacity: 3 * SESSIONS });
  const network = simulatedNetwork({ opened: (connection) => void opened.push(connection), redialled: () => undefined });
  bridge = new Bridge(settings, pino({ level: "silent" }), network, () => undefined);
  bridge.start();
  await eventually("the bridge's hello", 60_000, () => gateway.bridges === 1);
});
afterAll(async () => {
  await bridge.drain();
  await gateway.stop();
});

describe("150 sessions placed within one turn", () => {
  it("have all dialled and loaded before their objects would look for another bridge, each once", async () => {
    await bestOfThree("all open", INSTANCE_LIMITS.dialMs / 2, async () => {
      const before = opened.length;
      const from = performance.now();
      for (let n = 0; n < SESSIONS; n += 1) gateway.place(gateway.connection());
      await eventually("all are open", 60_000, () => opened.length === before + SESSIONS);
      return performance.now() - from;
    });
    expect(new Set(opened).size).toBe(opened.length);
    expect(bridge.health()).toMatchObject({ sessions: opened.length, connected: opened.length, pool_connected: true });
  });
});
