// Two thousand messages while the stream is cut twenty times, the worker is killed three times and the reader twice.
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ConnectionClient } from "@gateway/sdk";
import { phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { Listening } from "../../support/kit/listening.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const MESSAGES = 2_000;
const CUTS = 20;
const WORKER_KILLS = 3;
const READER_KILLS = 2;
const WITHIN_MS = 600_000;

let sandbox: Sandbox;
let proxy: Server;
let folder: string;
const sockets = new Set<Socket>();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "listen-"));
  sandbox = await startSandbox(["--no-limits"]);
  proxy = createServer((socket) => {
    sockets.add(socket);
    const upstream = connect(Number(new URL(sandbox.ready().app_url).port), "127.0.0.1");
    const end = () => {
      sockets.delete(socket);
      socket.destroy();
      upstream.destroy();
    };
    for (const one of [socket, upstream]) one.on("error", end).on("close", end);
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve);
  });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  proxy.close();
  rmSync(folder, { recursive: true });
  await sandbox.dispose();
});

it("killed readers lose nothing, keep the stored order, and repeat at most one event per kill", async () => {
  const { demo } = sandbox.ready();
  const { port } = proxy.address() as AddressInfo;
  const listening = new Listening({
    baseUrl: `http://127.0.0.1:${port}`,
    key: demo.connection.api_key,
    checkpoint: join(folder, "place"),
  });
  const gateway = new ConnectionClient({ apiKey: demo.connection.api_key, baseUrl: sandbox.ready().app_url });
  const reference = await gateway.listeners.create({ name: "reference", events: ["message.received"] });
  listening.start();
  await eventually("the reader is ready", WITHIN_MS, () => listening.count("ready") === 1);
  const texts = Array.from({ length: MESSAGES }, (_, n) => `mensagem ${n}`);
  const isTime = (n: number, times: number) => n % Math.floor(MESSAGES / (times + 1)) === 0 && n > 0;
  let [cuts, workerKills, readerKills] = [0, 0, 0];
  for (const [n, text] of texts.entries()) {
    await phones(sandbox.ready()).send(demo.contact!.phone, { to: demo.connection.phone, text });
    if (isTime(n, CUTS) && cuts < CUTS) {
      cuts += 1;
      for (const socket of sockets) socket.destroy();
    }
    if (isTime(n, WORKER_KILLS) && workerKills < WORKER_KILLS) {
      workerKills += 1;
      const { worker } = sandbox.ready().processes;
      process.kill(worker, "SIGKILL");
      await eventually("the worker runs again", WITHIN_MS, () => sandbox.ready().processes.worker !== worker);
    }
    if (isTime(n, READER_KILLS) && readerKills < READER_KILLS) {
      readerKills += 1;
      await listening.kill();
      listening.start();
    }
  }
  await eventually("every message is read", WITHIN_MS, () => listening.received().texts.length >= MESSAGES);
  await listening.kill();
  const { texts: read, repeated, gaps } = listening.received();
  console.log(
    `listener: ${MESSAGES} messages, ${cuts} cuts, ${workerKills} worker kills, ${readerKills} reader kills, ${repeated} repeated`,
  );
  expect([cuts, workerKills, readerKills]).toEqual([CUTS, WORKER_KILLS, READER_KILLS]);
  // After a killed worker, the phone's queue and new messages reach the gateway interleaved. The reference is the order in which it stored them.
  const stored: (string | null)[] = [];
  for await (const { data } of gateway.listeners.streamEvents(reference.id)) {
    if (data.type === "message.received") stored.push(data.data.text);
    if (stored.length === MESSAGES) break;
  }
  expect(read).toEqual(stored);
  expect(new Set(read)).toEqual(new Set(texts));
  expect(gaps).toBe(0);
  expect(repeated).toBeLessThanOrEqual(readerKills);
});
