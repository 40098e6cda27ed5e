// Write-ahead journal of inbound stanzas, kept until their events are emitted and replayed after a crash.
import type { BinaryNode, WASocket } from "baileys";
import type { Logger } from "pino";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { errorFacts } from "#bridge/log.ts";
import { backoffMs } from "#bridge/reconnect-delays.ts";
import { boundedCache } from "../session/per-session.ts";
import { decodeStanzaRow, encodeStanzaRow } from "./stanza-row.ts";
import type { WriteBehindCache } from "#bridge/store/write-behind-cache.ts";
import { Deferred } from "#bridge/store/row-codec.ts";

const TAGS = ["message", "receipt", "notification", "call"] as const;
const EVENTS: ReadonlyMap<string, string> = new Map(TAGS.map((tag) => [`CB:${tag}`, tag]));
const OFFLINE_ID_CACHE_SIZE = 2_000;
const ARRIVAL_CACHE_SIZE = 500;
const YIELD_INTERVAL = 10;
/** Longer than a query's timeout. Baileys does not limit how long a handler takes, so one that takes longer may never end. */
export const HANDLER_LIMIT_MS = 60_000;

const RETRY_FIRST_MS = 60_000;
const RETRY_CAP_MS = HOUR_MS;

/** Stanzas on which the library stopped working before they were finished. The library does not report such failures. */
export type Unfinished = {
  /** Called when the library has ended its work. Returns whether the stanza must be kept. */
  keeps(node: BinaryNode): boolean;
  isKept(node: BinaryNode): boolean;
};

type Options = {
  /** Enables `arrivedAt`. */
  timesArrivals?: boolean;
  /** Called with the tag of a stanza that failed, or with "task". */
  failed?: (what: string) => void;
  unfinished?: Unfinished;
};

type JournaledNode = {
  node: BinaryNode | null;
  /** `handled` means that Baileys has finished with the stanza, but tasks numbered up to `until` may still be processing its events. */
  state: "waiting" | "with_baileys" | "handled";
  until: number;
};

type Attachment = {
  listeners: (tag: string) => ((node: BinaryNode) => unknown)[];
  journaled: () => boolean;
  /** True if the socket can no longer respond. The library then drops stanzas without emitting events. */
  ended: () => boolean;
  open: boolean;
  replayed: boolean;
  inOrder: Promise<void>;
  /** Resolves when Baileys has the last stanza of `inOrder`. From then on, Baileys keeps the order. */
  handedOver: Promise<void>;
  /** The number of stanzas of `inOrder` that Baileys does not have yet. */
  queued: number;
  /** True once a handler took longer than `HANDLER_LIMIT_MS`. No stanza waits for another one from then on. */
  stalled: boolean;
  /** The number of unfinished replayed stanzas. While there are any, live stanzas wait in `live`. */
  replaying: number;
  live: (() => void)[];
  handled: number;
  /** Kept stanzas (`Unfinished`), which the next retry hands to Baileys again. */
  kept: number[];
  retries: number;
  retryTimer: NodeJS.Timeout | undefined;
};

export class Journal {
  readonly #store: WriteBehindCache;
  readonly #logger: Logger;
  readonly #failed: (what: string) => void;
  readonly #unfinished: Unfinished;
  readonly #entries = new Map<number, JournaledNode>();
  readonly #handled: number[] = [];
  readonly #tasks = new Map<number, Promise<void>>();
  readonly #offline = boundedCache<string, true>(OFFLINE_ID_CACHE_SIZE);
  /** Arrival times on the monotonic clock (ms). Null unless tracing is on. */
  readonly #arrivals: ReturnType<typeof boundedCache<string, number>> | null;
  #lastEntry = 0;
  #lastTask = 0;
  #attachment: Attachment | null = null;

