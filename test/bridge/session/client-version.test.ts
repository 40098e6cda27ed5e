// A bridge's announced client version, and its reaction when the network no longer accepts it (docs/operate/bridges.md, "Client version").
import pino from "pino";
import { DEFAULT_CONNECTION_CONFIG, type WAVersion } from "baileys";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ClientVersion, NOTHING_SET } from "#root/session-bridge/networks/baileys/socket/client-version.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { eventually } from "../../support/eventually.ts";
import { openWorld, receivedTexts, type World } from "../durability/world.ts";

const TIMEOUT_MS = 60_000;
const LIBRARY: WAVersion = [2, 3000, 100];
const served = (revision: number) => async (): Promise<WAVersion> => [2, 3000, revision];
const versions = (fallback = NOTHING_SET) => new ClientVersion(fallback, pino({ level: "silent" }), LIBRARY);

describe("the announced version", () => {
  it("is the library's, or a newer one that is served, and never goes back", async () => {
    const version = versions();
    expect(version.announced()).toEqual({ version: "2.3000.100", source: "library" });
    await version.lookUp(served(99), 0);
    expect(version.announced().source).toBe("library");
    await version.lookUp(served(300), HOUR_MS);
    await version.lookUp(served(200), 2 * HOUR_MS);
    expect(version.announced()).toEqual({ version: "2.3000.300", source: "served" });
  });

  it("is looked up once an hour, for all callers", async () => {
    const version = versions();
    let asked = 0;
    const count = () => {
      asked += 1;
      return served(1)();
    };
    await Promise.all([version.lookUp(count, 0), version.lookUp(count, 1)]);
    await version.lookUp(count, HOUR_MS - 1);
    expect(asked).toBe(1);
    await version.lookUp(count, HOUR_MS);
    expect(asked).toBe(2);
    // Each refused version causes one more look-up.
    version.doubt(version.current);
    await version.lookUp(count, HOUR_MS + 1);
    version.doubt(version.current);
    await version.lookUp(count, HOUR_MS + 2);
    expect(asked).toBe(3);
  });

  it("is looked up again after a minute if the last look-up failed", async () => {
    const version = versions();
    await version.lookUp(async () => null, 0);
    await version.lookUp(served(300), MINUTE_MS - 1);
    expect(version.announced().source).toBe("library");
    await version.lookUp(served(300), MINUTE_MS);
    expect(version.announced()).toEqual({ version: "2.3000.300", source: "served" });
  });

  it("is capped or set by the operator", async () => {
    const version = versions({ version: null, max: "2.3000.250" });
    await version.lookUp(served(300), 0);
    expect(version.announced().source).toBe("library");
    version.set({ version: null, max: "2.3000.300" });
    expect(version.announced()).toEqual({ version: "2.3000.300", source: "served" });
    version.set({ version: "2.3000.7", max: null });
    expect(version.announced()).toEqual({ version: "2.3000.7", source: "set" });
    // The looked-up version is still reported.
    expect(version.served()).toBe("2.3000.300");
    version.set(NOTHING_SET);
    expect(version.announced().source).toBe("library");
  });
});

describe("a bridge on a network that refuses old versions", () => {
  let world: World;
  const newer = (by: number): string => {
    const [primary, secondary, tertiary] = DEFAULT_CONNECTION_CONFIG.version;
    return [primary, secondary, tertiary + by].join(".");
  };

  beforeAll(async () => {
    world = await openWorld();
  });
  afterEach(() => {
    Object.assign(world.network.access, { minVersion: null, stale: "refused", servedVersion: null });
  });
  afterAll(() => world.close());

  it("links with the served version, because QR codes of an older one cannot be used", async () => {
    Object.assign(world.network.access, { minVersion: newer(1), stale: "unlinkable" });
    await world.startBridge();
    const { connection } = await world.link();
    expect(connection.of("session.closed").map(({ code }) => code)).toEqual([515]);
  });

  it("is refused with 405 when the minimum version rises, looks the version up and reconnects by itself", async () => {
    await world.startBridge();
    const { connection, phone } = await world.link();
    const asked = world.network.access.lookedUp;
    world.network.access.minVersion = newer(2);
    world.network.faults.add({ phone: phone.pn, kind: "drop_socket" });
    await connection.saw("session.closed", ({ code, waits }) => code === 405 && waits === true);
    await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length === 2);
    expect(world.network.access.lookedUp).toBe(asked + 1);
    const friend = await world.newPhone();
    await friend.sendText(`${phone.pn}@c.us`, "with the new version");
    await eventually("the message", TIMEOUT_MS, () => receivedTexts(connection).includes("with the new version"));
  });

  it("tries the served version, and keeps the session while that is refused as well", async () => {
    const bridge = await world.startBridge();
    const { connection, phone } = await world.link();
    Object.assign(world.network.access, { minVersion: newer(9), servedVersion: newer(3) });
    world.network.faults.add({ phone: phone.pn, kind: "drop_socket" });
    // The version the server advertises is tried too.
    await eventually("two refusals", TIMEOUT_MS, () => connection.of("session.closed").filter(({ code }) => code === 405).length === 2);
    expect(connection.socket).not.toBeNull();
    expect(connection.rowsOf("creds")).toHaveLength(1);
    expect(connection.of("session.reconnecting")).toHaveLength(1);
    await eventually("the log line", TIMEOUT_MS, () => bridge.output().includes("version.changed"));
  });
});
