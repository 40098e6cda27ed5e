import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ask } from "#root/test/support/clients.ts";
import { eventually } from "#root/test/support/eventually.ts";
import { type FedConnection, FedBridge } from "#root/test/support/bridge/fed-bridge.ts";
import { type LoneGateway, startLoneGateway } from "#root/test/support/bridge/lone-gateway.ts";
import { expectAtMost } from "#root/test/support/promised-times.ts";

const PENDING = 100_000;
/** Each event is pending for all of these endpoints. */
const ENDPOINTS = 20;
const BATCH = 50;
const BOOT_MS = 5_000;
const WITHIN_MS = 60_000;

let gateway: LoneGateway;
let bridge: FedBridge;
let connection: FedConnection;
beforeEach(async () => {
  gateway = await startLoneGateway();
  bridge = await FedBridge.dial(gateway);
  connection = await bridge.connection("Full");
});
afterEach(async () => {
  bridge.close();
  await gateway.dispose();
});

it("a start with 100,000 pending deliveries answers and delivers within 5 s", { timeout: 600_000 }, async () => {
  let up = false;
  let arrived = 0;
  const ids = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (!up) return;
      arrived += 1;
      ids.add((JSON.parse(Buffer.concat(chunks).toString()) as { id: string }).id);
      response.writeHead(200).end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const settings = { url, events: ["message.received"], instance_id: connection.uuid, timeout_ms: 30_000, retry_count: 5 };
    const { body } = await bridge.call("POST", "/webhooks", settings);
    for (let n = 1; n < ENDPOINTS; n += 1) await bridge.call("POST", "/webhooks", settings);
    for (let stored = 0; stored < PENDING / ENDPOINTS; stored += BATCH) {
      await connection.received(Array.from({ length: BATCH }, (_, n) => `pending ${stored + n}`));
    }

    const restarted = gateway.restart();
    // The killed worker's requests have arrived by then; its successor starts later.
    await eventually("the killed worker's connections have ended", WITHIN_MS, async () => (await connections(server)) === 0);
    up = true;
    const firstDelivery = once(server, "request").then(() => performance.now());
    await restarted;
    const startedAt = performance.now();
    const reply = await ask(`${gateway.url}/api/v1/chats`, { headers: { "x-api-key": connection.apiKey } });
    const answeredMs = performance.now() - startedAt;
    const deliveredMs = (await firstDelivery) - startedAt;
    expect(reply.status).toBe(200);
    expectAtMost(`the first answer with ${PENDING} deliveries pending`, answeredMs, BOOT_MS);
    expectAtMost("the first delivery", deliveredMs, BOOT_MS);

    // Many deliveries were pending: this many of one endpoint are still listed, and the object continues with them.
    const page = await bridge.call("GET", `/webhooks/${body.data.id}/deliveries?status=pending&limit=100`);
    expect(page.body.data).toHaveLength(100);
    await expect.poll(() => ids.size, { timeout: 60_000 }).toBeGreaterThan(500);
    expect(arrived).toBe(ids.size);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

const connections = (server: Server) =>
  new Promise<number>((resolve, reject) => server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))));
