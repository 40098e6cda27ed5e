// Business account labels. The network cannot list them, so the store contains the labels that the phone reported.
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { type ChatId, chatKind } from "@gateway/protocol/ids.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import type { LabelRecord } from "@gateway/protocol/records.ts";
import type { HandlersOf } from "../handlers.ts";
import { findTarget } from "../messages/dependencies.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Stores } from "../store/stores.ts";
import type { Instance } from "../instance/instance.ts";

const MAX_LABELS = 20;
const COLORS = 20;
/** An empty store may have missed labels, so the handler asks the network to resend them, at most this often. */
const REREAD_INTERVAL_MS = 600_000;

type LabelOperation =
  | "labels.list"
  | "labels.create"
  | "labels.change"
  | "labels.remove"
  | "labels.chats"
  | "labels.of_chat"
  | "labels.set_chat"
  | "labels.mark_chat"
  | "labels.mark_message";
type Labels = Outcome<{ items: LabelRecord[] }>;

export function labelHandlers(network: NetworkClient, stores: Stores, instance: Instance): HandlersOf<LabelOperation> {
  const editor = new LabelEditor(network, stores, instance);
  const withLabel = async <T>(labelId: string, run: (label: LabelRecord) => Outcome<T> | Promise<Outcome<T>>): Promise<Outcome<T>> => {
    const refused = notBusiness(instance);
    if (refused !== null) return fail(refused);
    const label = stores.labels.get(labelId);
    return label === null ? fail("label_not_found") : run(label);
  };
  return {
    "labels.list": () => editor.list(),
    "labels.create": (input) => editor.create(input),

    "labels.change": ({ label_id, name, color }) =>
      editor.inTurn(label_id, () =>
        withLabel(label_id, async (label) => {
          const { predefined } = label;
          const changed = await network.command("labels.put", {
            label_id,
            name: name ?? label.name,
            color: color ?? label.color,
            predefined,
          });
          return changed.ok ? succeed(stores.labels.get(label_id) ?? label) : changed;
        }),
      ),

    "labels.remove": ({ label_id }) =>
      withLabel(label_id, ({ name, color }) => network.command("labels.remove", { label_id, name, color })),

    "labels.chats": ({ label_id, limit, cursor }) =>
      withLabel(label_id, () => stores.chatQueries.list({ limit, cursor, label_id, archived: null, unread: null, kind: null, q: null })),

    "labels.of_chat": ({ chat_id }) => {
      const refused = notBusiness(instance) ?? unknownChat(stores, chat_id);
      return refused === null ? labelsOf(stores, chat_id) : fail(refused);
    },

    "labels.set_chat": ({ chat_id, label_ids }) => {
      const current = stores.labels.ofChat(stores.lids.chat(chat_id)).map(({ label_id }) => label_id);
      const add = [...new Set(label_ids)].filter((id) => !current.includes(id));
      return editor.label(
        chat_id,
        add,
        current.filter((id) => !label_ids.includes(id)),
      );
    },

    "labels.mark_chat": async ({ chat_id, label_id, labelled }) => {
      const marked = await editor.label(chat_id, labelled ? [label_id] : [], labelled ? [] : [label_id]);
      return marked.ok ? succeed({}) : marked;
    },

    "labels.mark_message": ({ chat_id, message_id, label_id, labelled }) =>
      withLabel(label_id, () => {
        const target = findTarget({ stores }, chat_id, message_id);
        return target.ok
          ? network.command("labels.message", { chat_id: target.value.ref.chat_id, message_id, label_id, labelled })
          : target;
      }),
  };
}

class LabelEditor {
  readonly #network: NetworkClient;
  readonly #stores: Stores;
  readonly #instance: Instance;
  readonly #pending = new Map<number, number>();
  readonly #changes = new Map<string, Promise<void>>();
  #readAgainAt = 0;

  constructor(network: NetworkClient, stores: Stores, instance: Instance) {
    this.#network = network;
    this.#stores = stores;
    this.#instance = instance;
  }

