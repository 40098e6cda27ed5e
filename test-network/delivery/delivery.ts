// Every device has a queue. A stanza that must arrive is in it until the device acks it; a device that connects gets
// what is left, marked `offline`, between an `offline_preview` and an `offline` (docs/durability.md, "Wire protocol: after login").
import type { BinaryNode } from "baileys";
import type { Changes } from "../changes.ts";
import type { Device } from "../model.ts";
import { node, SERVER_JID } from "../node.ts";
import type { Store } from "../store/store.ts";
import type { DeviceLink } from "./device-link.ts";
import type { Queued, Settlement } from "./device-queue.ts";

const REPLAY_CHUNK = 100;
const COUNTED = ["message", "receipt", "notification", "call"] as const;

export class Delivery {
  readonly #store: Store;
  readonly #changes: Changes;
  readonly #isHeld: (device: Device) => boolean;
  /** Links whose offline replay is complete: newly queued stanzas are written at once. */
  readonly #live = new WeakSet<DeviceLink>();

  constructor(store: Store, changes: Changes, isHeld: (device: Device) => boolean) {
    this.#store = store;
    this.#changes = changes;
    this.#isHeld = isHeld;
  }

  attach(device: Device, link: DeviceLink): void {
    device.online = link;
    this.#changes.report({ part: "phone", phone: device.account.pn });
    if (link.active) this.replay(device);
  }

  detach(device: Device): void {
    device.online = undefined;
    this.#changes.report({ part: "phone", phone: device.account.pn });
  }

  enqueue(device: Device, stanza: BinaryNode): void {
    const queued = device.queue.add(this.#store.nextSequence(), stanza);
    this.#store.saveQueued(device, queued);
    const link = device.online;
    if (link && this.#live.has(link) && !this.#isHeld(device)) this.#write(device, link, queued);
  }

  settle(device: Device, tag: string, settlement: Settlement): boolean {
    const settled = device.queue.settle(tag, settlement);
    if (settled) this.#store.removeQueued(settled.seq);
    return settled !== undefined;
  }

  /** Sends a stanza that is not queued: now, once all writes so far are durable, or not at all. */
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
    const held = this.#isHeld(device);
    const count = held ? 0 : device.queue.size;
    if (count > 0) this.emit(link, previewOf(device));
    const goLive = (): void => {
      this.#live.add(link);
      this.emit(link, node("ib", { from: SERVER_JID }, [node("offline", { count: String(count) })]));
    };
    if (held) goLive();
    else this.#writeWaiting(device, link, goLive);
  }

  /** After a hold: the held stanzas are written as if the device had been offline. */
  release(device: Device): void {
    const link = device.online;
    if (!link || !this.#live.delete(link)) return;
    this.#writeWaiting(device, link, () => this.#live.add(link));
  }

  // In chunks, so that a long queue does not block the event loop.
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
