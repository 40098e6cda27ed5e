// One test file's network, gateway and bridges, all in this process except bridges that will be killed.
import { openWorld as openNetwork, type World as Network } from "../phones/world.ts";
import { startBridgeProcess, type BridgeProcess } from "../../support/bridge/bridge-process.ts";
import { eventually } from "../../support/eventually.ts";
import { FakeGateway, type FakeConnection } from "../../support/bridge/fake-gateway.ts";
import type { StartOptions } from "#root/test-network/start.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { SessionSettings } from "@gateway/protocol/session-socket.ts";

const EVENT_TIMEOUT_MS = 60_000;

type Linked = { connection: FakeConnection; phone: SimulatedPhone };

export type World = Network & {
  gateway: FakeGateway;
  /** Starts a new bridge and resolves once it is connected; earlier bridges are killed. */
  startBridge(beforehand?: string, settings?: Record<string, string>): Promise<BridgeProcess>;
  /** A connection with an open device linked to its own phone. */
  link(settings?: Partial<SessionSettings>): Promise<Linked>;
};

export async function openWorld(options: StartOptions = {}): Promise<World> {
  const network = await openNetwork(options);
  const gateway = await new FakeGateway().start();
  const bridges: BridgeProcess[] = [];
  return {
    ...network,
    gateway,
    async startBridge(beforehand, settings) {
      await Promise.all(bridges.splice(0).map((bridge) => bridge.kill()));
      await eventually("the bridges before it to be gone", EVENT_TIMEOUT_MS, () => gateway.bridges === 0);
      const bridge = startBridgeProcess(gateway, network, beforehand, settings);
      bridges.push(bridge);
      await eventually("a bridge to dial in", EVENT_TIMEOUT_MS, () => gateway.bridges === 1);
      return bridge;
    },
    async link(settings) {
      const phone = await network.newPhone();
      const connection = gateway.connection(settings);
      gateway.place(connection);
      const { raw } = await connection.saw("session.qr");
      await phone.scan(raw);
      await connection.saw("session.open");
      return { connection, phone };
    },
    async close() {
      await Promise.all(bridges.map((bridge) => bridge.kill()));
      await gateway.stop();
      await network.close();
    },
  };
}

/** Resolves once the phone's linked device has confirmed everything so far, so that no receipt of it is still to come. */
export async function allConfirmed({ network }: Network, { pn }: SimulatedPhone): Promise<void> {
  const device = network.directory.account(pn)?.devices.get(1);
  await eventually("the network's queue to be empty", EVENT_TIMEOUT_MS, () => device?.queue.size === 0);
}

let lastId = 0;

/** A message id in the Connection object's format. */
export function freshMessageId(): string {
  lastId += 1;
  return `3EB0${String(lastId).padStart(18, "0")}`;
}

/** Sends a text through the bridge; the event that settles it has its id. */
export function sendText(connection: FakeConnection, to: SimulatedPhone, text: string): Promise<string> {
  return sendTextToChat(connection, `${to.pn}@c.us`, text);
}

export async function sendTextToChat(connection: FakeConnection, chatId: string, text: string, deadlineMs?: number): Promise<string> {
  const message_id = freshMessageId();
  const asked = await connection.command(
    "send",
    {
      message_id,
      chat_id: chatId,
      content: { kind: "text", text, preview: null },
      quoted: null,
      mentions: [],
      mention_all: false,
      typing_ms: 0,
      status: null,
    },
    deadlineMs,
  );
  if (!asked.ok) throw new Error(`not taken: ${asked.failure.code}`);
  return message_id;
}

/** Texts received from others, each once, in order. */
export function receivedTexts(connection: FakeConnection): (string | null)[] {
  return connection
    .of("message.upsert")
    .filter(({ message }) => !message.from_me)
    .map(({ message }) => message.text);
}

/** Texts from others shown on the phone. */
export function shownTexts(phone: SimulatedPhone): (string | null)[] {
  return phone
    .inbox()
    .filter(({ from_me }) => !from_me)
    .map(({ text }) => text);
}

/** Sorts lists without a guaranteed order. */
export function inAnyOrder(texts: readonly (string | null)[]): (string | null)[] {
  return texts.toSorted((a, b) => (a ?? "").localeCompare(b ?? ""));
}
