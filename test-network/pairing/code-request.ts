import type { BinaryNode } from "baileys";
import { bytesOf, child, node, nowSeconds, SERVER_JID } from "../node.ts";
import { freshId } from "../notifications.ts";
import type { WaitingCompanion } from "./companion.ts";

export interface CodeAnswer {
  bundle: Uint8Array;
  identity: Uint8Array;
}

export class CodeRequest {
  readonly ref: string;
  readonly companion: WaitingCompanion;
  readonly wrappedEphemeral: Uint8Array;
  #settle: ((answer: CodeAnswer | null) => void) | undefined;

  constructor(ref: string, companion: WaitingCompanion, wrappedEphemeral: Uint8Array) {
    this.ref = ref;
    this.companion = companion;
    this.wrappedEphemeral = wrappedEphemeral;
  }

  answer(half: { wrappedEphemeral: Uint8Array; identity: Uint8Array }): Promise<CodeAnswer | null> {
    const { promise, resolve } = Promise.withResolvers<CodeAnswer | null>();
    this.#settle?.(null);
    this.#settle = resolve;
    this.companion.send(
      node("notification", { from: SERVER_JID, type: "link_code_companion_reg", id: freshId(), t: nowSeconds() }, [
        node("link_code_companion_reg", { stage: "primary_hello" }, [
          node("link_code_pairing_wrapped_primary_ephemeral_pub", {}, half.wrappedEphemeral),
          node("primary_identity_pub", {}, half.identity),
          node("link_code_pairing_ref", {}, Buffer.from(this.ref)),
        ]),
      ]),
    );
    return promise;
  }

  finish(stanza: BinaryNode): boolean {
    const bundle = bytesOf(child(stanza, "link_code_pairing_wrapped_key_bundle"));
    const identity = bytesOf(child(stanza, "companion_identity_public"));
    if (!bundle || !identity) return false;
    this.#settle?.({ bundle, identity });
    this.#settle = undefined;
    return true;
  }

  closed(): void {
    this.#settle?.(null);
    this.#settle = undefined;
  }
}
