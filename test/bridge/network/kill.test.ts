import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, it } from "vitest";
import type { AuthenticationState, BinaryNode, WASocket } from "baileys";
import { eventually } from "../../support/eventually.ts";
import type { Order, Report, Started } from "./killable-network.ts";
import { connect, nextEvent, memoryAuth, trust } from "./world.ts";

const ANNA = "5511900000001";
const BRUNO = "5511900000002";

class Network {
  readonly process: ChildProcess;
  readonly sentTexts: string[] = [];
  readonly #answers = new Map<number, (answer: unknown) => void>();
  #orders = 0;

  constructor(stateDir: string) {
    this.process = fork(join(import.meta.dirname, "killable-network.ts"), [stateDir], {
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.process.on("message", ({ order, answer }: Report) => {
      if (order === -1) this.sentTexts.push(String(answer));
      this.#answers.get(order)?.(answer);
    });
  }

  started(): Promise<Started> {
    return new Promise((resolve) => this.#answers.set(0, (answer) => resolve(answer as Started)));
  }

  order(order: Order): Promise<unknown> {
    const number = ++this.#orders;
    this.process.send({ ...order, order: number });
    return new Promise((resolve) => this.#answers.set(number, resolve));
  }

  async kill(): Promise<void> {
    const exited = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await exited;
  }
}

let stateDir: string;
let network: Network;
let auth: AuthenticationState;
let sock: WASocket;

beforeEach(async () => {
  stateDir = mkdtempSync(join(tmpdir(), "network-"));
  auth = memoryAuth();
  const started = await start();
  await network.order({ do: "create", pn: ANNA, name: "Anna" });
  await network.order({ do: "create", pn: BRUNO, name: "Bruno" });
  const pairing = connect(asRunning(started), auth);
  const qr = await nextEvent({ sock: pairing }, "connection.update", (update) => update.qr);
  const restarting = nextEvent({ sock: pairing }, "connection.update", ({ connection }) => connection === "close");
  await network.order({ do: "scan", pn: ANNA, qr });
  await restarting;
  await open(started);
});
afterEach(async () => {
  await sock.end(undefined);
  await network.kill();
  rmSync(stateDir, { recursive: true });
});

async function start(): Promise<Started> {
  network = new Network(stateDir);
  const started = await network.started();
  trust(asRunning(started));
  return started;
}

async function open(started: Started): Promise<void> {
  sock = connect(asRunning(started), auth, { emitOwnEvents: false });
  await nextEvent({ sock }, "connection.update", ({ receivedPendingNotifications }) => receivedPendingNotifications);
}

// The network itself is in the other process; a client needs only its addresses and keys.
function asRunning(started: Started): Parameters<typeof connect>[0] {
  return started as Parameters<typeof connect>[0];
}

it("the network keeps every message it has acked through kill -9", async () => {
  const acked: string[] = [];
  sock.ws.on("CB:ack,class:message", ({ attrs }: BinaryNode) => void (attrs["id"] && acked.push(attrs["id"])));
  const stop = new AbortController();
  const sending = (async () => {
    for (let n = 0; !stop.signal.aborted; n++) {
      await sock.sendMessage(`${BRUNO}@s.whatsapp.net`, { text: `message ${n}` }).catch(() => stop.abort());
      // A send with its keys in memory never yields to the event loop.
      await setImmediate();
    }
  })();
  await eventually("some acks", 60_000, () => acked.length > 40);
  await network.kill();
  stop.abort();
  await sending;
  await start();
  await eventually("all acked ones in the inbox", 60_000, async () => {
    const inbox = new Set((await network.order({ do: "inbox", pn: BRUNO })) as string[]);
    return acked.every((id) => inbox.has(id));
  });
});

it("the network delivers after kill -9 what a phone had sent to a device that was away", async () => {
  await sock.end(undefined);
  void network.order({ do: "send", pn: BRUNO, to: ANNA, texts: Array.from({ length: 10_000 }, (_, n) => `for later ${n}`) });
  await eventually("some sends", 60_000, () => network.sentTexts.length > 60);
  await network.kill();
  const promised = [...network.sentTexts];
  const started = await start();
  const seen = new Set<string>();
  const collecting = connect(asRunning(started), auth, { emitOwnEvents: false });
  sock = collecting;
  collecting.ev.on("messages.upsert", ({ messages }) => {
    for (const { message } of messages) seen.add(message?.conversation || message?.extendedTextMessage?.text || "");
  });
  await eventually("everything that was promised", 60_000, () => promised.every((text) => seen.has(text)));
});
