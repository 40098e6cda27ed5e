import { randomBytes } from "node:crypto";
import { jidDecode, type BinaryNode } from "baileys";
import type { Changes } from "../changes.ts";
import { done, refused, type Reply } from "../iq/reply.ts";
import { bytesOf, child, node, nowSeconds, SERVER_JID, textOf } from "../node.ts";
import { freshId } from "../notifications.ts";
import type { WaitingCompanion } from "./companion.ts";

/** A client shows its QR codes one after another, the first for a minute and the others for 20 s each. */
const REFERENCES = 6;

/** Recognized browser and OS names. The real network rejects any others when pairing by code. */
const KNOWN_DISPLAY = /^(Chrome|Edge|Firefox|IE|Opera|Safari) \((Android|Linux|Mac OS|Ubuntu|Windows|iOS)\)$/;
const KNOWN_PLATFORM = /^[1-6]$/;

export class PairingDesk {
  readonly #changes: Changes;
  readonly #strict: boolean;
  readonly #byRef = new Map<string, WaitingCompanion>();
  readonly #requests = new Map<string, CodeRequest>();
  readonly #waiting = new Set<WaitingCompanion>();
  refuseCodes = false;

  constructor(changes: Changes, strict: boolean) {
    this.#changes = changes;
    this.#strict = strict;
  }

  /** Sends the waiting device the references for its QR codes. If `linkable` is false, scanning them fails. */
  admit(companion: WaitingCompanion, linkable = true): void {
    this.#waiting.add(companion);
    const refs = Array.from({ length: REFERENCES }, () => `2@${randomBytes(48).toString("base64")}`);
    if (linkable) for (const ref of refs) this.#byRef.set(ref, companion);
    companion.send(
      node("iq", { from: SERVER_JID, type: "set", id: randomBytes(6).toString("hex"), xmlns: "md" }, [
        node(
          "pair-device",
          {},
          refs.map((ref) => node("ref", {}, Buffer.from(ref))),
        ),
      ]),
    );
  }

  waiting(ref: string): WaitingCompanion | undefined {
    return this.#byRef.get(ref);
  }

  /** Retires the QR secret of this reference, and notifies the device with the given kind of stanza. */
  retireSecret(ref: string, form: "companion_reg_refresh" | "pair-device-rotate-qr"): void {
    this.#byRef.get(ref)?.send(notice("companion_reg_refresh", [node(form, {})]));
  }

  /** Invalidates a displayed code. `form` says whether the notice to the device contains the code's reference or is empty. */
  retireCode(pn: string, form: "refresh_code" | "empty"): void {
    const request = this.#requests.get(pn);
    if (!request) return;
    this.#requests.delete(pn);
    request.closed();
    const named = form === "empty" ? [] : [node("link_code_pairing_ref", {}, Buffer.from(request.ref))];
    const attrs: BinaryNode["attrs"] = form === "empty" ? {} : { stage: "refresh_code", force_manual_refresh: "false" };
    request.companion.send(notice("link_code_companion_reg", [node("link_code_companion_reg", attrs, named)]));
    this.#changes.report({ part: "phone", phone: pn });
  }

  codeRequest(pn: string): CodeRequest | undefined {
    return this.#requests.get(pn);
  }

  linked(noiseKey: Uint8Array): void {
    for (const companion of this.#waiting) if (Buffer.compare(companion.noiseKey, noiseKey) === 0) companion.restart();
  }

  closed(companion: WaitingCompanion): void {
    this.#waiting.delete(companion);
    for (const [ref, one] of this.#byRef) if (one === companion) this.#byRef.delete(ref);
    for (const [pn, request] of this.#requests) {
      if (request.companion !== companion) continue;
      this.#requests.delete(pn);
      request.closed();
      this.#changes.report({ part: "phone", phone: pn });
    }
    companion.closed();
  }

  /** Responds to the device's `companion_hello` and `companion_finish`. Other stanzas belong to a passkey ceremony. */
  answer(companion: WaitingCompanion, iq: BinaryNode): Reply {
    const request = child(iq, "link_code_companion_reg");
    if (!request) return companion.ceremony?.answer(iq) ?? refused(401);
    return request.attrs["stage"] === "companion_hello" ? this.#hello(companion, request) : this.#finish(request);
  }

  #hello(companion: WaitingCompanion, request: BinaryNode): Reply {
    const pn = jidDecode(request.attrs["jid"])?.user;
    const wrapped = bytesOf(child(request, "link_code_pairing_wrapped_companion_ephemeral_pub"));
    if (this.refuseCodes) return refused(429);
    if (!pn || !wrapped || (this.#strict && !(showsKnownClient(request) && hasNonce(request)))) return refused(400);
    const ref = randomBytes(16).toString("base64");
    this.#requests.get(pn)?.closed();
    this.#requests.set(pn, new CodeRequest(ref, companion, wrapped));
    this.#changes.report({ part: "phone", phone: pn });
    return done(node("link_code_companion_reg", { stage: "companion_hello" }, [node("link_code_pairing_ref", {}, Buffer.from(ref))]));
  }

  #finish(request: BinaryNode): Reply {
    const ref = textOf(child(request, "link_code_pairing_ref"));
    const pending = [...this.#requests.values()].find((one) => one.ref === ref);
    return pending?.finish(request) ? done() : refused(404);
  }
}

function notice(type: string, content: BinaryNode[]): BinaryNode {
  return node("notification", { from: SERVER_JID, type, id: freshId(), t: nowSeconds() }, content);
}

/** The nonce must be one zero byte, as the network's own client sends it (test-network/README.md, "Strict and lenient"). */
function hasNonce(request: BinaryNode): boolean {
  return Buffer.from([0]).equals(bytesOf(child(request, "link_code_pairing_nonce")) ?? Buffer.alloc(0));
}

function showsKnownClient(request: BinaryNode): boolean {
  const display = textOf(child(request, "companion_platform_display")) ?? "";
  const platform = textOf(child(request, "companion_platform_id")) ?? "";
  return KNOWN_DISPLAY.test(display) && KNOWN_PLATFORM.test(platform);
}

type CodeAnswer = {
  bundle: Uint8Array;
  identity: Uint8Array;
};

class CodeRequest {
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
