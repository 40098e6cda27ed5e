import { EventEmitter } from "node:events";
import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type WebSocket from "ws";
import { baileysRows } from "#root/session-bridge/networks/baileys/durability/row-serializer.ts";
import { WriteBehindCache } from "#root/session-bridge/store/write-behind-cache.ts";
import { OutputGate } from "#root/session-bridge/networks/baileys/durability/output-gate.ts";
import { RowCodec } from "#root/session-bridge/store/row-codec.ts";

let store: WriteBehindCache;
let wire: string[];
let socket: WebSocket;
let gate: OutputGate;

beforeEach(() => {
  store = new WriteBehindCache(new RowCodec(randomBytes(32), baileysRows), 0, () => undefined);
  wire = [];
  const fake = Object.assign(new EventEmitter(), { OPEN: 1, readyState: 1, send: (bytes: string) => void wire.push(bytes) });
  socket = fake as unknown as WebSocket;
  gate = new OutputGate(store, socket);
});

const write = (name: string): void => store.put([[`session|${name}`, { name }]]);
const stored = (): void => store.confirm((JSON.parse(store.nextCommit() ?? "{}") as { seq: number }).seq);

describe("the output gate", () => {
  it("passes frames when everything is durable", () => {
    socket.send("ping");
    expect(wire).toEqual(["ping"]);
  });

  it("holds frames until earlier writes are durable, and keeps their order", () => {
    write("a");
    socket.send("receipt");
    const first = store.nextCommit();
    write("b");
    socket.send("message");
    socket.send("ping");
    expect(wire).toEqual([]);
    store.confirm((JSON.parse(first ?? "{}") as { seq: number }).seq);
    expect(wire).toEqual(["receipt"]);
    stored();
    expect(wire).toEqual(["receipt", "message", "ping"]);
  });

  it("does not make senders wait for the store", async () => {
    write("a");
    await new Promise((resolve) => socket.send("message", resolve));
    expect(wire).toEqual([]);
  });

  it("reports when frames have been written", async () => {
    write("a");
    socket.send("message");
    const written = gate.written();
    stored();
    expect(await written).toBe(true);
    expect(await gate.written()).toBe(true);
  });

  it("tells whether a frame sent after a mark was written, also when a later frame never is", () => {
    write("a");
    socket.send("earlier");
    const hasLeft = gate.mark();
    stored();
    expect(wire).toEqual(["earlier"]);
    expect(hasLeft()).toBe(false);
    write("b");
    socket.send("message");
    const first = store.nextCommit();
    write("c");
    socket.send("blocked");
    expect(hasLeft()).toBe(false);
    store.confirm((JSON.parse(first ?? "{}") as { seq: number }).seq);
    expect(wire).toEqual(["earlier", "message"]);
    gate.close();
    expect(hasLeft()).toBe(true);
  });

  it("discards frames once the socket has closed, and reports it", async () => {
    write("a");
    socket.send("message");
    const written = gate.written();
    expect(gate.close()).toBe(1);
    stored();
    socket.send("late");
    expect(wire).toEqual([]);
    expect(await written).toBe(false);
    expect(await gate.written()).toBe(false);
  });
});