  constructor(store: WriteBehindCache, logger: Logger, { timesArrivals = false, failed, unfinished }: Options = {}) {
    this.#failed = failed ?? (() => undefined);
    this.#unfinished = unfinished ?? { keeps: () => false, isKept: () => false };
    this.#arrivals = timesArrivals ? boundedCache(ARRIVAL_CACHE_SIZE) : null;
    this.#store = store;
    this.#logger = logger;
    for (const name of store.names()) {
      if (!name.startsWith("journal|")) continue;
      const entry = Number(name.slice(8));
      this.#entries.set(entry, { node: null, state: "waiting", until: 0 });
      this.#lastEntry = Math.max(this.#lastEntry, entry);
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  arrivedOffline(id: string): boolean {
    return this.#offline.get(id) === true;
  }

  arrivedAt(id: string): number | undefined {
    return this.#arrivals?.get(id);
  }

  /** Intercepts stanzas between the socket and Baileys. `journaled` is false until the number is paired. Nothing is stored until then. */
  attach(sock: WASocket, journaled: () => boolean): () => void {
    const emit = sock.ws.emit.bind(sock.ws);
    const attachment: Attachment = {
      listeners: (tag) => sock.ws.listeners(`CB:${tag}`) as ((node: BinaryNode) => unknown)[],
      journaled,
      ended: () => sock.ws.isClosing || sock.ws.isClosed,
      open: true,
      replayed: false,
      inOrder: Promise.resolve(),
      handedOver: Promise.resolve(),
      queued: 0,
      stalled: false,
      replaying: 0,
      live: [],
      handled: 0,
      kept: [],
      retries: 0,
      retryTimer: undefined,
    };
    this.#attachment = attachment;
    sock.ws.emit = (event: string | symbol, ...args: unknown[]): boolean => {
      const tag = typeof event === "string" ? EVENTS.get(event) : undefined;
      if (tag === undefined || !attachment.open) return emit(event, ...args);
      this.#receive(attachment, args[0] as BinaryNode);
      return true;
    };
    return () => {
      attachment.open = false;
      clearTimeout(attachment.retryTimer);
      this.#attachment = null;
      for (const entry of this.#entries.values()) if (entry.state === "with_baileys") entry.state = "waiting";
    };
  }

  /** Replays entries left by earlier sockets and processes, once per socket. Call it when the session is open. */
  replay(): void {
    const attachment = this.#attachment;
    if (attachment === null || attachment.replayed) return;
    attachment.replayed = true;
    const waiting = [...this.#entries].filter(([, entry]) => entry.state === "waiting").sort(([a], [b]) => a - b);
    if (waiting.length > 0) this.#logger.info({ stanzas: waiting.length }, "journal.replayed");
    attachment.replaying = waiting.length;
    for (const [number, entry] of waiting) {
      this.#runInOrder(attachment, number, entry);
      void attachment.inOrder.finally(() => this.#replayed(attachment));
    }
  }

  task(work: () => Promise<void>): void {
    this.#lastTask += 1;
    const number = this.#lastTask;
    const ended = work()
      .catch((error: unknown) => {
        this.#logger.error(errorFacts(error), "task.failed");
        this.#failed("task");
      })
      .finally(() => {
        this.#tasks.delete(number);
        this.#deleteHandled();
      });
    this.#tasks.set(number, ended);
  }

  #receive(attachment: Attachment, node: BinaryNode): void {
    if (node.attrs.id !== undefined) this.#arrivals?.set(node.attrs.id, performance.now());
    if (!attachment.journaled()) {
      void this.#handle(attachment, node);
      return;
    }
    // New stanzas may arrive before the library reports the session as open. Older entries must go first.
    this.replay();
    this.#lastEntry += 1;
    const number = this.#lastEntry;
    const entry: JournaledNode = { node, state: "waiting", until: 0 };
    this.#entries.set(number, entry);
    this.#store.put([[`journal|${number}`, new Deferred(() => encodeStanzaRow(node))]], node.tag !== "receipt");
    if (node.attrs.offline !== undefined) {
      this.#rememberOffline(node);
      this.#runInOrder(attachment, number, entry);
      return;
    }
    const run = (): void => void this.#run(attachment, number, entry, node);
    if (attachment.replaying > 0) attachment.live.push(run);
    else void this.#afterQueued(attachment, run);
  }

  /** Hands over a live stanza after the offline ones that arrived before it, so that messages of a chat keep their order. */
  async #afterQueued(attachment: Attachment, run: () => void): Promise<void> {
    if (attachment.queued > 0) await attachment.handedOver;
    if (attachment.open) run();
  }

  #replayed(attachment: Attachment): void {
    attachment.replaying -= 1;
    if (attachment.replaying > 0 || !attachment.open) return;
    for (const run of attachment.live.splice(0)) void this.#afterQueued(attachment, run);
  }

  /** Processes one stanza at a time, as Baileys does with offline ones, because Baileys' queue does not report when a stanza is done. */
  #runInOrder(attachment: Attachment, number: number, entry: JournaledNode): void {
    entry.state = "with_baileys";
    const before = attachment.inOrder;
    const { promise, resolve } = Promise.withResolvers<void>();
    attachment.handedOver = promise;
    attachment.queued += 1;
    const handedOver = (): void => {
      attachment.queued -= 1;
      resolve();
    };
    attachment.inOrder = this.#runAfter({ before, handedOver }, attachment, number, entry);
  }

  async #runAfter(
    { before, handedOver }: { before: Promise<void>; handedOver: () => void },
    attachment: Attachment,
    number: number,
    entry: JournaledNode,
  ): Promise<void> {
    await before;
    const node = await this.#node(number, entry);
    // A kept stanza does not run here, because the other stanzas would wait for each of its attempts.
    const isKept = node !== null && this.#unfinished.isKept(node);
    if (isKept) this.#keep(attachment, number, entry);
    const ended = node === null || isKept || !attachment.open ? null : this.#run(attachment, number, entry, node);
    handedOver();
    if (node === null || ended === null) return;
    if (!attachment.stalled) await this.#withinLimit(attachment, node.tag, ended);
    attachment.handled += 1;
    if (attachment.handled % YIELD_INTERVAL === 0) await new Promise((resolve) => setImmediate(resolve));
  }

