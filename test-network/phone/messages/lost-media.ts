// Handles files that expired on the media host. A device asks the phone to upload them again (`server-error`, `mediaretry`).
import { createCipheriv, hkdfSync, randomBytes } from "node:crypto";
import { proto, type BinaryNode } from "baileys";
import { child, node } from "../../node.ts";
import { mediaPartOf } from "./message-view.ts";
import type { PhoneDependencies } from "../dependencies.ts";
import { acknowledge } from "./receipts.ts";

const { ResultType } = proto.MediaRetryNotification;

export function answerLostMedia(phone: PhoneDependencies, receipt: BinaryNode): void {
  const messageId = receipt.attrs["id"] ?? "";
  const stored = phone.messages.findAnywhere(messageId);
  const part = stored && mediaPartOf(proto.Message.decode(stored.content));
  const sealed = part && (phone.link.readBlob(part.directPath) ?? keptFile(phone, part.directPath));
  const rmr = child(receipt, "rmr");
  const attrs = { to: receipt.attrs["from"], from: phone.jid, id: messageId, type: "mediaretry" };
  const answer =
    part?.mediaKey && sealed
      ? sealAnswer(part.mediaKey, messageId, {
          stanzaId: messageId,
          directPath: phone.link.storeBlob(sealed).directPath,
          result: ResultType.SUCCESS,
        })
      : node("error", { code: String(ResultType.NOT_FOUND) });
  phone.link.send(node("notification", attrs, [answer, ...(rmr ? [rmr] : [])]));
  acknowledge(phone, receipt);
}

/** Deletes a file from the media host as if it had expired. The phone keeps the file. Returns false if there is none. */
export function expireMedia(phone: PhoneDependencies, messageId: string, status?: number): boolean {
  const stored = phone.messages.findAnywhere(messageId);
  const part = stored && mediaPartOf(proto.Message.decode(stored.content));
  const sealed = part && phone.link.readBlob(part.directPath);
  if (!part || !sealed) return false;
  phone.commit(() => phone.documents.put("kept_file", part.directPath, { base64: sealed.toString("base64") }));
  phone.link.removeBlob(part.directPath, status);
  return true;
}

export function keptFile(phone: PhoneDependencies, directPath: string): Buffer | null {
  const kept = phone.documents.get("kept_file", directPath);
  return kept && Buffer.from(kept.base64, "base64");
}

function sealAnswer(mediaKey: Uint8Array, messageId: string, answer: proto.IMediaRetryNotification): BinaryNode {
  const key = Buffer.from(hkdfSync("sha256", mediaKey, Buffer.alloc(0), "WhatsApp Media Retry Notification", 32));
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  cipher.setAAD(Buffer.from(messageId));
  const plain = proto.MediaRetryNotification.encode(answer).finish();
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return node("encrypt", {}, [node("enc_p", {}, ciphertext), node("enc_iv", {}, iv)]);
}
