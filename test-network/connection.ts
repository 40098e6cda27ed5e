import type { WebSocket } from "ws";
import type { BinaryNode, proto } from "baileys";
import type { DeviceLink } from "./delivery/device-queue.ts";
import { encodeStanza } from "./encode-stanza.ts";
import { errorTo, resultTo } from "./iq/dispatch.ts";
import type { Device } from "./model.ts";
import type { TestNetwork } from "./network.ts";
import { childrenOf, node, nowSeconds, SERVER_JID, decodeStanza } from "./node.ts";
import { WaitingCompanion } from "./pairing/companion.ts";
import type { NetworkIdentity } from "./security/network-keys.ts";
import { ServerNoise, type NoiseEvent } from "./security/noise.ts";
import { outdated } from "./strict/access.ts";

export class Connection implements DeviceLink {
  readonly #network: TestNetwork;
  readonly #socket: WebSocket;
  readonly #noise: ServerNoise;
  #device: Device | undefined;
  readonly #endHandshake: () => void;
  #companion: WaitingCompanion | undefined;
  #unsent: Buffer[] = [];
  #delayed: Promise<void> | undefined;
  /** True if the connection is half-open: it does not read or write, but does not close either. */
  #frozen = false;
  active = false;

  constructor(network: TestNetwork, identity: NetworkIdentity, socket: WebSocket) {
    this.#network = network;
    this.#socket = socket;
    this.#noise = new ServerNoise(identity.staticKey, identity.noiseChain);
    network.stats.sockets++;
    this.#endHandshake = network.access.handshake();
    socket.on("message", (bytes: Buffer) => this.#read(bytes));
    socket.on("close", () => this.#closed());
    socket.on("error", () => {});
  }

  send(stanza: BinaryNode, encoded: Uint8Array = encodeStanza(stanza)): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#write(this.#noise.seal(encoded));
  }

  end(lastStanza?: BinaryNode): void {
    this.active = false;
    if (lastStanza) this.send(lastStanza);
    this.#flush();
    this.#socket.close();
  }

  drop(): void {
    this.#socket.terminate();
  }

  freeze(): void {
    this.#frozen = true;
    this.#socket.pause();
  }

  // Frames from one event-loop turn are written as one packet.
  #write(frame: Buffer): void {
    if (this.#unsent.push(frame) === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const frames = this.#unsent;
    this.#unsent = [];
    if (this.#frozen) return;
    if (frames.length > 0 && this.#socket.readyState === this.#socket.OPEN) this.#socket.send(Buffer.concat(frames));
  }

  #read(bytes: Buffer): void {
    try {
      for (const event of this.#noise.push(bytes)) this.#on(event);
    } catch {
      this.#socket.terminate();
    }
  }

  #on(event: NoiseEvent): void {
    if (event.kind === "say") return this.#write(event.bytes);
    if (event.kind === "stanza") return this.#inOrder(decodeStanza(event.bytes));
    const { username } = event.payload;
    const { access } = this.#network;
    const stale = access.isStale(event.payload);
    if (stale && access.stale === "refused") return this.end(outdated());
    if (username === undefined || username === null || Number(username) === 0) return this.#admit(event.payload, event.clientKey, !stale);
    this.#login(event.payload, event.clientKey, event.routed);
  }

  #admit(payload: proto.ClientPayload, clientKey: Buffer, linkable: boolean): void {
    this.#endHandshake();
    this.#companion = new WaitingCompanion(this, clientKey, payload.devicePairingData ?? {});
    this.#network.pairing.admit(this.#companion, linkable);
  }

  #login({ username, device: id }: proto.ClientPayload, clientKey: Buffer, routed: boolean): void {
    const device = this.#network.directory.account(String(username))?.devices.get(id ?? 0);
    if (!device?.noiseKey || Buffer.compare(device.noiseKey, clientKey) !== 0) {
      return this.end(node("failure", { reason: "401", location: "atn" }));
    }
    if (this.#network.faults.strikeConnection(device, this)) return;
    // A device may have only one connection, so the older one receives a conflict and is closed.
    device.online?.end(node("stream:error", {}, [node("conflict", { type: "replaced" })]));
    this.#device = device;
    this.#network.attach(device, this);
    this.#endHandshake();
    this.#network.delivery.emit(this, node("success", { t: nowSeconds(), lid: device.lidJid, location: "lcl", creation: "1600000000" }));
    if (!routed) this.#network.delivery.emit(this, edgeRoute());
  }

  // A `delay` fault also delays everything behind it, so that a device's stanzas stay in order.
  #inOrder(stanza: BinaryNode): void {
    const ms = this.#device ? this.#network.faults.delayOf(this.#device, stanza) : 0;
    if (ms === 0 && !this.#delayed) return this.#handle(stanza);
    const before = this.#delayed ?? Promise.resolve();
    const handled = before.then(() => wait(ms)).then(() => this.#handle(stanza));
    this.#delayed = handled;
    void handled.finally(() => {
      if (this.#delayed === handled) this.#delayed = undefined;
    });
  }

  #handle(stanza: BinaryNode): void {
    const { type } = stanza.attrs;
    if (stanza.tag === "iq" && (type === "result" || type === "error")) return void this.#companion?.receive(stanza);
    if (this.#companion) return this.#answerCompanion(this.#companion, stanza);
    const device = this.#device;
    // The device was unlinked or its connection was replaced during the delay, so the stanza is dropped.
    if (!device || device.online !== this) return;
    if (stanza.tag !== "iq") return this.#network.receive(device, stanza);
    const answer = this.#network.request(device, stanza);
    if (!this.#network.faults.swallowsAnswer(device, stanza)) this.#network.delivery.emit(this, answer);
    if (stanza.attrs["xmlns"] === "passive") this.#setActive(device, childrenOf(stanza)[0]?.tag);
  }

  #answerCompanion(companion: WaitingCompanion, stanza: BinaryNode): void {
    if (stanza.tag !== "iq") return;
    const reply = this.#network.pairing.answer(companion, stanza);
    this.send(reply.code === undefined ? resultTo(stanza, reply.content) : errorTo(stanza, reply.code));
  }

  #setActive(device: Device, tag: string | undefined): void {
    if (tag !== "active" || this.active) return;
    this.active = true;
    this.#network.delivery.replay(device);
  }

  #closed(): void {
    this.active = false;
    this.#network.stats.sockets--;
    this.#endHandshake();
    if (this.#companion) this.#network.pairing.closed(this.#companion);
    if (this.#device) this.#network.detach(this.#device, this);
  }
}

// Clients prepend the routing info to their next handshake, so the server must skip it.
function edgeRoute(): BinaryNode {
  return node("ib", { from: SERVER_JID }, [node("edge_routing", {}, [node("routing_info", {}, Buffer.from("local"))])]);
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
