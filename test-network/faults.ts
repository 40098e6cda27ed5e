// Scripted faults for a number's linked devices. Each occurs `times` times (docs/use/sandbox.md, "Control API").
import type { BinaryNode } from "baileys";
import type { Changes } from "./changes.ts";
import type { Delivery } from "./delivery/delivery.ts";
import type { DeviceLink } from "./delivery/device-queue.ts";
import type { Directory } from "./directory.ts";
import type { Account, Device } from "./model.ts";
import { restrict } from "./new-chats.ts";
import { child, childrenOf, node } from "./node.ts";
import type { Store } from "./store/store.ts";

export const FAULT_KINDS = [
  "drop_socket",
  "close",
  "freeze",
  "refuse_send",
  "swallow_send",
  "lose_send",
  "iq_error",
  "swallow_answer",
  "hold",
  "deaf",
  "delay",
  "leave_out",
  "wrong_mac",
  "no_offline_end",
  "release",
] as const;
export const CLOSE_CODES = [401, 402, 403, 405, 406, 408, 409, 415, 418, 428, 429, 440, 500, 503, 515] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export type Fault = {
  phone: string;
  kind: FaultKind;
  times?: number;
  /** The error code for `close` (default 503), `refuse_send` (463) and `iq_error` (429). */
  code?: number;
  ms?: number;
  xmlns?: string;
  /** With `close`, sends a stream error that has this child element ("" for none) and no code. */
  word?: string;
  /** For `close` with 402, the duration of the ban in seconds (3600) and its reason (101). */
  expire?: number;
  reason?: number;
  collection?: string;
};

export type SendFault = { kind: "refuse_send"; code: number } | { kind: "swallow_send" } | { kind: "lose_send" };

type Armed = Fault & { left: number };

const RESTRICTED = 463;
const LASTING: ReadonlySet<FaultKind> = new Set<FaultKind>(["hold", "delay", "leave_out", "wrong_mac"]);
const DEFAULT_CODE: Partial<Record<FaultKind, number>> = { close: 503, refuse_send: RESTRICTED, iq_error: 429 };

// Queries in these namespaces are never refused, because a refusal would break the session instead of the query under test.
const NEVER_REFUSED = new Set(["w:p", "passive", "abt", "w:stats", "urn:xmpp:whatsapp:dirty", "md"]);

type FaultsOf = {
  readonly directory: Directory;
  readonly delivery: Delivery;
  readonly store: Store;
  readonly changes: Changes;
};

export class Faults {
  readonly #directory: Directory;
  readonly #delivery: Delivery;
  readonly #store: Store;
  readonly #changes: Changes;
  readonly #unlink: (device: Device) => void;
  #armed: Armed[] = [];

  constructor({ directory, delivery, store, changes }: FaultsOf, unlink: (device: Device) => void) {
    this.#directory = directory;
    this.#delivery = delivery;
    this.#store = store;
    this.#changes = changes;
    this.#unlink = unlink;
  }

  add(fault: Fault): void {
    if (fault.kind === "release") return this.#release((one) => one.phone === fault.phone);
    if (fault.kind === "deaf") return this.#deafen(fault.phone);
    this.#change([...this.#armed, { ...fault, left: fault.times ?? (LASTING.has(fault.kind) ? Number.POSITIVE_INFINITY : 1) }]);
    if (fault.kind !== "close" && fault.kind !== "drop_socket" && fault.kind !== "freeze") return;
    for (const device of this.#directory.account(fault.phone)?.devices.values() ?? []) {
      if (device.online) this.strikeConnection(device, device.online);
    }
  }

