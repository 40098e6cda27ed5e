// Exports all stored data in order of creation, so that changed rows are neither missed nor repeated.
import { type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import type { ExportItem } from "@gateway/protocol/operations/instance.ts";
import { encodeCursor } from "@gateway/domain/cursor.ts";
import type { ApiKeys } from "../keys/api-keys.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import type { Instance } from "./instance.ts";
import { startOf } from "../store/pagination.ts";
import type { ExportKind, Stores } from "../store/stores.ts";
import type { HandlersOf } from "../handlers.ts";
import { withOwnSide } from "../messages/message-record.ts";

type Page = OperationOutput<"instance.export">;
type Dependencies = { stores: Stores; keys: ApiKeys; deliveries: Deliveries; instance: Instance };

const KINDS: readonly ExportKind[] = ["label", "contact", "group", "channel", "chat", "call", "message"];
/** A page ends with the record that exceeds this limit, because the size of an RPC result is limited. */
const MAX_PAGE_CHARACTERS = 2_000_000;

export function exportHandlers(
  { stores, keys, deliveries, instance: connected }: Dependencies,
  readInstance: HandlersOf<"instance.get">["instance.get"],
): HandlersOf<"instance.export"> {
  return {
    "instance.export": async ({ cursor, limit }, context) => {
      const start = startOf(cursor, [0, ""]);
      if (!start.ok) return start;
      const page = new PageBuilder(stores, limit, connected.state.phone);
      if (cursor === null) {
        const instance = await readInstance({}, context);
        if (!instance.ok) return instance;
        const webhook = deliveries.webhook.get();
        page.add({ kind: "instance", record: { instance: instance.value, keys: keys.list(), webhook: webhook.ok ? webhook.value : null } });
      }
      return page.fillFrom(Number(start.value[0]), String(start.value[1]));
    },
  };
}

class PageBuilder {
  readonly #stores: Stores;
  readonly #limit: number;
  readonly #phone: string | null;
  readonly #items: ExportItem[] = [];
  #characters = 0;

  constructor(stores: Stores, limit: number, phone: string | null) {
    this.#stores = stores;
    this.#limit = limit;
    this.#phone = phone;
  }

  add(given: ExportItem): void {
    const item = given.kind === "message" ? { ...given, record: withOwnSide(given.record, this.#phone) } : given;
    this.#items.push(item);
    this.#characters += JSON.stringify(item).length;
  }

  /** Continues the page after the key `after` of this kind (an index into `KINDS`). The empty key sorts before all others. */
  fillFrom(kindIndex: number, after: string): Outcome<Page> {
    let key = after;
    for (let index = kindIndex; index < KINDS.length; index += 1) {
      const kind = KINDS[index];
      if (kind === undefined) break;
      for (const each of this.#stores.exported(kind, key)) {
        if (this.#isFull) return this.#end([index, key]);
        key = each.key;
        if (each.item !== null) this.add(each.item);
      }
      key = "";
    }
    return this.#end(null);
  }

  get #isFull(): boolean {
    return this.#items.length >= this.#limit || this.#characters >= MAX_PAGE_CHARACTERS;
  }

  #end(next: readonly [number, string] | null): Outcome<Page> {
    return succeed({ items: this.#items, next_cursor: next === null ? null : encodeCursor(next) });
  }
}
