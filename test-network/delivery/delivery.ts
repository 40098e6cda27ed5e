// Each device has a queue, in which stanzas stay until acked. A connecting device gets them between `offline_preview` and `offline`.
import type { BinaryNode } from "baileys";
import type { Changes } from "../changes.ts";
import type { Device } from "../model.ts";
import { node, SERVER_JID } from "../node.ts";
import type { Stats } from "../stats.ts";
import type { Store } from "../store/store.ts";
import type { DeviceLink, Queued, Settlement } from "./device-queue.ts";

const REPLAY_CHUNK = 100;
const COUNTED = ["message", "receipt", "notification", "call"] as const;
/** On a strict network: the number of stanzas replayed without a request, and the maximum per `offline_batch`. */
const FIRST_BATCH = 5;
const LARGEST_BATCH = 200;

/** On a strict network, devices request offline stanzas, error acks leave a stanza queued, and sockets with overdue acks are closed. */
export type StrictDelivery = {
  readonly recycleMs: number;
};

export type DeliveryFaults = {
  holds(device: Device): boolean;
  omitsEnd(device: Device): boolean;
};

export class Delivery {
  readonly #store: Store;
  readonly #changes: Changes;
  readonly #stats: Stats;
  readonly #strict: StrictDelivery | null;
  readonly #faults: DeliveryFaults;
  /** Links whose replay has finished, so that new stanzas are written immediately. */
  readonly #live = new WeakSet<DeviceLink>();
  /** Links that request offline stanzas in batches, with the number of stanzas still requested. */
  readonly #pulling = new WeakMap<DeviceLink, { wanted: number; count: number }>();
  readonly #recycling = new WeakMap<DeviceLink, NodeJS.Timeout>();

  constructor(
    { store, changes, stats }: { store: Store; changes: Changes; stats: Stats },
    strict: StrictDelivery | null,
    faults: DeliveryFaults,
  ) {
    this.#store = store;
    this.#changes = changes;
    this.#stats = stats;
    this.#strict = strict;
    this.#faults = faults;
  }

