// A session that ends by itself, for example because nobody scanned its QR codes, leaves nothing behind in the bridge.
import pino from "pino";
import { expect, it } from "vitest";
import { Bridge } from "#root/session-bridge/bridge.ts";
import type { DriverDependencies, NetworkDriver, NetworkLibrary } from "#root/session-bridge/networks/network.ts";
import { readSettings } from "#root/session-bridge/settings.ts";
import { createAuthority } from "#root/test-network/security/tls.ts";
import { bridgeSettings } from "../../support/bridge/bridge-process.ts";
import { eventually } from "../../support/eventually.ts";
import { FakeGateway } from "../../support/bridge/fake-gateway.ts";

const WITHIN_MS = 60_000;
const NOWHERE = { wsUrl: "ws://127.0.0.1:1", rootPublicKey: "00".repeat(32), mediaHost: "127.0.0.1:1" };

it("a session that ends by itself has its driver stopped, with the device left linked", async () => {
  const gateway = await new FakeGateway().start();
  const { caPem } = await createAuthority();
  const read = readSettings(bridgeSettings(gateway.url, { ...NOWHERE, caPem }));
  if (!read.ok) throw new Error(read.problems.join());
  const stopped: boolean[] = [];
  const createDriver = ({ finished }: DriverDependencies): NetworkDriver => ({
    open: false,
    paired: false,
    journalEntries: 0,
    start: finished,
    disconnect: () => undefined,
    settingsChanged: () => undefined,
    stop: async (logout) => void stopped.push(logout),
    sendsEnded: () => Promise.resolve(),
    command: () => Promise.reject(new Error("no command is expected")),
  });
  const library: NetworkLibrary = {
    rows: { encode: () => [], decode: () => null },
    createDriver,
    clientVersion: { set: () => undefined, announced: () => ({ version: "2.3000.1", source: "library" }), served: () => null },
    checkProxy: () => Promise.reject(new Error("no check is expected")),
  };
  const bridge = new Bridge(read.settings, pino({ level: "silent" }), library, () => undefined);
  bridge.start();
  try {
    gateway.place(gateway.connection());
    await eventually("the driver to be stopped", WITHIN_MS, () => stopped.length > 0);
    expect(stopped).toEqual([false]);
    await eventually("the session to be gone", WITHIN_MS, () => bridge.health().sessions === 0);
  } finally {
    await bridge.drain();
    await gateway.stop();
  }
});
