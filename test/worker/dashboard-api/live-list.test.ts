// A list's connection changes over one stream.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { allEnded, event, PHONE, TestConnection } from "../fakes/connection.ts";
import { CRASH } from "../support/crash.ts";
import { allLeft, EventStream } from "../support/event-stream.ts";
import { type EnglishError, gateway } from "../support/gateway.ts";
import { someone, type Someone } from "../support/people.ts";

const ask = gateway();
afterEach(async () => {
  await allLeft();
  await allEnded();
});

type Frame = { event?: string; data: { id: number; status?: string | null; status_reason?: string; phone?: string | null } };

const made = (owner: Someone) => TestConnection.create({ owner_id: owner.user.id });

const listOf = (who: Someone, ids: readonly (number | string)[], from = ask) =>
  from(`/api/dashboard/stream?ids=${ids.join()}`, { headers: who.headers });

const open = async (...given: Parameters<typeof listOf>) => EventStream.from(await listOf(...given));

/** The next frames of the stream, keyed by connection. */
async function frames(stream: EventStream, count: number): Promise<Record<number, Frame>> {
  const all: [number, Frame][] = [];
  for (let n = 0; n < count; n++) {
    const frame = (await stream.next()) as Frame;
    all.push([frame.data.id, frame]);
  }
  return Object.fromEntries(all);
}

const shareWith = (owner: Someone, { record }: TestConnection, friend: Someone) =>
  ask(`/api/dashboard/connections/${record.id}/shares`, {
    method: "POST",
    headers: owner.headers,
    body: JSON.stringify({ email: friend.user.email, role: "viewer" }),
  });

describe("a list", () => {
  it("starts with every status, and continues with changes: no codes, no events", async () => {
    const owner = await someone();
    const [one, other] = [await made(owner), await made(owner)];
    const [first, second] = [one.record.id, other.record.id];
    const stream = await open(owner, [first, second]);
    const created = { status: "disconnected", status_reason: "created", phone: null };
    expect(await frames(stream, 2)).toEqual({
      [first]: { event: "status", data: { id: first, ...created } },
      [second]: { event: "status", data: { id: second, ...created } },
    });
    const bridge = await other.bridge();
    await other.ask("instance.connect", { force_new_pairing: false });
    expect(await stream.next()).toMatchObject({ data: { id: second, status: "connecting", status_reason: "starting" } });
    const session = await bridge.open(other.uuid);
    await session.commit([event.qr(1)]);
    expect(await stream.next()).toMatchObject({ event: "status", data: { id: second, status: "scan_qr", status_reason: "waiting_scan" } });
    await session.commit([event.paired()]);
    expect(await stream.next()).toMatchObject({ data: { id: second, status: "connecting", status_reason: "pairing" } });
    await session.commit([event.open()]);
    expect(await stream.next()).toEqual({
      event: "status",
      data: { id: second, status: "connected", status_reason: "ok", phone: PHONE },
    });
  });

  it("shows a guest the shared connections, and reports the rest as gone without revealing whether they exist", async () => {
    const [owner, guest] = [await someone(), await someone()];
    const [shared, foreign] = [await made(owner), await made(owner)];
    await shareWith(owner, shared, guest);
    const stream = await open(guest, [foreign.record.id, shared.record.id, 999_999_999]);
    expect(await stream.next()).toEqual({ event: "gone", data: { id: foreign.record.id } });
    expect(await stream.next()).toEqual({ event: "gone", data: { id: 999_999_999 } });
    expect(await stream.next()).toMatchObject({ event: "status", data: { id: shared.record.id } });
  });

  it("takes 1 to 25 ids, and nobody's without a sign-in", async () => {
    const owner = await someone();
    for (const ids of [[], ["x"], ["0"], ["1", ""], Array.from({ length: 26 }, (_, n) => n + 1)]) {
      const answer = await listOf(owner, ids);
      expect([answer.status, ((await answer.json()) as EnglishError).error.code]).toEqual([400, "validation_error"]);
    }
    expect((await ask("/api/dashboard/stream?ids=1")).status).toBe(401);
  });

  it("sends the status of each of 25 connections", async () => {
    const owner = await someone();
    const ids: number[] = [];
    for (let n = 0; n < 25; n++) ids.push((await made(owner)).record.id);
    expect(Object.keys(await frames(await open(owner, ids), 25)).map(Number)).toEqual(ids);
  });
});

