// The bridge's checks before it opens a socket, and its shutdown.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { eventually } from "../../support/eventually.ts";
import { readSettings } from "#root/session-bridge/settings.ts";
import { bridgeSettings, spawnBridge, type BridgeProcess } from "../../support/bridge/bridge-process.ts";
import { openWorld, receivedTexts, sendText, shownTexts, type World } from "../durability/world.ts";

const TIMEOUT_MS = 60_000;

let world: World;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

async function exitOf(bridge: BridgeProcess): Promise<{ code: number | null; lines: string[] }> {
  await once(bridge.child, "close");
  return { code: bridge.child.exitCode, lines: bridge.output().trim().split("\n") };
}

describe("bad settings end with one clear line", () => {
  const good = () => bridgeSettings(world.gateway.url, world);

  it.each([
    ["no gateway", { BRIDGE_GATEWAY_URL: "" }, "BRIDGE_GATEWAY_URL: is not set"],
    ["a gateway elsewhere without TLS", { BRIDGE_GATEWAY_URL: "http://gateway.example.com" }, "BRIDGE_GATEWAY_URL: use https"],
    ["no credential", { BRIDGE_CREDENTIAL: "" }, "BRIDGE_CREDENTIAL: is not set"],
    ["a secret in place of a credential", { BRIDGE_CREDENTIAL: "a secret of at least 32 characters" }, "BRIDGE_CREDENTIAL"],
    ["a word for a number", { BRIDGE_CAPACITY: "many" }, "BRIDGE_CAPACITY: must be a number"],
    ["an unknown network", { BRIDGE_NETWORK: "moon" }, "BRIDGE_NETWORK"],
    ["a local root beside the real network", { BRIDGE_NETWORK: "real" }, "only with BRIDGE_NETWORK=local"],
    ["a local network without its root", { BRIDGE_LOCAL_ROOT: "" }, "BRIDGE_LOCAL_ROOT: needed"],
    ["a certificate that is none", { BRIDGE_LOCAL_CA: "/nowhere/ca.pem" }, "BRIDGE_LOCAL_CA"],
    ["a collector that is no address", { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, "OTEL_EXPORTER_OTLP_ENDPOINT"],
  ])("%s", (_name, change, expected) => {
    const read = readSettings({ ...good(), ...change });
    const problems = read.ok ? "none" : read.problems.join("; ");
    expect(problems).toContain(expected);
    expect(problems).not.toContain(good()["BRIDGE_CREDENTIAL"]);
  });

  it("the process prints the line without the credential", async () => {
    const { code, lines } = await exitOf(spawnBridge({ ...good(), BRIDGE_CAPACITY: "many" }));
    expect([code, lines]).toEqual([2, ["session bridge: bad settings: BRIDGE_CAPACITY: must be a number"]]);
  });

  it("a health port that is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const { code, lines } = await exitOf(spawnBridge({ ...good(), BRIDGE_HEALTH_PORT: String(port) }));
    taken.close();
    expect(code).toBe(2);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("BRIDGE_HEALTH_PORT");
  });
});

describe("an uncaught exception", () => {
  it("does not end the other sessions", async () => {
    const accident = `data:text/javascript,${encodeURIComponent("process.on('SIGUSR2', () => { setImmediate(() => { throw new Error('confi' + 'dential'); }); void Promise.reject(new Error('confi' + 'dential')); });")}`;
    const bridge = await world.startBridge(accident);
    const { connection, phone } = await world.link();
    bridge.child.kill("SIGUSR2");
    await eventually(
      "the accidents in the log",
      TIMEOUT_MS,
      () => bridge.output().includes("bridge.uncaught") && bridge.output().includes("bridge.unhandled"),
    );
    expect(bridge.output()).not.toContain("confidential");
    const friend = await world.newPhone();
    await friend.sendText(`${phone.pn}@c.us`, "still there?");
    await eventually("the message", TIMEOUT_MS, () => receivedTexts(connection).includes("still there?"));
  });
});

describe("receipts", () => {
  it.each([
    [true, undefined],
    [false, "inactive"],
  ])("with always_online %s are of type %s", async (always_online, type) => {
    await world.startBridge();
    const { phone } = await world.link({ always_online });
    const friend = await world.newPhone();
    const receipts: (string | undefined)[] = [];
    const receive = world.network.receive.bind(world.network);
    world.network.receive = (from, stanza) => {
      const { to = "", type: kind } = stanza.attrs;
      if (stanza.tag === "receipt" && from.account.pn === phone.pn && from.id === 1 && world.network.directory.find(to)?.pn === friend.pn)
        receipts.push(kind);
      receive(from, stanza);
    };
    await friend.sendText(`${phone.pn}@c.us`, "hello");
    await eventually("its receipt", TIMEOUT_MS, () => receipts.length > 0);
    world.network.receive = receive;
    expect(receipts).toEqual([type]);
  });
});