  /** Ends all faults, or those of one phone, and delivers held stanzas. */
  clear(phone?: string): void {
    const suits = (pn: string): boolean => phone === undefined || pn === phone;
    this.#change(this.#armed.filter((fault) => fault.kind === "hold" || !suits(fault.phone)));
    for (const account of this.#directory.accounts.values()) if (suits(account.pn)) this.#restrict(account, undefined);
    this.#release((fault) => suits(fault.phone));
  }

  list(): Fault[] {
    return this.#armed.map(({ left, ...fault }) => (Number.isFinite(left) ? { ...fault, times: left } : fault));
  }

  holds(device: Device): boolean {
    return this.#find(device, "hold") !== undefined;
  }

  omitsEnd(device: Device): boolean {
    return this.#strike(device, "no_offline_end") !== undefined;
  }

  delayOf(device: Device, stanza: BinaryNode): number {
    if (stanza.tag !== "message" && stanza.tag !== "iq") return 0;
    return this.#strike(device, "delay")?.ms ?? 0;
  }

  /** The fault that affects this message. Resends and messages between an account's own devices are never affected. */
  onSend(device: Device, message: BinaryNode): SendFault | undefined {
    if (device.id === 0 || message.attrs["category"] === "peer" || isResend(message)) return undefined;
    const refused = this.#strike(device, "refuse_send");
    if (refused) return this.#refuse(device, refused);
    if (this.#strike(device, "swallow_send")) return { kind: "swallow_send" };
    return this.#strike(device, "lose_send") ? { kind: "lose_send" } : undefined;
  }

  /** A query's error code, or undefined if no fault applies. */
  onQuery(device: Device, iq: BinaryNode): number | undefined {
    const { xmlns = "" } = iq.attrs;
    if (NEVER_REFUSED.has(xmlns) || childrenOf(iq)[0]?.tag === "tokens") return undefined;
    const fault = this.#strike(device, "iq_error", (one) => one.xmlns === undefined || one.xmlns === xmlns);
    return fault && codeOf(fault);
  }

  /** True if the query is executed but gets no response. */
  swallowsAnswer(device: Device, { attrs: { xmlns = "" } }: BinaryNode): boolean {
    if (NEVER_REFUSED.has(xmlns)) return false;
    return this.#strike(device, "swallow_answer", (one) => one.xmlns === undefined || one.xmlns === xmlns) !== undefined;
  }

  onCollection(device: Device, name: string): "leave_out" | "wrong_mac" | undefined {
    const suits = ({ collection }: Fault): boolean => collection === undefined || collection === name;
    if (this.#strike(device, "leave_out", suits)) return "leave_out";
    return this.#strike(device, "wrong_mac", suits) ? "wrong_mac" : undefined;
  }

  strikeConnection(device: Device, link: DeviceLink): boolean {
    if (this.#strike(device, "drop_socket")) {
      link.drop?.();
      return true;
    }
    if (this.#strike(device, "freeze")) {
      link.freeze?.();
      return true;
    }
    const fault = this.#strike(device, "close");
    if (!fault) return false;
    const code = codeOf(fault);
    if (fault.word !== undefined) this.#delivery.endLink(link, codelessError(fault.word));
    else if (code === 401) this.#unlink(device);
    else this.#delivery.endLink(link, errorStanzaOf(code, fault));
    return true;
  }

  /** Affects only open connections, until their next login. */
  #deafen(phone: string): void {
    for (const device of this.#directory.account(phone)?.devices.values() ?? []) if (device.id !== 0) this.#delivery.deafen(device);
  }

  #refuse({ account }: Device, fault: Fault): SendFault {
    const code = codeOf(fault);
    if (code === RESTRICTED && fault.ms !== undefined) this.#restrict(account, Math.ceil((Date.now() + fault.ms) / 1000));
    return { kind: "refuse_send", code };
  }

  #restrict(account: Account, until: number | undefined): void {
    restrict({ delivery: this.#delivery, store: this.#store }, account, until);
  }

  #find(device: Device, kind: FaultKind, suits: (fault: Armed) => boolean = () => true): Armed | undefined {
    if (this.#armed.length === 0 || device.id === 0) return undefined;
    return this.#armed.find((fault) => fault.kind === kind && fault.phone === device.account.pn && suits(fault));
  }

  #strike(device: Device, kind: FaultKind, suits?: (fault: Armed) => boolean): Armed | undefined {
    const fault = this.#find(device, kind, suits);
    if (fault && --fault.left <= 0) this.#change(this.#armed.filter((one) => one !== fault));
    return fault;
  }

  #change(armed: Armed[]): void {
    const touched = new Set([...this.#armed, ...armed].filter((fault) => this.#armed.includes(fault) !== armed.includes(fault)));
    this.#armed = armed;
    for (const { phone } of touched) this.#changes.report({ part: "phone", phone });
  }

  #release(suits: (fault: Fault) => boolean): void {
    const released = this.#armed.filter((fault) => fault.kind === "hold" && suits(fault));
    this.#change(this.#armed.filter((fault) => !released.includes(fault)));
    for (const { phone } of released) {
      for (const device of this.#directory.account(phone)?.devices.values() ?? []) {
        if (device.id !== 0) this.#delivery.release(device);
      }
    }
  }
}

function codeOf(fault: Fault): number {
  return fault.code ?? DEFAULT_CODE[fault.kind] ?? 500;
}

function isResend(message: BinaryNode): boolean {
  return child(message, "enc")?.attrs["count"] !== undefined;
}

/** The stanza that makes a client report this code. 428 has none, because the server closes without a stanza. */
function errorStanzaOf(code: number, { expire = 3_600, reason = 101 }: Fault): BinaryNode | undefined {
  switch (code) {
    case 402:
      return node("failure", { reason: "402", code: String(reason), expire: String(expire) });
    case 403:
    case 405:
    case 406:
    case 409:
    case 415:
    case 418:
    case 500:
      return node("failure", { reason: String(code) });
    case 428:
      return undefined;
    case 440:
      return node("stream:error", {}, [node("conflict", { type: "replaced" })]);
    default:
      return node("stream:error", { code: String(code) });
  }
}

/** Sent when the real network recycles a socket (`ack`) or cannot parse a stanza (`xml-not-well-formed`). */
export function codelessError(word: string): BinaryNode {
  return node("stream:error", {}, word === "" ? undefined : [node(word)]);
}