describe("an object that cannot answer", () => {
  /** A gateway that cannot reach this connection's object while `isAway`. */
  function partly(uuid: string, isAway: () => boolean): ReturnType<typeof gateway> {
    const away = { fetch: () => Promise.reject(Object.assign(new Error("moved"), { retryable: true })) };
    const CONNECTION = { getByName: (name: string) => (name === uuid && isAway() ? away : env.CONNECTION.getByName(name)) };
    return gateway({ CONNECTION: CONNECTION as unknown as Env["CONNECTION"] });
  }

  it("costs its own row, until it answers again", async () => {
    const owner = await someone();
    const [well, ill] = [await made(owner), await made(owner)];
    let isAway = true;
    const stream = await open(
      owner,
      [well.record.id, ill.record.id],
      partly(ill.uuid, () => isAway),
    );
    expect(await frames(stream, 2)).toEqual({
      [well.record.id]: expect.objectContaining({ data: expect.objectContaining({ status: "disconnected" }) as object }) as Frame,
      [ill.record.id]: { event: "status", data: { id: ill.record.id, status: null, status_reason: "unavailable", phone: null } },
    });
    isAway = false;
    let back = (await stream.next()) as Frame;
    while (back.data.status === null) back = (await stream.next()) as Frame;
    expect(back).toMatchObject({ data: { id: ill.record.id, status: "disconnected" } });
  });

  it("is called again after a restart", async () => {
    const owner = await someone();
    const connection = await made(owner);
    const stream = await open(owner, [connection.record.id]);
    await stream.next();
    await runInDurableObject(connection.stub, (_object, state) => state.abort(CRASH)).catch(() => undefined);
    expect(await stream.next()).toMatchObject({ data: { id: connection.record.id, status: "disconnected" } });
  });
});

describe("the stream of a list", () => {
  /** The first event that is not a status; null if the stream ended. */
  async function endOf(stream: EventStream): Promise<unknown> {
    for (;;) {
      const frame = await stream.next();
      if (frame?.event !== "status") return frame;
    }
  }

  it("ends when a share in it is taken back, and comes back without that row", async () => {
    const [owner, guest] = [await someone(), await someone()];
    const [kept, lost] = [await made(owner), await made(owner)];
    await shareWith(owner, kept, guest);
    const share = (await (await shareWith(owner, lost, guest)).json()) as { data: { id: string } };
    const stream = await open(guest, [kept.record.id, lost.record.id]);
    const owners = await open(owner, [kept.record.id, lost.record.id]);
    await frames(stream, 2);
    await frames(owners, 2);
    const path = `/api/dashboard/connections/${lost.record.id}/shares/${share.data.id}`;
    expect((await ask(path, { method: "DELETE", headers: owner.headers })).status).toBeLessThan(300);
    expect(await endOf(stream)).toBeNull();
    const again = await open(guest, [kept.record.id, lost.record.id]);
    expect(await frames(again, 2)).toMatchObject({ [lost.record.id]: { event: "gone" }, [kept.record.id]: { event: "status" } });
    await lost.stub.configure({ ...lost.record, revision: 0, name: "Renamed" });
    const bridge = await kept.bridge();
    await kept.ask("instance.connect", { force_new_pairing: false });
    expect(await owners.next(), "the owner's stream goes on").toMatchObject({ data: { id: kept.record.id, status: "connecting" } });
    await bridge.open(kept.uuid);
  });

  it("ends when a connection in it is removed", async () => {
    const owner = await someone();
    const [kept, removed] = [await made(owner), await made(owner)];
    const stream = await open(owner, [kept.record.id, removed.record.id]);
    await frames(stream, 2);
    await removed.stub.wipe();
    expect(await endOf(stream)).toBeNull();
  });

  it("leaves no socket behind, and uses no slot of single-connection watchers", async () => {
    const owner = await someone();
    const connection = await made(owner);
    const { id } = connection.record;
    const watched = () => runInDurableObject(connection.stub, (_object, state) => state.getWebSockets("watch").length);
    const single = await EventStream.from(await ask(`/api/dashboard/connections/${id}/stream`, { headers: owner.headers }));
    await single.next();
    const lists: EventStream[] = [];
    for (let n = 0; n < 20; n++) lists.push(await open(owner, [id]));
    for (const list of lists) await list.next();
    expect(await watched()).toBe(21);
    for (const list of lists) await list.leave();
    await vi.waitFor(async () => expect(await watched()).toBe(1));
  });

  it("sends no more changes of a connection whose watcher slot another stream took", async () => {
    const owner = await someone();
    const [crowded, other] = [await made(owner), await made(owner)];
    const first = await open(owner, [crowded.record.id, other.record.id]);
    await frames(first, 2);
    for (let n = 0; n < 20; n++) await frames(await open(owner, [crowded.record.id]), 1);
    await other.bridge();
    await other.ask("instance.connect", { force_new_pairing: false });
    expect(await first.next()).toMatchObject({ data: { id: other.record.id, status: "connecting" } });
  });
});
