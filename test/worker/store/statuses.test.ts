import { expect, it } from "vitest";
import type { Failure } from "@gateway/protocol/failures.ts";
import type { GatewayEvent } from "@gateway/domain/gateway-event.ts";
import { ANA, GROUP, NOW, T0, ana, bia, withStores, newId, sendRequest, status, text, types, upsert } from "./world.ts";

it("the store emits a sent message's status only when it moves forward", () =>
  withStores(({ emitted, stores }) => {
    const own = upsert({ from_me: true }, "own_device");
    const id = own.message.message_id;
    emitted(own);
    const events = emitted(
      status(id, "read", { timestamp: T0 + 20 }),
      status(id, "delivered", { timestamp: T0 + 10 }),
      status(id, "read"),
      status(id, "played", { timestamp: T0 + 30 }),
      status(id, "failed"),
    );
    expect(events).toMatchObject([
      { type: "message.status", message_id: id, chat_id: ANA, recipient: ana, is_group: false, status: "read", timestamp: T0 + 20 },
      { type: "message.status", status: "played" },
    ]);
    expect(stores.messageQueries.get(id, null)).toMatchObject({
      status: "played",
      timeline: { delivered_at: (T0 + 10) * 1000, read_at: (T0 + 20) * 1000, played_at: (T0 + 30) * 1000 },
    });
  }));

it("the store adds the reference of the send to every status", () =>
  withStores(({ ownSends, emitted }) => {
    const request = sendRequest(text("Oi"));
    ownSends.accepted(request, "api", "pedido-7", NOW);
    expect(emitted(status(request.message_id, "delivered")).at(-1)).toMatchObject({ type: "message.status", reference: "pedido-7" });
  }));

it.each<[string, Failure | undefined]>([
  ["nothing", undefined],
  ["that its outcome is unknown", { code: "send_outcome_unknown" }],
  ["that something went wrong", { code: "network_error", attempted: true }],
])("the store corrects a failure that says %s once, as soon as its reason arrives", (_what, first) =>
  withStores(({ ownSends, emitted, stores, apply }) => {
    const closed: Failure = { code: "outside_service_window", details: { network_code: 131_047 }, attempted: true };
    const ways = [
      (id: string, failure: Failure) => apply(status(id, "failed", { failure })).facts,
      (id: string, failure: Failure) => ownSends.failed(id, failure, NOW),
    ];
    for (const report of ways) {
      const request = sendRequest(text("Oi"));
      const { message_id: id } = request;
      ownSends.accepted(request, "api", null, NOW);
      const unexplained = apply(status(id, "failed", first === undefined ? {} : { failure: first })).facts;
      const corrected = report(id, closed);
      expect([...unexplained, ...corrected].map(({ event }) => event)).toMatchObject([
        { type: "message.status", status: "failed", failure: first ?? null },
        { type: "message.status", message_id: id, status: "failed", failure: closed },
      ]);
      // A receiver distinguishes the two events by id.
      expect(corrected[0]?.key).not.toBe(unexplained[0]?.key);
      const again = [closed, { code: "send_outcome_unknown" } as const, { code: "number_not_on_network" } as const];
      expect(again.map((failure) => report(id, failure))).toEqual([[], [], []]);
      expect(stores.messageQueries.get(id, null)).toMatchObject({ status: "failed", failure: closed });
      expect(emitted(status(id, "delivered")).at(-1)).toMatchObject({ status: "delivered" });
      expect(report(id, closed)).toEqual([]);
    }
  }),
);

it("the store applies a status that arrives before its message", () =>
  withStores(({ emitted, stores }) => {
    const own = upsert({ from_me: true }, "own_device");
    const id = own.message.message_id;
    expect(emitted(status(id, "read"), status(id, "delivered"), status(id, "read"))).toMatchObject([
      { type: "message.status", status: "read", recipient: ana },
    ]);
    expect(emitted(own)).toMatchObject([{ type: "message.sent" }]);
    expect(stores.messageQueries.get(id, null)).toMatchObject({ status: "read", timeline: { delivered_at: (T0 + 10) * 1000 } });
    expect(emitted(status(id, "delivered"), status(id, "played"))).toMatchObject([{ status: "played" }]);
  }));

it("the store emits a group's status with its first participant and stores every receipt", () =>
  withStores(({ emitted, stores }) => {
    const own = upsert({ chat_id: GROUP, from_me: true }, "own_device");
    const id = own.message.message_id;
    emitted(own);
    const inGroup = (state: "delivered" | "read", participant: typeof ana, timestamp: number) =>
      status(id, state, { chat_id: GROUP, participant, timestamp });
    const events = emitted(
      inGroup("delivered", ana, T0 + 1),
      inGroup("delivered", bia, T0 + 2),
      inGroup("read", bia, T0 + 3),
      inGroup("read", ana, T0 + 4),
      inGroup("read", ana, T0 + 5),
    );
    expect(events).toMatchObject([
      { status: "delivered", participant: ana, recipient: null, is_group: true },
      { status: "read", participant: bia },
    ]);
    expect(stores.messageQueries.get(id, GROUP)?.receipts).toEqual([
      { participant: bia, delivered_at: (T0 + 2) * 1000, read_at: (T0 + 3) * 1000, played_at: null },
      { participant: ana, delivered_at: (T0 + 1) * 1000, read_at: (T0 + 4) * 1000, played_at: null },
    ]);
  }));

