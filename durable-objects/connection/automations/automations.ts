// Automatic call rejection and read receipts. They run after the events are stored, and their failures are only logged.
import type { GatewayEvent, GatewayFact } from "@gateway/domain/gateway-event.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import { type ChatId, chatIdOf, chatKind } from "@gateway/protocol/ids.ts";
import type { InstanceSettings } from "@gateway/protocol/instance-settings.ts";
import { rejectCall } from "../calls/handlers.ts";
import { markSeen } from "../chats/handlers.ts";
import { derivedMessageId } from "../messages/message-ids.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { Identity } from "../instance/identity.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Stores } from "../store/stores.ts";
import { errorFields, log } from "#root/src/log.ts";

type IncomingCall = Extract<GatewayEvent, { type: "call" }>;

export type AutomationsDependencies = { identity: Identity; network: NetworkClient; stores: Stores; outbox: Outbox };

/** A call reported later than this was queued by the network and no longer rings. */
const RING_TIMEOUT_MS = 60_000;

export class Automations {
  readonly #deps: AutomationsDependencies;
  /** Chats that are being marked as read. The value is true if another message has arrived since then. */
  readonly #marking = new Map<ChatId, boolean>();

  constructor(deps: AutomationsDependencies) {
    this.#deps = deps;
  }

  onFacts(facts: readonly GatewayFact[], now: number): void {
    const { reject_calls, mark_read_on_receive } = this.#deps.identity.settings;
    for (const { event } of facts) {
      if (reject_calls && event.type === "call" && event.status === "received" && now - event.timestamp * 1000 < RING_TIMEOUT_MS) {
        void this.#run("reject_calls", () => this.#reject(event));
      }
      if (mark_read_on_receive && event.type === "message.received" && chatKind(event.message.chat_id) !== "channel") {
        this.#markSeen(event.message.chat_id);
      }
    }
  }

  async #reject(call: IncomingCall): Promise<Outcome<unknown>> {
    const rejected = await rejectCall(this.#deps.network, this.#deps.stores, call.call_id, null);
    const text = this.#deps.identity.settings.reject_call_message;
    // Group calls get no reply, because they are not addressed to this number alone.
    if (!rejected.ok || text === null || text === "" || call.is_group) return rejected;
    return this.#deps.outbox.send(
      replyTo(call, text, this.#deps.identity.uuid),
      { to: null, reference: null, source: "api", content: null },
      Date.now(),
    );
  }

  /** Marks the chat as read, one run per chat at a time. Messages that arrive during a run are marked together afterwards. */
  #markSeen(chatId: ChatId): void {
    const isRunning = this.#marking.has(chatId);
    this.#marking.set(chatId, isRunning);
    if (!isRunning) void this.#markUntilQuiet(chatId);
  }

  async #markUntilQuiet(chatId: ChatId): Promise<void> {
    do {
      this.#marking.set(chatId, false);
      await this.#run("mark_read_on_receive", () => markSeen(this.#deps.network, this.#deps.stores, chatId));
    } while (this.#marking.get(chatId) === true);
    this.#marking.delete(chatId);
  }

  async #run(setting: keyof InstanceSettings, work: () => Promise<Outcome<unknown>>): Promise<void> {
    const fields = { connection: this.#deps.identity.uuid, setting };
    try {
      const outcome = await work();
      if (!outcome.ok) log("automation.refused", { ...fields, code: outcome.failure.code });
    } catch (error) {
      log("automation.failed", { ...fields, ...errorFields(error) });
    }
  }
}

/** The message id is derived from the caller and the hour, so that a caller gets one reply an hour, however often they call. */
function replyTo(call: IncomingCall, text: string, connection: string): SendRequest {
  const chatId = chatIdOf(call.from);
  return {
    message_id: derivedMessageId(`call ${connection} ${chatId} ${Math.floor(call.timestamp / 3_600)}`),
    chat_id: chatId,
    content: { kind: "text", text, preview: null },
    quoted: null,
    mentions: [],
    mention_all: false,
    typing_ms: 0,
    status: null,
  };
}
