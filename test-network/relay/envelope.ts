import type { BinaryNode } from "baileys";
import type { Device } from "../model.ts";
import { child, childrenOf, node, nowSeconds } from "../node.ts";

/** Child nodes forwarded unchanged with the ciphertext. */
const PASSED_ON = new Set(["meta", "biz", "bot", "reporting", "multicast"]);

export type RelayOutcome = { error?: string; server_id?: string; refresh_lid?: "true" };

export interface Envelope {
  readonly attrs: Record<string, string | undefined>;
  /** `enc` or `plaintext` outside `participants`, for everyone. */
  readonly shared: BinaryNode[];
  readonly extras: BinaryNode[];
  readonly identity: BinaryNode | undefined;
}

export function envelopeOf(from: Device, message: BinaryNode): Envelope {
  const { id, type, edit, category } = message.attrs;
  const parts = childrenOf(message);
  return {
    attrs: { id, type, edit, category, notify: from.account.name, t: nowSeconds() },
    shared: parts.filter(({ tag }) => tag === "enc" || tag === "plaintext"),
    extras: parts.filter(({ tag }) => PASSED_ON.has(tag)),
    identity: child(message, "device-identity"),
  };
}

/** The message for one device. A `pkmsg` includes the sender's device identity. */
export function addressed(
  envelope: Envelope,
  attrs: Record<string, string | undefined>,
  ciphertexts: BinaryNode[],
  tag: "message" | "status" = "message",
): BinaryNode {
  const introduces = envelope.identity !== undefined && ciphertexts.some((one) => one.attrs["type"] === "pkmsg");
  const content = [...ciphertexts, ...(introduces && envelope.identity ? [envelope.identity] : []), ...envelope.extras];
  return node(tag, { ...envelope.attrs, ...attrs }, content);
}