it("the store orders events by time, also within one second", () =>
  withStores(({ projection }) => {
    const own = upsert({ from_me: true }, "own_device");
    const reports = (["delivered", "read", "played"] as const).map((state) => status(own.message.message_id, state, { timestamp: T0 }));
    const facts = [own, ...reports].flatMap((event, at) => projection.apply([{ key: `second:${at}`, event }], NOW + at * 200).facts);
    expect(facts.map(({ at, event }) => [event.type, at - NOW])).toEqual([
      ["message.sent", 0],
      ["message.status", 200],
      ["message.status", 400],
      ["message.status", 600],
    ]);
    const batch = [upsert({ from_me: true }, "own_device")].flatMap((sent) => [
      sent,
      status(sent.message.message_id, "read", { timestamp: T0 }),
    ]);
    const together = projection.apply(
      batch.map((event, at) => ({ key: `batch:${at}`, event })),
      NOW + 5_000,
    ).facts;
    expect(together.map(({ event }) => event.type)).toEqual(["message.sent", "message.status"]);
    expect(together.map(({ at }) => at - NOW)).toEqual([999, 999]);
  }));

it("the store keeps receipts of a group that arrive before the message", () =>
  withStores(({ emitted, stores }) => {
    const own = upsert({ chat_id: GROUP, from_me: true }, "own_device");
    emitted(status(own.message.message_id, "delivered", { chat_id: GROUP, participant: ana }), own);
    expect(stores.messageQueries.get(own.message.message_id, null)).toMatchObject({
      status: "delivered",
      receipts: [{ participant: ana }],
    });
  }));

it("the store shows receipts of one person under LID and phone as one", () =>
  withStores(({ emitted, stores }) => {
    const own = upsert({ chat_id: GROUP, from_me: true }, "own_device");
    const id = own.message.message_id;
    const byLid = { phone: null, lid: "99887766554433" };
    emitted(own, status(id, "delivered", { chat_id: GROUP, participant: byLid, timestamp: T0 + 1 }));
    emitted(
      { type: "lid.mapped", lid: byLid.lid, phone: ana.phone },
      status(id, "read", { chat_id: GROUP, participant: ana, timestamp: T0 + 2 }),
    );
    expect(stores.messageQueries.get(id, null)?.receipts).toMatchObject([
      { participant: { phone: ana.phone }, delivered_at: (T0 + 1) * 1000, read_at: (T0 + 2) * 1000 },
    ]);
  }));

it("the store emits only the new status of a message that is known from history", () =>
  withStores(({ emitted }) => {
    const old = upsert({ from_me: true }, "history");
    expect(emitted(old, status(old.message.message_id, "read")).map(({ type }) => type)).toEqual(["message.status"]);
  }));

it("the store applies the same report once", () =>
  withStores(({ projection }) => {
    const report = { key: "status:x:delivered:", event: status(newId(), "delivered") };
    expect(types(projection.apply([report, report], NOW).facts)).toEqual(["message.status"]);
    expect(projection.apply([report], NOW).facts).toEqual([]);
  }));

it("the store emits a forward-only sequence for any order of message, acknowledgement and reports", () =>
  withStores(({ ownSends, emitted, stores }) => {
    const reports = ["failed", "delivered", "read", "played"] as const;
    for (let seed = 0; seed < 300; seed++) {
      const request = sendRequest(text("Oi"));
      const id = request.message_id;
      const copy = upsert({ message_id: id, from_me: true }, "own_device");
      ownSends.accepted(request, "api", null, NOW);
      const steps: (() => GatewayEvent[])[] = [
        () => ownSends.sent(request, { timestamp: T0, message: copy.message }, "api", null, NOW).map(({ event }) => event),
        () => emitted(copy),
        ...[...reports, "delivered" as const].map((state) => () => emitted(status(id, state))),
      ];
      const events = shuffled(steps, seed).flatMap((step) => step());
      const statuses = events.flatMap((event) => (event.type === "message.status" ? [event.status] : []));
      const ranks = statuses.filter((state) => state !== "failed").map((state) => reports.indexOf(state));
      const sent = events.filter((event) => event.type === "message.sent").length;
      expect({ seed, ranks, sent }).toEqual({ seed, ranks: [...new Set(ranks)].toSorted((a, b) => a - b), sent: 1 });
      expect(statuses.lastIndexOf("failed")).toBeLessThan(1);
      expect(stores.messageQueries.get(id, null)?.status).toBe("played");
    }
  }));

it("the store moves a status only forward, for every order and repetition of four reports", () =>
  withStores(({ emitted, stores }) => {
    const reports = ["failed", "delivered", "read", "played"] as const;
    const four = reports.flatMap((a) => reports.flatMap((b) => reports.flatMap((c) => reports.map((d) => [a, b, c, d]))));
    for (const given of four) {
      for (const late of [false, true]) {
        const own = upsert({ from_me: true }, "own_device");
        const id = own.message.message_id;
        const steps = given.map((state) => status(id, state));
        const events = late ? emitted(...steps, own) : emitted(own, ...steps);
        const statuses = events.flatMap((event) => (event.type === "message.status" ? [event.status] : []));
        const ranks = statuses.map((state) => reports.indexOf(state));
        expect({ given, late, ranks }).toEqual({ given, late, ranks: [...new Set(ranks)].toSorted((a, b) => a - b) });
        const end = reports.findLast((state) => given.includes(state));
        expect({ given, late, end: stores.messageQueries.get(id, null)?.status }).toEqual({ given, late, end });
      }
    }
  }));

/** Deterministic order for a given seed. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed + 1;
  const next = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  return items
    .map((item) => ({ item, at: next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
