// The soak test's setup: numbers on one bridge, their contacts, and a group of all of them. The network with its phones is a separate
// process; the gateway runs in this one.
import { FakeGateway, type FakeConnection } from "../../test/support/bridge/fake-gateway.ts";
import { networkProcess, type NetworkProcess } from "../../test/support/bridge/network-process.ts";
import { eventually } from "../../test/support/eventually.ts";
import type { Memory } from "./inspector.ts";
import { MeasuredBridge } from "./measured-bridge.ts";

const CONTACTS = 40;
/** Contacts that write in the group. */
export const WRITERS = 4;
const CONTACTS_OF_EACH = 4;
const CONCURRENCY = 6;
/** One in this many numbers keeps its own phone online after linking. */
const PHONES_ON = 10;
const WAIT_MS = 600_000;

export type SoakedWorld = {
  network: NetworkProcess;
  gateway: FakeGateway;
  bridge: MeasuredBridge;
  /** Phone numbers, in the order of the connections. */
  numbers: readonly string[];
  connections: readonly FakeConnection[];
  contacts: readonly string[];
  group: string;
  /** The bridge's memory before its first session. */
  empty: Memory;
  /** Contacts that exchange messages with a number. */
  contactsOf(number: number): readonly string[];
  numbersOf(contact: string): readonly number[];
  /** Places all sessions on a new bridge; resolves once they are open. `started` runs before that. */
  openAll(started: () => Promise<void>): Promise<void>;
  dispose(): Promise<void>;
};

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(13 - prefix.length, "0")}`);

/** Links the numbers, which have not received any messages yet. */
export async function openSoakedWorld(count: number, groupSize: number, factor: number): Promise<SoakedWorld> {
  const network = networkProcess();
  await network.start();
  const gateway = await new FakeGateway().start();
  const bridge = new MeasuredBridge(gateway.url, network.whereabouts(), count, factor);
  const numbers = named("551193", count);
  const contacts = named("551194", CONTACTS);
  const others = named("551195", groupSize - count - CONTACTS);
  await eachOf([...numbers, ...contacts], (phone) => network.call("POST", "/phones", { phone, name: `Phone ${phone}` }));
  await eachOf(others, async (phone) => {
    await network.call("POST", "/phones", { phone, name: "Member" });
    await network.call("PATCH", `/phones/${phone}`, { online: false });
  });
  const connections = numbers.map(() => gateway.connection());
  const contactsOf = (number: number): string[] =>
    Array.from({ length: CONTACTS_OF_EACH }, (_, k) => contacts[(number * CONTACTS_OF_EACH + k) % CONTACTS]!);
  const numbersOf = (contact: string): number[] => numbers.flatMap((_, n) => (contactsOf(n).includes(contact) ? [n] : []));
  const dispose = async (): Promise<void> => {
    await bridge.end();
    await gateway.stop();
    await network.dispose();
  };
  try {
    await bridge.start();
    const empty = await bridge.inspector.memory();
    await eachOf([...connections.entries()], async ([n, connection]) => {
      gateway.place(connection);
      const { raw } = await connection.saw("session.qr", undefined, WAIT_MS);
      await network.call("POST", `/phones/${numbers[n]}/scan`, { qr: raw });
      await connection.saw("session.open", undefined, WAIT_MS);
    });
    // Few people keep their phone online all day, and each simulated one costs as much as a number.
    await eachOf(
      numbers.filter((_, n) => n % PHONES_ON !== 0),
      (phone) => network.call("PATCH", `/phones/${phone}`, { online: false }),
    );
    const participants = [...numbers, ...contacts.slice(1), ...others];
    const { group_id: group } = await network.call<{ group_id: string }>("POST", `/phones/${contacts[0]}/groups`, {
      subject: "All",
      participants,
    });
    // A writer's first message creates a session with every device in the group, which blocks the network for seconds.
    for (const phone of contacts.slice(0, WRITERS)) {
      await network.call("POST", `/phones/${phone}/send`, { chat_id: group, text: "hello all" });
    }
    await eventually("all to have read the group", WAIT_MS, () =>
      connections.every(
        (connection) => connection.of("message.upsert").filter(({ message }) => message.chat_id === group).length === WRITERS,
      ),
    );
    return {
      network,
      gateway,
      bridge,
      numbers,
      connections,
      contacts,
      group,
      empty,
      contactsOf,
      numbersOf,
      async openAll(started) {
        await eventually("the bridge before it to be gone", WAIT_MS, () => gateway.bridges === 0);
        await bridge.start();
        await started();
        await eventually("the bridge to dial in", WAIT_MS, () => gateway.bridges === 1);
        for (const connection of connections) gateway.place(connection);
        await eventually("all sessions to be open", WAIT_MS, async () => (await bridge.health()).connected === count);
      },
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

export async function eachOf<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}