  async #withinLimit(attachment: Attachment, tag: string, ended: Promise<void>): Promise<void> {
    const limit = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      attachment.stalled = true;
      this.#logger.warn({ tag, limit_ms: HANDLER_LIMIT_MS }, "journal.stalled");
      this.#failed(tag);
      limit.resolve();
    }, HANDLER_LIMIT_MS).unref();
    await Promise.race([ended, limit.promise]);
    clearTimeout(timer);
  }

  async #node(number: number, entry: JournaledNode): Promise<BinaryNode | null> {
    if (entry.node !== null) return entry.node;
    try {
      const row = this.#store.get(`journal|${number}`);
      if (Buffer.isBuffer(row)) return await decodeStanzaRow(row);
    } catch (error) {
      // Drops the row, because otherwise later stanzas would wait for this one forever.
      this.#logger.error(errorFacts(error), "journal.unreadable");
      this.#failed("journal");
      this.#store.put([[`journal|${number}`, null]], false);
    }
    this.#entries.delete(number);
    return null;
  }

  async #run(attachment: Attachment, number: number, entry: JournaledNode, node: BinaryNode): Promise<void> {
    entry.state = "with_baileys";
    await this.#handle(attachment, node);
    // A closed socket has discarded its buffered events, so the entry is kept for the next socket.
    if (!attachment.open || attachment.ended()) return;
    if (this.#unfinished.keeps(node)) this.#keep(attachment, number, entry);
    else this.#finish(number, entry);
  }

  #keep(attachment: Attachment, number: number, entry: JournaledNode): void {
    entry.state = "waiting";
    attachment.kept.push(number);
    this.#retryLater(attachment);
  }

  #retryLater(attachment: Attachment): void {
    if (!attachment.open) return;
    const delayMs = backoffMs(attachment.retries + 1, RETRY_FIRST_MS, RETRY_CAP_MS);
    attachment.retryTimer ??= setTimeout(() => void this.#retry(attachment), delayMs).unref();
  }

  /** Stops at the first stanza that must be kept again, because messages wait while the library works on a retried stanza. */
  async #retry(attachment: Attachment): Promise<void> {
    const mayRun = (): boolean => attachment.open && !attachment.ended();
    let failed = false;
    while (mayRun() && !failed) {
      const number = attachment.kept.shift();
      const entry = number === undefined ? undefined : this.#entries.get(number);
      if (number === undefined || entry === undefined) break;
      const node = await this.#node(number, entry);
      if (node === null || !mayRun()) continue;
      if (this.#unfinished.isKept(node)) await this.#run(attachment, number, entry, node);
      else this.#finish(number, entry);
      failed = entry.state === "waiting";
    }
    attachment.retries = failed ? attachment.retries + 1 : 0;
    attachment.retryTimer = undefined;
    if (attachment.kept.length > 0) this.#retryLater(attachment);
  }

  #finish(number: number, entry: JournaledNode): void {
    entry.state = "handled";
    entry.until = this.#lastTask;
    entry.node = null;
    this.#handled.push(number);
    this.#deleteHandled();
  }

  async #handle(attachment: Attachment, node: BinaryNode): Promise<void> {
    const { offline } = node.attrs;
    // Baileys reads `offline` twice: first to choose its queue, before its first await, and later to distinguish `append` from `notify`.
    delete node.attrs.offline;
    const handling = attachment.listeners(node.tag).map(async (listener) => listener(node));
    if (offline !== undefined) node.attrs.offline = offline;
    for (const outcome of await Promise.allSettled(handling)) {
      if (outcome.status === "fulfilled") continue;
      this.#logger.warn({ tag: node.tag, ...errorFacts(outcome.reason) }, "stanza.failed");
      this.#failed(node.tag);
    }
  }

  #deleteHandled(): void {
    const [oldestTask = Number.POSITIVE_INFINITY] = this.#tasks.keys();
    while (this.#handled.length > 0) {
      const number = this.#handled[0] ?? 0;
      const entry = this.#entries.get(number);
      if (entry !== undefined && entry.until >= oldestTask) return;
      this.#handled.shift();
      this.#entries.delete(number);
      this.#store.put([[`journal|${number}`, null]], false);
    }
  }

  #rememberOffline(node: BinaryNode): void {
    if (node.attrs.id !== undefined) this.#offline.set(node.attrs.id, true);
    const [child] = Array.isArray(node.content) ? node.content : [];
    const callId = node.tag === "call" ? child?.attrs["call-id"] : undefined;
    if (callId !== undefined) this.#offline.set(callId, true);
  }
}
