import { createConnection } from "node:net";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Curve, proto } from "baileys";
import { verify } from "curve25519-js";
import { WebSocket } from "ws";
import { DeviceQueue } from "#root/test-network/delivery/device-queue.ts";
import { mintNoiseChain } from "#root/test-network/security/network-keys.ts";
import { startTestNetwork } from "#root/test-network/start.ts";
import { Journal } from "#root/test-network/store/journal.ts";

describe("a device's queue", () => {
  const message = (id: string, from = "a@s.whatsapp.net") => ({ tag: "message", attrs: { id, from } });

  it("settles one of two copies under one id, the older first", () => {
    const queue = new DeviceQueue();
    queue.add(1, message("X"));
    queue.add(2, message("X"));
    expect(queue.settle("message", { id: "X" })?.seq).toBe(1);
    expect(queue.size).toBe(1);
    expect(queue.settle("message", { id: "X" })?.seq).toBe(2);
    expect(queue.settle("message", { id: "X" })).toBeUndefined();
  });

  it("tells receipts of several readers of one message apart", () => {
    const queue = new DeviceQueue();
    const receipt = (participant: string) => ({ tag: "receipt", attrs: { id: "X", from: "g@g.us", participant } });
    queue.add(1, receipt("a@lid"));
    queue.add(2, receipt("b@lid"));
    expect(queue.settle("receipt", { id: "X", from: "g@g.us", participant: "b@lid" })?.seq).toBe(2);
  });

  it("shows additions during iteration", () => {
    const queue = new DeviceQueue();
    queue.add(1, message("A"));
    const seen: number[] = [];
    for (const { seq } of queue.entries()) {
      seen.push(seq);
      if (seq === 1) queue.add(2, message("B"));
    }
    expect(seen).toEqual([1, 2]);
  });
});

describe("the journal", () => {
  let stateDir: string;
  beforeEach(() => void (stateDir = mkdtempSync(join(tmpdir(), "journal-"))));
  afterEach(() => rmSync(stateDir, { recursive: true }));
  const PUT = "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)";
  const kept = (journal: Journal, name: string) => journal.read("SELECT value FROM setting WHERE name = ?", name)[0]?.["value"];

  it("releases nothing before its dependencies are written, and keeps the order", async () => {
    const journal = new Journal(stateDir);
    const out: string[] = [];
    journal.whenDurable(() => out.push("nothing to wait for"));
    journal.write("a", PUT, () => ["a", Buffer.from("1")]);
    journal.whenDurable(() => {
      out.push(`first, ${kept(journal, "a") ? "written" : "not written"}`);
      journal.write("b", PUT, () => ["b", Buffer.from("2")]);
      journal.whenDurable(() => out.push("third"));
    });
    journal.whenDurable(() => out.push(`second, ${kept(journal, "b") ? "written" : "not written"}`));
    expect(out).toEqual(["nothing to wait for"]);
    await new Promise<void>((resolve) => journal.whenDurable(resolve));
    await expect.poll(() => out).toEqual(["nothing to wait for", "first, written", "second, written", "third"]);
    journal.close();
  });

  it("writes a row once per turn, in its last state", async () => {
    const journal = new Journal(stateDir);
    let asked = 0;
    for (const value of ["1", "2", "3"]) journal.write("a", PUT, () => (asked++, ["a", Buffer.from(value)]));
    await new Promise<void>((resolve) => journal.whenDurable(resolve));
    expect(asked).toBe(1);
    expect(Buffer.from(kept(journal, "a") as Uint8Array).toString()).toBe("3");
    journal.close();
  });
});

describe("the certificates that prove the network's identity", () => {
  it("form a chain whose every signature passes a strict check", () => {
    const [root, server] = [Curve.generateKeyPair(), Curve.generateKeyPair()];
    const { intermediate, leaf } = proto.CertChain.decode(mintNoiseChain(root, server));
    const details = proto.CertChain.NoiseCertificate.Details.decode(intermediate!.details!);
    expect(verify(root.public, intermediate!.details!, intermediate!.signature!)).toBe(true);
    expect(verify(details.key!, leaf!.details!, leaf!.signature!)).toBe(true);
    expect(verify(server.public, intermediate!.details!, intermediate!.signature!)).toBe(false);
    expect(details.issuerSerial).toBe(0);
  });
});

describe("the network's public endpoints", () => {
  it("close on a client that does not speak the protocol", async () => {
    const running = await startTestNetwork();
    for (const nonsense of [
      Buffer.from("GET / HTTP/1.1"),
      Buffer.concat([Buffer.from([0x57, 0x41, 6, 3, 0, 0, 4]), Buffer.from("junk")]),
    ]) {
      const socket = new WebSocket(running.wsUrl);
      await once(socket, "open");
      const closed = once(socket, "close");
      socket.send(nonsense);
      await closed;
    }
    expect(running.network.stats.sockets).toBe(0);
    await running.close();
  });

  it("serve only files that were stored, whole or in part", async () => {
    const running = await startTestNetwork();
    const { path } = running.network.blobs.save(Buffer.from("0123456789"));
    const fetched = (name: string, headers = {}) =>
      new Promise<{ status: number; body: string }>((resolve, reject) => {
        get(`https://${running.mediaHost}${name}`, { ca: running.caPem, headers }, (response) => {
          response
            .toArray()
            .then((chunks) => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }), reject);
        }).on("error", reject);
      });
    expect(await fetched(path)).toEqual({ status: 200, body: "0123456789" });
    expect(await fetched(path, { range: "bytes=2-4" })).toEqual({ status: 206, body: "234" });
    expect((await fetched("/v/t62/../../etc/passwd")).status).toBe(404);
    expect((await fetched("/v/t62/unknown.enc")).status).toBe(404);
    await running.close();
  });

  it("are on loopback", async () => {
    const running = await startTestNetwork();
    const { hostname, port } = new URL(running.wsUrl);
    expect(hostname).toBe("127.0.0.1");
    const probe = createConnection(Number(port), hostname);
    await once(probe, "connect");
    expect(probe.remoteAddress).toBe("127.0.0.1");
    probe.destroy();
    await running.close();
  });
});
