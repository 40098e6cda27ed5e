// A network that does not report the end of a session's offline messages.
import type { ChatModification } from "baileys";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fasterTimersOf } from "../../support/bridge/faster-timers.ts";
import { eventually } from "../../support/eventually.ts";
import { chatOf, must } from "../phones/world.ts";
import { openWorld, receivedTexts, type World } from "./world.ts";

const TIMEOUT_MS = 60_000;

let world: World;

beforeAll(async () => {
  world = await openWorld();
  await world.startBridge(fasterTimersOf("offline-batches.ts", 50));
});
afterAll(() => world.close());

const label = (id: string) => ({ addLabel: { id, name: `Label ${id}`, color: 1 } }) as ChatModification;

it("a missing end of the offline replay holds back neither events nor app state versions", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  await phone.modify(label("1"));
  await connection.saw("label.updated", ({ label_id }) => label_id === "1");
  await eventually("the version", TIMEOUT_MS, () => connection.rowsOf("app-state-sync-version").length > 0);
  const version = () => connection.rows.get("app-state-sync-version|regular");
  const before = version();

  world.network.access.refuseUpgrades({ status: 503, times: 2 });
  world.network.faults.add({ phone: phone.pn, kind: "no_offline_end" });
  world.network.faults.add({ phone: phone.pn, kind: "drop_socket" });
  must(await friend.sendText(chatOf(phone), "while away"));
  await eventually("what waited", TIMEOUT_MS, () => receivedTexts(connection).includes("while away"));
  await phone.modify(label("2"));
  await connection.saw("label.updated", ({ label_id }) => label_id === "2");
  await eventually("its version", TIMEOUT_MS, () => version() !== before);
  expect(connection.of("session.open")).toHaveLength(2);
});

it("a missing end of the offline replay does not keep a new device from the shared app state", async () => {
  const phone = await world.newPhone();
  await phone.modify(label("7"));
  const connection = world.gateway.connection();
  world.gateway.place(connection);
  world.network.faults.add({ phone: phone.pn, kind: "no_offline_end", times: 2 });
  await phone.scan((await connection.saw("session.qr")).raw);
  await connection.saw("session.open");
  await connection.saw("label.updated", ({ label_id }) => label_id === "7");
  await eventually("the version", TIMEOUT_MS, () => connection.rows.has("app-state-sync-version|regular"));
});
