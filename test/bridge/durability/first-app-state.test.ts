// App state that is read late (docs/internals/sessions.md, "Shared app state"): after an interrupted first sync, and by a later bridge.
import type { BinaryNode, ChatModification } from "baileys";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Device } from "#root/test-network/model.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { childrenOf } from "#root/test-network/node.ts";
import type { BridgeProcess } from "../../support/bridge/bridge-process.ts";
import type { FakeConnection } from "../../support/bridge/fake-gateway.ts";
import { fasterTimersOf } from "../../support/bridge/faster-timers.ts";
import { eventually } from "../../support/eventually.ts";
import { chatOf, must } from "../phones/world.ts";
import { openWorld, receivedTexts, type World } from "./world.ts";

const TIMEOUT_MS = 60_000;
const UNREAD_ROW = "bridge|app-state-unread";
/** The collection with pins; labels are in another. */
const PINS = "regular_low";
const ALL = 5;
/** A bridge that retries after a second instead of a minute. */
const IMPATIENT = fasterTimersOf("app-state-retries.ts", 50);

let world: World;
let bridge: BridgeProcess;
let friend: SimulatedPhone;
/** Called with the collections that a linked device requests. */
let onQuery: (device: Device, names: readonly string[]) => void = () => undefined;
/** The end of the offline stanzas waits for this, as on a network that first waits for acks. */
let mayEnd = Promise.resolve();

beforeAll(async () => {
  world = await openWorld();
  bridge = await world.startBridge(IMPATIENT);
  friend = await world.newPhone("Friend");
  const { delivery } = world.network;
  const emit = delivery.emit.bind(delivery);
  delivery.emit = (link, stanza) => {
    const isEnd = childrenOf(stanza)[0]?.tag === "offline";
    if (isEnd) void mayEnd.then(() => emit(link, stanza));
    else emit(link, stanza);
  };
  const request = world.network.request.bind(world.network);
  world.network.request = (from: Device, iq: BinaryNode) => {
    if (from.id !== 0 && iq.attrs["xmlns"] === "w:sync:app:state") {
      const collections = childrenOf(childrenOf(iq)[0]);
      onQuery(
        from,
        collections.map(({ attrs }) => attrs["name"] ?? ""),
      );
    }
    return request(from, iq);
  };
});
beforeEach(() => {
  onQuery = () => undefined;
  mayEnd = Promise.resolve();
});
afterAll(() => world.close());

const label = (id: string) => ({ addLabel: { id, name: `Label ${id}`, color: 1 } }) as ChatModification;
const labels = (connection: FakeConnection) => connection.of("label.updated").map(({ label_id }) => label_id);
const sawLabel = (connection: FakeConnection, id: string) => connection.saw("label.updated", ({ label_id }) => label_id === id);

/** Links a phone. Resolves once its first sync and the sync of its first label are stored. */
async function linkAndSync(): Promise<{ connection: FakeConnection; phone: SimulatedPhone }> {
  const synced = new Promise<void>((resolve) => {
    onQuery = (_device, { length }) => void (length === ALL && resolve());
  });
  const linked = await world.link();
  await synced;
  await linked.phone.modify(label("1"));
  await sawLabel(linked.connection, "1");
  return linked;
}

async function reopened(connection: FakeConnection): Promise<void> {
  const opened = connection.of("session.open").length;
  bridge = await world.startBridge(IMPATIENT);
  world.gateway.place(connection);
  await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length > opened);
}

describe("the first sync", () => {
  it.each(["bridge is killed", "socket is lost"])("is repeated if the %s during it", async (what) => {
    const phone = await world.newPhone();
    await phone.modify(label("1"));
    const connection = world.gateway.connection();
    world.gateway.place(connection);
    const { raw } = await connection.saw("session.qr");
    const ended = Promise.withResolvers<void>();
    const interrupted = new Promise<void>((resolve) => {
      onQuery = ({ account }, names) => {
        if (account.pn !== phone.pn || names.length < ALL) return;
        onQuery = () => undefined;
        mayEnd = ended.promise;
        if (what === "socket is lost") world.network.faults.add({ phone: phone.pn, kind: "drop_socket" });
        else void bridge.kill();
        resolve();
      };
    });
    await phone.scan(raw);
    await interrupted;
    must(await friend.sendText(chatOf(phone), "while away"));
    if (what !== "socket is lost") await reopened(connection);
    await eventually("what waited", TIMEOUT_MS, () => receivedTexts(connection).includes("while away"));
    ended.resolve();
    await sawLabel(connection, "1");
    await eventually("the row", TIMEOUT_MS, () => connection.rows.has(UNREAD_ROW));
    await phone.modify(label("2"));
    await sawLabel(connection, "2");
    expect(labels(connection)).toEqual(["1", "2"]);
  });

  it("runs again for a number that was linked before the row existed, and repeats no change", async () => {
    const { connection, phone } = await linkAndSync();
    await bridge.kill();
    expect(connection.rows.delete(UNREAD_ROW)).toBe(true);
    const queried = new Set<string>();
    onQuery = (_device, names) => names.forEach((name) => queried.add(name));
    await reopened(connection);
    await eventually("all to be requested", TIMEOUT_MS, () => queried.size === ALL);
    await eventually("the row again", TIMEOUT_MS, () => connection.rows.has(UNREAD_ROW));
    await phone.modify(label("2"));
    await sawLabel(connection, "2");
    expect(labels(connection)).toEqual(["1", "2"]);
  });
});

describe("a collection that could not be read", () => {
  it("is read by the next bridge, although the phone does not change it again", async () => {
    const { connection, phone } = await linkAndSync();
    const row = connection.rows.get(UNREAD_ROW);
    world.network.faults.add({ phone: phone.pn, kind: "leave_out", collection: PINS });
    await phone.modify({ pin: true } as ChatModification, chatOf(friend));
    await eventually("the row's change", TIMEOUT_MS, () => connection.rows.get(UNREAD_ROW) !== row);
    await bridge.kill();
    world.network.faults.clear(phone.pn);
    await reopened(connection);
    await connection.saw("chat.updated", ({ pinned }) => pinned === true);
  });
});