  async list(): Promise<Labels> {
    const refused = notBusiness(this.#instance);
    if (refused !== null) return fail(refused);
    const items = this.#stores.labels.list();
    if (items.length > 0 || Date.now() < this.#readAgainAt) return succeed({ items });
    this.#readAgainAt = Date.now() + REREAD_INTERVAL_MS;
    // The result is ignored, because labels are read from the store in any case.
    await this.#network.command("labels.resync", {});
    return succeed({ items: this.#stores.labels.list() });
  }

  /** Changes to a label run one at a time, because a new name also sends the current colour, and a new colour the current name. */
  inTurn<T>(labelId: string, change: () => Promise<T>): Promise<T> {
    const changed = (this.#changes.get(labelId) ?? Promise.resolve()).then(change);
    const ended = changed
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        if (this.#changes.get(labelId) === ended) this.#changes.delete(labelId);
      });
    this.#changes.set(labelId, ended);
    return changed;
  }

  async create({ name, color: requestedColor }: OperationInput<"labels.create">): Promise<Outcome<LabelRecord>> {
    const refused = notBusiness(this.#instance);
    if (refused !== null) return fail(refused);
    const claimed = this.#claim(requestedColor);
    if (claimed === null) return fail("label_limit");
    const { id, color } = claimed;
    const label = { label_id: String(id), name, color, predefined: false };
    const made = await this.#network.command("labels.put", label).finally(() => this.#pending.delete(id));
    return made.ok ? succeed(this.#stores.labels.get(label.label_id) ?? { ...label, chats_count: 0 }) : made;
  }

  async label(chatId: ChatId, add: readonly string[], remove: readonly string[]): Promise<Labels> {
    const refused = notBusiness(this.#instance) ?? (chatKind(chatId) === "direct" ? null : unknownChat(this.#stores, chatId));
    if (refused !== null) return fail(refused);
    if ([...add, ...remove].some((id) => this.#stores.labels.get(id) === null)) return fail("label_not_found");
    if (add.length + remove.length === 0) return labelsOf(this.#stores, chatId);
    const changed = await this.#network.command("labels.chat", { chat_id: chatId, add: [...add], remove: [...remove] });
    if (!changed.ok) return changed;
    // Creates the chat if it has no messages yet, so that lists by label include it.
    if (add.length > 0) this.#stores.chats.create(changed.value.chat_id, 0, Date.now());
    return labelsOf(this.#stores, changed.value.chat_id);
  }

  /** Claims an id before calling the network, because concurrent creations must not get the same one. Ids are never reused. */
  #claim(requestedColor: number | null): { id: number; color: number } | null {
    const labels = this.#stores.labels.list();
    const ids = new Set([...labels.map(({ label_id }) => Number(label_id)), ...this.#pending.keys()]);
    if (ids.size >= MAX_LABELS) return null;
    const id = Math.max(this.#stores.labels.highestId(), ...this.#pending.keys()) + 1;
    const usedColors = new Set([...labels.map(({ color }) => color), ...this.#pending.values()]);
    const free = Array.from({ length: COLORS }, (_, color) => color).find((color) => !usedColors.has(color));
    const color = requestedColor ?? free ?? id % COLORS;
    this.#pending.set(id, color);
    return { id, color };
  }
}

function labelsOf(stores: Stores, chatId: ChatId): Labels {
  return succeed({ items: stores.labels.ofChat(stores.lids.chat(chatId)) });
}

function notBusiness(instance: Instance): Failure | null {
  const { isBusiness } = instance.state;
  if (isBusiness === true) return null;
  // Before the first pairing, the account type is unknown.
  return { code: isBusiness === null ? "instance_not_connected" : "business_account_required" };
}

function unknownChat(stores: Stores, chatId: ChatId): Failure | null {
  return stores.chats.isKnown(stores.lids.chat(chatId)) ? null : { code: "chat_not_found" };
}
