// Rings, rejects, answers and ends calls. There is no audio or video.
import { randomBytes } from "node:crypto";
import { jidEncode, type BinaryNode } from "baileys";
import { childrenOf, node } from "../node.ts";
import { personOf } from "./addresses.ts";
import { nowSeconds, type PhoneDependencies } from "./dependencies.ts";
import { acknowledge } from "./messages/receipts.ts";
import type { CallDocument } from "./views.ts";

const OVER: ReadonlySet<CallDocument["status"]> = new Set(["rejected", "ended"]);

export function placeCall(phone: PhoneDependencies, to: string, video: boolean): string {
  const callId = randomBytes(16).toString("hex").toUpperCase();
  const call: CallDocument = { call_id: callId, peer: to, direction: "out", video, status: "ringing", started_at: nowSeconds() };
  phone.commit(() => putCall(phone, call));
  say(phone, call, "offer", { caller_pn: phone.jid }, [
    node("audio", { enc: "opus", rate: "16000" }),
    ...(video ? [node("video", { enc: "vp8", dec: "vp8" })] : []),
  ]);
  return callId;
}

export function endCall(phone: PhoneDependencies, callId: string, reason?: "timeout"): boolean {
  return finish(phone, callId, "ended", (call) => say(phone, call, "terminate", { reason }));
}

export function acceptCall(phone: PhoneDependencies, callId: string): boolean {
  const call = phone.documents.get("call", callId);
  if (!call || call.direction === "out" || call.status !== "ringing") return false;
  phone.commit(() => putCall(phone, { ...call, status: "accepted" }));
  say(phone, call, "accept");
  notifyOwnDevices(phone, call, "accept");
  return true;
}

export function rejectCall(phone: PhoneDependencies, callId: string): boolean {
  const { direction } = phone.documents.get("call", callId) ?? {};
  if (direction !== "in") return false;
  return finish(phone, callId, "rejected", (call) => {
    say(phone, call, "reject", { count: "0" });
    notifyOwnDevices(phone, call, "reject");
  });
}

export function receiveCall(phone: PhoneDependencies, stanza: BinaryNode): void {
  const [signal] = childrenOf(stanza);
  const callId = signal?.attrs["call-id"];
  if (signal && callId !== undefined) phone.commit(() => note(phone, callId, signal, stanza.attrs["from"] ?? ""));
  acknowledge(phone, stanza);
}

function note(phone: PhoneDependencies, callId: string, signal: BinaryNode, from: string): void {
  const peer = personOf(signal.attrs["call-creator"] ?? from, phone.link.directory);
  const known = phone.documents.get("call", callId);
  if (signal.tag === "offer" && !known) {
    const video = childrenOf(signal).some(({ tag }) => tag === "video");
    putCall(phone, { call_id: callId, peer, direction: "in", video, status: "ringing", started_at: nowSeconds() });
    return;
  }
  const status = STATUS_AFTER[signal.tag];
  if (known && status && !OVER.has(known.status)) putCall(phone, { ...known, status });
}

function putCall(phone: PhoneDependencies, call: CallDocument): void {
  phone.documents.put("call", call.call_id, call);
  phone.observer.onCall(phone, call);
}

const STATUS_AFTER: Readonly<Record<string, CallDocument["status"]>> = { accept: "accepted", reject: "rejected", terminate: "ended" };

function finish(
  phone: PhoneDependencies,
  callId: string,
  status: CallDocument["status"],
  sendCallStanza: (call: CallDocument) => void,
): boolean {
  const call = phone.documents.get("call", callId);
  if (!call || OVER.has(call.status)) return false;
  phone.commit(() => putCall(phone, { ...call, status }));
  sendCallStanza(call);
  return true;
}

function say(
  phone: PhoneDependencies,
  call: CallDocument,
  tag: string,
  attrs: Record<string, string | undefined> = {},
  content?: BinaryNode[],
): void {
  sendCall(phone, jidEncode(call.peer, "s.whatsapp.net"), call, tag, attrs, content);
}

function notifyOwnDevices(phone: PhoneDependencies, call: CallDocument, tag: string): void {
  sendCall(phone, phone.jid, call, tag);
}

function sendCall(
  phone: PhoneDependencies,
  to: string,
  call: CallDocument,
  tag: string,
  attrs: Record<string, string | undefined> = {},
  content?: BinaryNode[],
): void {
  const creator = call.direction === "out" ? phone.jid : jidEncode(call.peer, "s.whatsapp.net");
  phone.link.send(
    node("call", { to, id: phone.link.nextId() }, [node(tag, { "call-id": call.call_id, "call-creator": creator, ...attrs }, content)]),
  );
}
