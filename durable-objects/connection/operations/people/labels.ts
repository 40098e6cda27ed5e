// Labels of a business account (docs/apis.md, "Groups, contacts, labels, channels"). The network has no read for them: the store is what
// the phone told.
import { fail, type Failure, type Outcome } from "../../../../src/protocol/failures.ts";
import { type ChatId, chatKind } from "../../../../src/protocol/ids.ts";
import type { OperationInput } from "../../../../src/protocol/operations.ts";
import type { LabelRecord } from "../../../../src/protocol/records.ts";
import type { HandlersOf } from "../handlers.ts";
import type { PeopleParts } from "./dependencies.ts";

/** As many as the network allows. */
const MAX_LABELS = 20;
const COLORS = 20;
/** A store without labels may have missed them; the network is asked once more, but not all the time. */
const REREAD_INTERVAL_MS = 600_000;

type LabelOperation =
  | "labels.list"
  | "labels.create"
  | "labels.change"
  | "labels.remove"
  | "labels.chats"
  | "labels.of_chat"
  | "labels.set_chat"
  | "labels.mark_chat";
type Labels = Outcome<{ items: LabelRecord[] }>;

export function labelOperations(parts: PeopleParts): HandlersOf<LabelOperation> {
  const { stores, network, now } = parts;
  const editor = new LabelEditor(parts);
  /** `run` with the label, once account and label are found to be there. */
  const withLabel = async <T>(labelId: string, run: (label: LabelRecord) => Outcome<T> | Promise<Outcome<T>>): Promise<Outcome<T>> => {
    const refused = notBusiness(parts);
    if (refused !== null) return fail(refused);
    const label = stores.labels.get(labelId);
    return label === null ? fail("label_not_found") : run(label);
  };
  return {
    "labels.list": () => editor.list(),
    "labels.create": (input) => editor.create(input),

    "labels.change": ({ label_id, name, color }) =>
      withLabel(label_id, async (label) => {
        const { predefined } = label;
        const changed = await network.command(
          "labels.put",
          { label_id, name: name ?? label.name, color: color ?? label.color, predefined },
          now(),
        );
        return changed.ok ? { ok: true, value: stores.labels.get(label_id) ?? label } : changed;
      }),

    "labels.remove": ({ label_id }) =>
      withLabel(label_id, ({ name, color }) => network.command("labels.remove", { label_id, name, color }, now())),

    "labels.chats": ({ label_id, limit, cursor }) =>
      withLabel(label_id, () => stores.chatQueries.list({ limit, cursor, label_id, archived: null, unread: null, kind: null, q: null })),

    "labels.of_chat": ({ chat_id }) => {
      const refused = notBusiness(parts) ?? unknownChat(parts, chat_id);
      return refused === null ? labelsOf(parts, chat_id) : fail(refused);
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
      return marked.ok ? { ok: true, value: {} } : marked;
    },
  };
}

class LabelEditor {
  readonly #parts: PeopleParts;
  /** Ids and colours of labels that are being made. */
  readonly #pending = new Map<number, number>();
  #readAgainAt = 0;

  constructor(parts: PeopleParts) {
    this.#parts = parts;
  }

  async list(): Promise<Labels> {
    const refused = notBusiness(this.#parts);
    if (refused !== null) return fail(refused);
    const { stores, network, now } = this.#parts;
    const items = stores.labels.list();
    if (items.length > 0 || now() < this.#readAgainAt) return { ok: true, value: { items } };
    this.#readAgainAt = now() + REREAD_INTERVAL_MS;
    // Whether that works or not: the store is the only answer there is.
    await network.command("labels.resync", {}, now());
    return { ok: true, value: { items: stores.labels.list() } };
  }

  async create({ name, color: wanted }: OperationInput<"labels.create">): Promise<Outcome<LabelRecord>> {
    const refused = notBusiness(this.#parts);
    if (refused !== null) return fail(refused);
    const { stores, network, now } = this.#parts;
    const claimed = this.#claim(wanted);
    if (claimed === null) return fail("label_limit");
    const { id, color } = claimed;
    const label = { label_id: String(id), name, color, predefined: false };
    const made = await network.command("labels.put", label, now()).finally(() => this.#pending.delete(id));
    return made.ok ? { ok: true, value: stores.labels.get(label.label_id) ?? { ...label, chats_count: 0 } } : made;
  }

  /** Adds and removes labels of one chat; answers with what the chat bears then. */
  async label(chatId: ChatId, add: readonly string[], remove: readonly string[]): Promise<Labels> {
    const { stores, network, now } = this.#parts;
    const refused = notBusiness(this.#parts) ?? (chatKind(chatId) === "direct" ? null : unknownChat(this.#parts, chatId));
    if (refused !== null) return fail(refused);
    if ([...add, ...remove].some((id) => stores.labels.get(id) === null)) return fail("label_not_found");
    if (add.length + remove.length === 0) return labelsOf(this.#parts, chatId);
    const done = await network.command("labels.chat", { chat_id: chatId, add: [...add], remove: [...remove] }, now());
    if (!done.ok) return done;
    // Somebody nobody has written to yet can bear a label too; the chat is then there to be listed by it.
    if (add.length > 0) stores.chats.make(done.value.chat_id, 0, now());
    return labelsOf(this.#parts, done.value.chat_id);
  }

  /** Before the network is asked: two that are made at once must not get the same id. An id is never given twice. */
  #claim(wanted: number | null): { id: number; color: number } | null {
    const { stores } = this.#parts;
    const labels = stores.labels.list();
    // One that is reported already and not answered yet is in both.
    const ids = new Set([...labels.map(({ label_id }) => Number(label_id)), ...this.#pending.keys()]);
    if (ids.size >= MAX_LABELS) return null;
    const id = Math.max(stores.labels.highestId(), ...this.#pending.keys()) + 1;
    const taken = new Set([...labels.map(({ color }) => color), ...this.#pending.values()]);
    const free = Array.from({ length: COLORS }, (_, color) => color).find((color) => !taken.has(color));
    const color = wanted ?? free ?? id % COLORS;
    this.#pending.set(id, color);
    return { id, color };
  }
}

function labelsOf({ stores }: PeopleParts, chatId: ChatId): Labels {
  return { ok: true, value: { items: stores.labels.ofChat(stores.lids.chat(chatId)) } };
}

function notBusiness({ instance }: PeopleParts): Failure | null {
  const { isBusiness } = instance.state;
  if (isBusiness === true) return null;
  // Before the first pairing nobody knows.
  return { code: isBusiness === null ? "instance_not_connected" : "business_account_required" };
}

function unknownChat({ stores }: PeopleParts, chatId: ChatId): Failure | null {
  return stores.chats.isKnown(stores.lids.chat(chatId)) ? null : { code: "chat_not_found" };
}