  attach(device: Device, link: DeviceLink): void {
    device.online = link;
    this.#changes.report({ part: "phone", phone: device.account.pn });
    if (this.#isStrictWith(device)) this.#recycleOften(device, link, this.#strict?.recycleMs);
    if (link.active) this.replay(device);
  }

  detach(device: Device): void {
    if (device.online) clearInterval(this.#recycling.get(device.online));
    device.online = undefined;
    this.#changes.report({ part: "phone", phone: device.account.pn });
  }

  enqueue(device: Device, stanza: BinaryNode): void {
    const queued = device.queue.add(this.#store.nextSequence(), stanza);
    this.#store.saveQueued(device, queued);
    const link = device.online;
    if (link && this.#live.has(link) && !this.#faults.holds(device)) this.#write(device, link, queued);
  }

  settle(device: Device, tag: string, settlement: Settlement): boolean {
    const settled = device.queue.settle(tag, settlement);
    if (!settled) return false;
    this.#store.removeQueued(settled.seq);
    if (settled.refused) this.#writePulled(device);
    return true;
  }

  refuse(device: Device, tag: string, settlement: Settlement): void {
    if (!this.#isStrictWith(device)) {
      this.settle(device, tag, settlement);
      return;
    }
    const refused = device.queue.refuse(tag, settlement);
    if (refused) this.#store.saveRefused(refused.seq);
  }

  /** Sends a stanza outside of the queue, once all earlier writes are durable. If the link is gone, the stanza is lost. */
  emit(link: DeviceLink | undefined, stanza: BinaryNode): void {
    if (link) this.#store.journal.whenDurable(() => link.send(stanza));
  }

  endLink(link: DeviceLink, lastStanza?: BinaryNode): void {
    this.#store.journal.whenDurable(() => link.end(lastStanza));
  }

  /** Writes the queue between `offline_preview` and `offline`, then goes live. */
  replay(device: Device): void {
    const link = device.online;
    if (!link) return;
    const held = this.#faults.holds(device);
    const count = held ? 0 : device.queue.size;
    if (count > 0) this.emit(link, previewOf(device));
    if (!held && this.#isStrictWith(device)) {
      this.#pulling.set(link, { wanted: FIRST_BATCH, count });
      return this.#writePulled(device);
    }
    const goLive = (): void => this.#goLive(device, link, count);
    if (held) goLive();
    else this.#writeWaiting(device, link, goLive);
  }

  pull(device: Device, count: number): void {
    const pulling = device.online && this.#pulling.get(device.online);
    if (!pulling) return;
    pulling.wanted += Math.min(count, LARGEST_BATCH);
    this.#writePulled(device);
  }

  /** When a hold ends, writes the held stanzas as if the device had been offline. */
  release(device: Device): void {
    const link = device.online;
    if (!link || !this.#live.delete(link)) return;
    this.#writeWaiting(device, link, () => this.#live.add(link));
  }

  /** Stops writing queued stanzas to this connection. All other stanzas are still written. */
  deafen(device: Device): void {
    if (!device.online) return;
    this.#live.delete(device.online);
    this.#pulling.delete(device.online);
  }

  /** Closes the socket of a linked device that has an overdue ack. Returns true if it did. */
  recycle(device: Device): boolean {
    const link = device.online;
    if (!link || device.id === 0) return false;
    const owed = [...device.queue.entries()].find(({ sentOn, refused }) => sentOn === link && !refused);
    if (!owed) return false;
    this.#stats.recycled++;
    this.endLink(link, node("stream:error", {}, [node("ack", { id: owed.stanza.attrs["id"] })]));
    return true;
  }

  #recycleOften(device: Device, link: DeviceLink, everyMs: number | undefined): void {
    const timer = setInterval(() => device.online === link && this.recycle(device), everyMs);
    this.#recycling.set(link, timer.unref());
  }

  #isStrictWith(device: Device): boolean {
    return this.#strict !== null && device.id !== 0;
  }

  #goLive(device: Device, link: DeviceLink, count: number): void {
    this.#pulling.delete(link);
    this.#live.add(link);
    if (!this.#faults.omitsEnd(device)) this.emit(link, node("ib", { from: SERVER_JID }, [node("offline", { count: String(count) })]));
  }

  // First sends the stanza that was acked with an error. The others wait until it is settled.
  #writePulled(device: Device): void {
    const link = device.online;
    const pulling = link && this.#pulling.get(link);
    if (!pulling) return;
    const { firstRefused } = device.queue;
    if (firstRefused) {
      if (firstRefused.sentOn !== link) this.#write(device, link, firstRefused, true);
      return;
    }
    for (const queued of device.queue.entries()) {
      if (queued.sentOn === link) continue;
      if (pulling.wanted === 0) return;
      pulling.wanted--;
      this.#write(device, link, queued, true);
    }
    this.#goLive(device, link, pulling.count);
  }

  // Written in chunks, so that a long queue does not block the event loop.
  #writeWaiting(device: Device, link: DeviceLink, done: () => void): void {
    const entries = device.queue.entries();
    const next = (): void => {
      for (let written = 0; written < REPLAY_CHUNK;) {
        const { value: queued, done: exhausted } = entries.next();
        if (device.online !== link) return;
        if (exhausted) return done();
        if (queued.sentOn === link) continue;
        this.#write(device, link, queued, true);
        written++;
      }
      setImmediate(next);
    };
    next();
  }

  #write(device: Device, link: DeviceLink, queued: Queued, replayed = false): void {
    queued.sentOn = link;
    this.#store.journal.whenDurable(() => {
      if (device.online !== link) return;
      if (replayed) link.send({ ...queued.stanza, attrs: { ...queued.stanza.attrs, offline: "0" } });
      else link.send(queued.stanza, queued.encoded);
    });
  }
}

function previewOf(device: Device): BinaryNode {
  const counts: Record<string, number> = {};
  for (const { stanza } of device.queue.entries()) counts[stanza.tag] = (counts[stanza.tag] ?? 0) + 1;
  const shown = Object.fromEntries(COUNTED.map((tag) => [tag, String(counts[tag] ?? 0)]));
  return node("ib", { from: SERVER_JID }, [node("offline_preview", { count: String(device.queue.size), appdata: "0", ...shown })]);
}