describe("the bridge's credential", () => {
  it("is not in the environment of programs that the bridge starts, and neither is the collector's", async () => {
    const child = `data:text/javascript,${encodeURIComponent("import { execFileSync } from 'node:child_process'; process.on('SIGUSR2', () => process.stdout.write(`child: ${execFileSync(process.execPath, ['-p', 'Object.keys(process.env).join()'])}`));")}`;
    const settings = { ...bridgeSettings(world.gateway.url, world), OTEL_EXPORTER_OTLP_HEADERS: "authorization=collector" };
    const bridge = spawnBridge(settings, child);
    await eventually("the bridge to run", TIMEOUT_MS, () => bridge.output().includes("bridge.started"));
    bridge.child.kill("SIGUSR2");
    const names = await eventually("the child's word", TIMEOUT_MS, () => /^child: (.*)\n/m.exec(bridge.output())?.[1]);
    expect(names.split(",")).toContain("BRIDGE_GATEWAY_URL");
    expect(names.split(",")).not.toContain("BRIDGE_CREDENTIAL");
    expect(names.split(",")).not.toContain("OTEL_EXPORTER_OTLP_HEADERS");
    await bridge.kill();
  });

  it("makes a replaced bridge leave its sessions to the other process for a minute, and report that", async () => {
    const before = world.gateway.bridges;
    const bridge = spawnBridge(bridgeSettings(world.gateway.url, world));
    await eventually("it to have dialled in", TIMEOUT_MS, () => world.gateway.bridges > before);
    world.gateway.replaceBridge();
    const waited = await eventually("its word", TIMEOUT_MS, () => /"wait_ms":(\d+),"event":"pool.replaced"/.exec(bridge.output())?.[1]);
    expect(Number(waited)).toBeGreaterThanOrEqual(60_000);
    expect(await bridge.terminate()).toBe(0);
    expect(bridge.output().match(/pool.connected/g)).toHaveLength(1);
  });
});

describe("the folder of a bridge's temporary files", () => {
  it("is removed when it ends, or by the next one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "bridges-"));
    const start = async (): Promise<[BridgeProcess, string]> => {
      const bridge = spawnBridge({ ...bridgeSettings(world.gateway.url, world), TMPDIR: folder });
      await eventually("it to be started", TIMEOUT_MS, () => bridge.output().includes("bridge.started"));
      const own = (await readdir(folder)).find((name) => name.startsWith(`gateway-media-${bridge.child.pid}-`));
      return [bridge, join(folder, own ?? "no folder")];
    };
    const [first, left] = await start();
    await first.kill();
    await writeFile(join(left, "document3EB0-enc"), "bytes");
    const [second, own] = await start();
    expect(await readdir(folder)).toEqual([basename(own)]);
    expect(await second.terminate()).toBe(0);
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });
});

describe("a bridge on SIGTERM", () => {
  it("exits even if nobody reads its log any more", async () => {
    const bridge = spawnBridge({ ...bridgeSettings(world.gateway.url, world), BRIDGE_LOG_LEVEL: "debug" });
    await eventually("the bridge runs", TIMEOUT_MS, () => bridge.output().includes("bridge.started"));
    bridge.child.stdout?.destroy();
    bridge.child.stderr?.destroy();
    expect(await bridge.terminate()).toBe(0);
  });

  it("releases its sessions without unlinking them, within seconds", async () => {
    const bridge = await world.startBridge();
    const { connection, phone } = await world.link();
    const friend = await world.newPhone();
    await sendText(connection, friend, "before");
    await eventually("the message at the friend", TIMEOUT_MS, () => shownTexts(friend).includes("before"));
    expect(await bridge.terminate()).toBe(0);
    expect(world.gateway.controlFrames.map(({ type }) => type)).toContain("draining");
    expect(world.network.directory.account(phone.pn)?.devices.size).toBe(2);

    await world.startBridge();
    world.gateway.place(connection);
    await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length === 2);
    await friend.sendText(`${phone.pn}@c.us`, "after");
    await eventually("the message", TIMEOUT_MS, () => receivedTexts(connection).includes("after"));
  });
});

describe("the bridge's log", () => {
  it("contains no text, no number, no key and nothing of libsignal", async () => {
    const bridge = await world.startBridge();
    const { connection, phone } = await world.link();
    const friend = await world.newPhone();
    for (let at = 0; at < 10; at += 1) {
      await sendText(connection, friend, `confidential ${at}`);
      await friend.sendText(`${phone.pn}@c.us`, `confidential ${at}`);
    }
    await friend.loseSessionsWith(phone.pn);
    await friend.sendText(`${phone.pn}@c.us`, "confidential, in a new session");
    await eventually("all at the connection", TIMEOUT_MS, () => receivedTexts(connection).includes("confidential, in a new session"));
    // The last line may be incomplete.
    const output = bridge.output().replace(/[^\n]*$/, "");
    expect(output).toContain("network.open");
    for (const secret of ["confidential", friend.pn, "privKey", "Closing session", "SessionEntry", "advSecretKey"])
      expect(output).not.toContain(secret);
    for (const line of output.trim().split("\n")) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });
});
