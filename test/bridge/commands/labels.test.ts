import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { viewChat } from "#root/test-network/phone/chats.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { eventually } from "../../support/eventually.ts";
import type { Session } from "../messages/session.ts";
import { chatOf, freshNumber, must, openWorld, type World } from "../messages/world.ts";
import { run, runOk, refusal } from "./run-command.ts";

const WITHIN_MS = 60_000;

describe.each(["pn", "lid"] as const)("labels on a network that addresses by %s", (addressing) => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;
  let ask0: Session["sock"]["query"];
  let last = 0;

  beforeAll(async () => {
    world = await openWorld({ addressing });
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
    ask0 = session.sock.query;
  });
  afterAll(() => world.close());
  beforeEach(() => {
    session.sock.query = ask0;
  });

  const put = (label_id: string, name = "VIP", color = 3) => runOk(session, "labels.put", { label_id, name, color, predefined: false });
  const fresh = async (name?: string) => {
    const id = String(++last);
    await put(id, name);
    return id;
  };
  const atPhone = (id: string) => anna.deps.documents.get("label", id);
  const ofChat = () => anna.act((phone) => viewChat(phone, chatOf(carla)).labels);

  it("are created, renamed and deleted on the phone too", async () => {
    const id = await fresh();
    await session.waitForEvent("label.updated", (event) => event.label_id === id && event.name === "VIP" && event.color === 3);
    await eventually("the label at the phone", WITHIN_MS, () => atPhone(id)?.name === "VIP");
    await put(id, "Very VIP", 7);
    await eventually("its new name at the phone", WITHIN_MS, () => atPhone(id)?.name === "Very VIP" && atPhone(id)?.color === 7);
    await runOk(session, "labels.remove", { label_id: id, name: "Very VIP", color: 7 });
    await session.waitForEvent("label.deleted", (event) => event.label_id === id);
    await eventually("the label gone from the phone", WITHIN_MS, () => atPhone(id)?.deleted === true);
  });

  it("are added to a chat and removed, several at once", async () => {
    const [first, second] = [await fresh("First"), await fresh("Second")];
    const marked = await runOk(session, "labels.chat", { chat_id: chatOf(carla), add: [first, second], remove: [] });
    expect(marked).toEqual({ chat_id: chatOf(carla) });
    await eventually("both at the phone", WITHIN_MS, async () => (await ofChat()).toSorted().join() === [first, second].toSorted().join());
    await runOk(session, "labels.chat", { chat_id: chatOf(carla), add: [], remove: [first] });
    await session.waitForEvent("label.chat", (event) => event.label_id === first && !event.labelled && event.chat_id === chatOf(carla));
    await eventually("one at the phone", WITHIN_MS, async () => (await ofChat()).join() === second);
    const nobody = `${freshNumber()}@c.us`;
    expect(await run(session, "labels.chat", { chat_id: nobody, add: [first], remove: [] })).toEqual(refusal({ code: "chat_not_found" }));
  });

  it("are added to a chat under its LID, if it has one, and removed under either name", async () => {
    const { network } = world;
    const bob = await world.newPhone("Bob");
    const ofBob = async () => (await anna.act((phone) => viewChat(phone, chatOf(bob)).labels)).join();
    const change = async (add: string[], remove: string[]) => {
      let pushes = 0;
      session.sock.query = (node) => {
        if (node.attrs["xmlns"] === "w:sync:app:state" && JSON.stringify(node.content).includes('"tag":"patch"')) pushes += 1;
        return ask0(node);
      };
      await runOk(session, "labels.chat", { chat_id: chatOf(bob), add, remove });
      return pushes;
    };
    const [before, after] = [await fresh("Before"), await fresh("After")];
    network.nameByPhoneOnly(bob.pn, true);
    expect(await change([before], []), "pushes by phone, while there is no LID").toBe(1);
    await eventually("it at the phone", WITHIN_MS, async () => (await ofBob()) === before);

    network.nameByPhoneOnly(bob.pn, false);
    network.reachByLidOnly(bob.pn, true);
    await session.received(must(await bob.sendText(anna.pn, "Here I am, by LID")).message_id);
    expect(await change([after], []), "pushes by LID").toBe(1);
    await eventually("both at the phone", WITHIN_MS, async () => (await ofBob()) === `${before},${after}`);
    expect(await change([], [before, after]), "pushes by either name").toBe(4);
    await eventually("none at the phone", WITHIN_MS, async () => (await ofBob()) === "");
  });

  it("are added to a message and removed", async () => {
    const id = await fresh();
    const { message_id } = must(await carla.sendText(anna.pn, "An order"));
    await session.received(message_id);
    const mark = { chat_id: chatOf(carla), message_id, label_id: id };
    const ofMessage = () =>
      anna
        .inbox(chatOf(carla))
        .find((message) => message.message_id === message_id)
        ?.labels.join();
    await runOk(session, "labels.message", { ...mark, labelled: true });
    expect(session.eventsOf("label.message")).toContainEqual(expect.objectContaining({ ...mark, labelled: true }));
    await eventually("it on the phone's message", WITHIN_MS, () => ofMessage() === id);
    world.network.faults.add({ phone: anna.pn, kind: "iq_error", code: 429, xmlns: "w:sync:app:state" });
    expect(await run(session, "labels.message", { ...mark, labelled: false })).toEqual(refusal({ code: "network_rate_limited" }));
    expect(session.eventsOf("label.message").some(({ message_id: labelledId, labelled }) => labelledId === message_id && !labelled)).toBe(
      false,
    );
    await runOk(session, "labels.message", { ...mark, labelled: false });
    expect(session.eventsOf("label.message")).toContainEqual(expect.objectContaining({ ...mark, labelled: false }));
    await eventually("it gone from the phone's message", WITHIN_MS, () => ofMessage() === "");
  });

  it("survive a concurrent change on the phone", async () => {
    const id = String(++last);
    const theirs = String(++last);
    let pushes = 0;
    session.sock.query = async (node) => {
      if (node.attrs["xmlns"] === "w:sync:app:state" && ++pushes === 1)
        await anna.modify({ addLabel: { id: theirs, name: "Theirs", color: 1 } });
      return ask0(node);
    };
    await put(id, "Ours");
    expect(pushes, "pushes with the retry after the conflict").toBe(2);
    await session.waitForEvent("label.updated", (event) => event.label_id === theirs && event.name === "Theirs");
    await eventually("both at the phone", WITHIN_MS, () => atPhone(id)?.name === "Ours" && atPhone(theirs)?.name === "Theirs");
  });

  it("all arrive when many are changed at once", async () => {
    const ids = Array.from({ length: 8 }, () => String(++last));
    await Promise.all(ids.map((id) => put(id, `Label ${id}`)));
    await eventually("all at the phone", WITHIN_MS, () => ids.every((id) => atPhone(id)?.name === `Label ${id}`));
  });

  it("are not reported as changed when the network refuses or does not answer", async () => {
    const id = String(++last);
    session.sock.query = () => Promise.resolve(undefined as never);
    expect(await run(session, "labels.put", { label_id: id, name: "Lost", color: 0, predefined: false })).toEqual(
      refusal({ code: "network_timeout" }),
    );
    session.sock.query = ask0;
    world.network.faults.add({ phone: anna.pn, kind: "iq_error", code: 429, xmlns: "w:sync:app:state" });
    expect(await run(session, "labels.put", { label_id: id, name: "Lost", color: 0, predefined: false })).toEqual(
      refusal({ code: "network_rate_limited", retryAfter: 60 }),
    );
    expect(session.eventsOf("label.updated").some(({ label_id }) => label_id === id)).toBe(false);
    // The next patch continues from the network's version.
    await put(id, "Found");
    await eventually("the label at the phone", WITHIN_MS, () => atPhone(id)?.name === "Found");
  });

  it("are read again by a resync", async () => {
    const id = String(++last);
    await anna.modify({ addLabel: { id, name: "Late", color: 2 } });
    await runOk(session, "labels.resync", {});
    expect(await session.waitForEvent("label.updated", (event) => event.label_id === id && event.name === "Late")).toBeDefined();
  });
});
