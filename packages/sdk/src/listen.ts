// A durable listener. It receives every event once and in order, even after lost connections and restarts of this program.
import { ApiError, ConnectionError, ListenerTakenError } from "./errors.ts";
import { StreamError, blocksOf, jittered } from "./stream.ts";
import { type UnknownEvent, typedEvent } from "./typed-event.ts";

/** Where reading continues. `place` is the number of the last handled event, and `ids` are the last handled events, newest last. */
export type ListenerPlace = { listener: string; place: string | null; ids: string[]; at: string | null };

/** Stores the place. `fileCheckpoint` from `@gateway/sdk/checkpoint` keeps it in a file. */
export interface Checkpoint {
  load(): Promise<ListenerPlace | null>;
  /** Called after a new listener was created, before its first event. */
  start(listener: string): Promise<void>;
  /** Called after an event was handled. `id` is null for a gap. */
  save(handled: { listener: string; place: string; id: string | null; at: string }): Promise<void>;
}

/** Events between `since` and `until` were not received. `missed` is null if their number is unknown, because the listener had ended. */
export type GapEvent = { type: "gap"; id: null; missed: number | null; since: string | null; until: string | null };

export type ListenState =
  | { state: "ready"; listener: string }
  | { state: "lost"; reason: string }
  /** `awayMs` says how long there was no stream. */
  | { state: "resumed"; awayMs: number };

export type ListenOptions = {
  /** The event types to receive. If absent, the listener receives all types. The types are fixed when the listener is created. */
  types?: readonly string[];
  /** The listener's name, which the gateway shows. */
  name?: string;
  /** Without a checkpoint, the place is kept in memory, so a restart begins with new events. */
  checkpoint?: Checkpoint;
  signal?: AbortSignal;
  onState?: (state: ListenState) => void;
};

/** `body` is the exact text of a webhook's body. */
export type RawEvent = { type: string; id: string; body: string };

export type ListenApi = {
  create: (body: { name: string; events?: readonly string[] }, signal: AbortSignal | undefined) => Promise<{ id: string }>;
  open: (listener: string, lastEventId: string | null, signal: AbortSignal | undefined) => Promise<Response>;
  sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  known: readonly string[];
};

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
const NO_LISTENER = new Set<string | null>(["listener_not_found", "ouvinte_nao_encontrado"]);
const REMEMBERED_IDS = 10_000;
/** The server ends streams regularly. If a stream lasted this long, it is assumed to have ended that way, so nothing was lost. */
const PLANNED_END_MS = 60_000;

/** An event is considered handled when the program asks for the next one. Only then is its place stored. */
export async function* listenRaw(api: ListenApi, options: ListenOptions): AsyncGenerator<RawEvent | GapEvent> {
  const { signal, onState, checkpoint } = options;
  const saved: Partial<ListenerPlace> = (await checkpoint?.load()) ?? {};
  const handled = new RecentIds(saved.ids ?? []);
  let { listener = null, place = null, at = null }: { listener?: string | null; place?: string | null; at?: string | null } = saved;
  let hasEnded = false;
  let pause = FIRST_PAUSE_MS;
  let lostAt: number | null = null;
  let isReady = false;
  const isAborted = (): boolean => signal?.aborted === true;
  while (!isAborted()) {
    const earlier = listener;
    let openedAt = Date.now();
    let reason = "the stream ended";
    try {
      if (listener === null) {
        const made = await api.create({ name: options.name ?? "listen", ...(options.types && { events: options.types }) }, signal);
        const now = new Date().toISOString();
        // Reported before the new listener is stored, so that a crash in between repeats the report instead of losing it.
        if (hasEnded) yield { type: "gap", id: null, missed: null, since: at, until: now };
        await checkpoint?.start(made.id);
        [listener, place, hasEnded] = [made.id, null, false];
      }
      const response = await api.open(listener, place, signal);
      openedAt = Date.now();
      if (!isReady) onState?.({ state: "ready", listener });
      else if (lostAt !== null) onState?.({ state: "resumed", awayMs: openedAt - lostAt });
      [isReady, lostAt] = [true, null];
      for await (const { id, type, text } of blocksOf(response)) {
        pause = FIRST_PAUSE_MS;
        if (text === "") throw new ListenerTakenError("Another program opened the stream");
        const event = eventOf(type, text);
        if (event.id === null || !handled.has(event.id)) yield event;
        if (event.id !== null) handled.add(event.id);
        at = new Date().toISOString();
        if (id !== null) await checkpoint?.save({ listener, place: id, id: event.id, at });
        place = id ?? place;
      }
    } catch (error) {
      if (isAborted()) return;
      if (error instanceof ApiError && NO_LISTENER.has(error.code)) [listener, hasEnded] = [null, true];
      else if (!isTransient(error, hasEnded || listener !== null)) throw error;
      reason = error instanceof ApiError ? `the gateway answered ${error.status}` : "the network failed";
    }
    if (Date.now() - openedAt >= PLANNED_END_MS) pause = FIRST_PAUSE_MS;
    else if (lostAt === null && isReady) {
      lostAt = Date.now();
      onState?.({ state: "lost", reason });
    }
    // Events are lost while no listener exists. If the new one is not found either, the pause below prevents a loop.
    if (earlier !== null && listener === null) continue;
    await api.sleep(jittered(pause), signal).catch(() => undefined);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

/** Parsed events, with types unknown to this version as `$unknown`. */
export async function* listen<Event>(api: ListenApi, options: ListenOptions): AsyncGenerator<Event | UnknownEvent | GapEvent> {
  for await (const event of listenRaw(api, options))
    yield event.id === null ? event : (typedEvent(JSON.parse(event.body), api.known, event.type) as Event);
}

/** Errors in the program's own code between two events are not retried, and neither are refusals. */
function isTransient(error: unknown, hadListener: boolean): boolean {
  if (error instanceof ApiError) {
    const { status, code } = error;
    // A proxy's 404 has no code. Before the first listener exists, it can also mean a wrong `baseUrl`.
    return status >= 500 || status === 429 || status === 408 || (status === 404 && code === null && hadListener);
  }
  return error instanceof ConnectionError || error instanceof StreamError;
}

function eventOf(type: string, body: string): RawEvent | GapEvent {
  const { id, missed, since, until } = JSON.parse(body) as { id: unknown } & Omit<GapEvent, "type" | "id">;
  return type === "gap" ? { type, id: null, missed, since, until } : { type, id: String(id), body };
}

/** Remembers the newest ids, because an event can arrive again under another number. */
export class RecentIds {
  readonly #ids: Set<string>;

  constructor(ids: readonly string[]) {
    this.#ids = new Set(ids.slice(-REMEMBERED_IDS));
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    const [oldest = ""] = this.#ids.add(id);
    if (this.#ids.size > REMEMBERED_IDS) this.#ids.delete(oldest);
  }

  list(): string[] {
    return [...this.#ids];
  }
}
