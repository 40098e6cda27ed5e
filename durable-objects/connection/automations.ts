// What the owner of a connection has ordered once and for all (docs/apis.md, "Settings and pacing"): calls are rejected and messages marked
// as read without anybody asking. Carried out when what happened is stored; nobody waits for it, and a failure is written down and no more.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { GatewayEvent, GatewayFact } from "../../src/domain/gateway-event.ts";
import type { SendRequest } from "../../src/protocol/content.ts";
import type { Outcome } from "../../src/protocol/failures.ts";
import { type ChatId, chatIdOf, chatKind } from "../../src/protocol/ids.ts";
import type { InstanceSettings } from "../../src/protocol/instance-settings.ts";
import { errorFields, log } from "../../src/log.ts";

type IncomingCall = Extract<GatewayEvent, { type: "call" }>;

export type AutomationsDependencies = {
  settings: () => InstanceSettings;
  markSeen: (chatId: ChatId) => Promise<Outcome<unknown>>;
  rejectCall: (callId: string) => Promise<Outcome<unknown>>;
  send: (request: SendRequest) => Promise<Outcome<unknown>>;
  /** The connection's UUID. */
  connection: () => string;
};

/** A call that began longer ago than this, as one that the network kept back, does not ring any more. */
const RING_TIMEOUT_MS = 60_000;

export class Automations {
  readonly #deps: AutomationsDependencies;
  /** Chats that are being marked as read; true: something more has come meanwhile. */
  readonly #marking = new Map<ChatId, boolean>();

  constructor(deps: AutomationsDependencies) {
    this.#deps = deps;
  }

  /** These facts are stored. `now` in Unix ms. */
  onFacts(facts: readonly GatewayFact[], now: number): void {
    const { reject_calls, mark_read_on_receive } = this.#deps.settings();
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
    const rejected = await this.#deps.rejectCall(call.call_id);
    const text = this.#deps.settings().reject_call_message;
    // Whoever calls a group has not called this number alone.
    if (!rejected.ok || text === null || text === "" || call.is_group) return rejected;
    return this.#deps.send(replyTo(call, text));
  }

  /** One at a time per chat: what comes in the meantime is marked together. */
  #markSeen(chatId: ChatId): void {
    const isRunning = this.#marking.has(chatId);
    this.#marking.set(chatId, isRunning);
    if (!isRunning) void this.#markUntilQuiet(chatId);
  }

  async #markUntilQuiet(chatId: ChatId): Promise<void> {
    do {
      this.#marking.set(chatId, false);
      await this.#run("mark_read_on_receive", () => this.#deps.markSeen(chatId));
    } while (this.#marking.get(chatId) === true);
    this.#marking.delete(chatId);
  }

  async #run(setting: keyof InstanceSettings, work: () => Promise<Outcome<unknown>>): Promise<void> {
    const fields = { connection: this.#deps.connection(), setting };
    try {
      const outcome = await work();
      if (!outcome.ok) log("order.not_carried_out", { ...fields, code: outcome.failure.code });
    } catch (error) {
      log("order.failed", { ...fields, ...errorFields(error) });
    }
  }
}

/** The same id for the same call, so that it is answered once whatever happens in between. */
function replyTo(call: IncomingCall, text: string): SendRequest {
  return {
    message_id: `3EB0${bytesToHex(sha256(utf8ToBytes(`call ${call.call_id}`)))
      .slice(0, 18)
      .toUpperCase()}`,
    chat_id: chatIdOf(call.from),
    content: { kind: "text", text, preview: null },
    quoted: null,
    mentions: [],
    mention_all: false,
    typing_ms: 0,
    status: null,
  };
}
