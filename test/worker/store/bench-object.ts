// Workload of `bench/store.ts` inside workerd: the stores over a real object's SQLite.
import { DurableObject } from "cloudflare:workers";
import { EventProjection } from "#root/durable-objects/connection/projection/event-projection.ts";
import { migrate } from "#root/durable-objects/shared/migrate.ts";
import { STORE_MIGRATIONS, Stores } from "#root/durable-objects/connection/store/stores.ts";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import { arrival, chatId, messageId, T0 } from "../../support/arrivals.ts";
import { ALL_CHATS, ALL_MESSAGES } from "./queries.ts";

const CHATS = { ...ALL_CHATS, limit: 10 };
const MESSAGES = { ...ALL_MESSAGES, limit: 10 };

type Job = { name: string; times: number; run: (n: number) => unknown };

export class StoreBench extends DurableObject<object> {
  readonly #stores: Stores;
  readonly #projection: EventProjection;
  #messages = 0;

  constructor(ctx: DurableObjectState, env: object) {
    super(ctx, env);
    migrate(ctx.storage, [
      ["store", STORE_MIGRATIONS],
      ["bench", ["CREATE TABLE bare (no INTEGER PRIMARY KEY, id TEXT UNIQUE, text TEXT)"]],
    ]);
    this.#stores = new Stores(ctx.storage.sql);
    this.#projection = new EventProjection(this.#stores);
  }

  /** `?chats=N` fills the store until it has N chats with one message each, then returns µs per operation. */
  override async fetch(request: Request): Promise<Response> {
    const chats = Number(new URL(request.url).searchParams.get("chats"));
    await this.#fill(chats);
    const figures: Record<string, number> = {};
    for (const job of this.#jobs(chats)) figures[job.name] = await this.#measure(job);
    return Response.json(figures);
  }

  async #fill(chats: number): Promise<void> {
    while (this.#messages < chats) {
      const events = Array.from({ length: Math.min(1_000, chats - this.#messages) }, () => this.#arrival(this.#messages, this.#messages));
      this.#projection.apply(events, T0 * 1000);
      await scheduler.wait(0);
    }
  }

  #jobs(chats: number): Job[] {
    const some = (n: number): string => chatId((n * 7_919) % chats);
    return [
      {
        name: "bare insert",
        times: 2_000,
        run: () => this.ctx.storage.sql.exec("INSERT INTO bare (id, text) VALUES (?, ?)", crypto.randomUUID(), "Oi"),
      },
      {
        name: "text, 50 chats active",
        times: 2_000,
        run: (n) => this.#projection.apply([this.#arrival((n % 50) % chats, this.#messages)], T0 * 1000),
      },
      {
        name: "text, any chat",
        times: 2_000,
        run: (n) => this.#projection.apply([this.#arrival((n * 7_919) % chats, this.#messages)], T0 * 1000),
      },
      { name: "the same again", times: 2_000, run: () => this.#projection.apply([arrival(0, 0)], T0 * 1000) },
      { name: "chats, first page", times: 500, run: () => this.#stores.chatQueries.list(CHATS) },
      { name: "chats, archived", times: 500, run: () => this.#stores.chatQueries.list({ ...CHATS, archived: true }) },
      { name: "chats, by name", times: 500, run: (n) => this.#stores.chatQueries.list({ ...CHATS, q: `Pessoa ${(n * 7_919) % chats} ` }) },
      { name: "messages of a chat", times: 500, run: (n) => this.#stores.messageQueries.list({ ...MESSAGES, chat_id: some(n) }) },
      { name: "own sends", times: 500, run: () => this.#stores.messageQueries.list({ ...MESSAGES, status: "failed" }) },
      { name: "one message", times: 1_000, run: (n) => this.#stores.messageQueries.get(messageId((n * 7_919) % chats), null) },
    ];
  }

  /** µs per call after a warm-up. An object's clock stops during computation, so it is read after a turn of the event loop. */
  async #measure({ times, run }: Job): Promise<number> {
    for (let n = 0; n < times / 10; n++) run(n);
    await scheduler.wait(1);
    const startedAt = Date.now();
    for (let n = 0; n < times; n++) run(n);
    await scheduler.wait(0);
    return ((Date.now() - startedAt) * 1000) / times;
  }

  #arrival(chat: number, n: number): KeyedEvent {
    this.#messages++;
    return arrival(chat, n);
  }
}

type Env = { BENCH: DurableObjectNamespace<StoreBench> };

export default {
  fetch: (request: Request, { BENCH }: Env) => BENCH.getByName(new URL(request.url).searchParams.get("chats") ?? "").fetch(request),
};
