// A bridge's `GET /metrics`: values follow events, and no label identifies a customer.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "#root/server/ports.ts";
import { bridgeSettings, spawnBridge, type BridgeProcess } from "../../support/bridge/bridge-process.ts";
import { eventually } from "../../support/eventually.ts";
import { openWorld, sendText, type World } from "../durability/world.ts";

const TIMEOUT_MS = 60_000;

let world: World;
let bridge: BridgeProcess;
let page: string;

beforeAll(async () => {
  world = await openWorld();
  const port = await freePort(0);
  page = `http://127.0.0.1:${port}/metrics`;
  bridge = spawnBridge({ ...bridgeSettings(world.gateway.url, world), BRIDGE_HEALTH_PORT: String(port) });
  await eventually("the bridge to dial in", TIMEOUT_MS, () => world.gateway.bridges === 1);
});
afterAll(async () => {
  await bridge.kill();
  await world.close();
});

/** The page's samples keyed by name and labels, as written. */
async function scrape(): Promise<Map<string, number>> {
  const response = await fetch(page);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const lines = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      expect(line).toMatch(/^[a-z_]+(\{([a-z]+="[^"\\]*",?)+\})? -?[\d.e+-]+$/);
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

const reached = (name: string, value: number) =>
  eventually(`${name} to be ${value}`, TIMEOUT_MS, async () => ((await scrape()).get(name) === value ? true : null));

it("the metrics move with sessions, sends, received messages, files, commits and closed sockets", async () => {
  const idle = await scrape();
  expect(idle.get('gateway_bridge_sessions{state="open"}')).toBe(0);
  expect(idle.get("gateway_bridge_pool_connected")).toBe(1);
  expect(idle.get("gateway_bridge_capacity")).toBe(150);

  const startedAt = performance.now();
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  await reached('gateway_bridge_sessions{state="open"}', 1);

  await sendText(connection, friend, "one");
  await reached('gateway_bridge_sends_total{outcome="acknowledged",code=""}', 1);
  world.network.faults.add({ phone: phone.pn, kind: "refuse_send", code: 463 });
  await sendText(connection, friend, "two");
  await reached('gateway_bridge_sends_total{outcome="refused",code="temporarily_blocked"}', 1);
  await reached('gateway_bridge_troubles_total{kind="ack",code="463"}', 1);

  await friend.sendText(`${phone.pn}@c.us`, "three");
  const file = { bytes: Buffer.alloc(5_000, 7), mimetype: "application/pdf", filename: "a.pdf" };
  await friend.send(`${phone.pn}@c.us`, { type: "document", file, caption: null });
  await reached('gateway_bridge_received_messages_total{origin="live"}', 2);
  await reached('gateway_bridge_media_transfers_total{direction="in",outcome="stored"}', 1);

  world.network.faults.add({ phone: phone.pn, kind: "close", code: 503 });
  await reached('gateway_bridge_network_closes_total{reason="lost"}', 1);
  await reached('gateway_bridge_troubles_total{kind="close",code="503"}', 1);
  await reached('gateway_bridge_sessions{state="open"}', 1);
  world.gateway.dropSessions();
  await reached("gateway_bridge_redials_total", 1);
  // Pairing closes the first socket deliberately.
  await reached("gateway_bridge_reconnects_total", 2);
  await reached("gateway_bridge_journal_entries", 0);

  const now = await scrape();
  const value = (name: string): number => now.get(name) ?? Number.NaN;
  expect(value('gateway_bridge_media_bytes_total{direction="in"}')).toBe(5_000);
  expect(value("gateway_bridge_network_opens_total")).toBeGreaterThanOrEqual(2);
  for (const stage of ["preparing", "relaying", "queued", "written"]) {
    expect(value(`gateway_bridge_send_stage_seconds_count{stage="${stage}"}`), stage).toBe(2);
    expect(value(`gateway_bridge_send_stage_seconds_bucket{stage="${stage}",le="+Inf"}`), stage).toBe(2);
  }
  expect(value("gateway_bridge_commit_seconds_count")).toBeGreaterThan(3);
  // The value is in seconds: no commit can have taken longer than the whole test.
  const commitSeconds = value("gateway_bridge_commit_seconds_sum") / value("gateway_bridge_commit_seconds_count");
  expect(commitSeconds).toBeLessThan((performance.now() - startedAt) / 1_000);
  expect(value("nodejs_eventloop_delay_seconds_count")).toBeGreaterThan(0);
  expect(value("process_cpu_seconds_total")).toBeGreaterThan(idle.get("process_cpu_seconds_total") ?? 0);
  expect(value("process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
});

it("the metrics name no connection and no number", async () => {
  await world.link();
  const text = await (await fetch(page)).text();
  for (const connection of world.gateway.connections.values()) expect(text).not.toContain(connection.id);
  // Label values may only be words or bucket bounds.
  const described = text.replace(/^gateway_bridge_build_info\{build="[0-9a-f]{12}",version="[\d.]+ \(baileys [\w.-]+\)"\} 1$/m, "");
  for (const [, label = ""] of described.matchAll(/="([^"]*)"/g)) expect(label).toMatch(/^([a-z_]*|[\d.]{1,6}|\+Inf)$/);
});

it("the metrics are all listed on the operators' page, which lists no other", async () => {
  const monitoring = readFileSync(new URL("../../../docs/operate/metrics.md", import.meta.url), "utf8");
  const described = [...monitoring.matchAll(/`((?:gateway_bridge|process|nodejs)_[a-z_]+)`/g)].map(([, name = ""]) => name);
  const served = [...(await (await fetch(page)).text()).matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name);
  expect([...new Set(described)].toSorted()).toEqual(served.toSorted());
});
