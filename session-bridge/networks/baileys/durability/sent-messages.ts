// Row `sent|<message id>`: one of our messages in wire form, stored before it is sent. Read for retry receipts and recalls.
import { proto } from "baileys";
import type { Rows } from "../session/session-context.ts";

export type SentMessage = { jid: string; message: proto.IMessage };

export function putSent(rows: Rows, messageId: string, sent: SentMessage): void {
  const jid = Buffer.from(sent.jid, "utf8");
  const length = Buffer.alloc(2);
  length.writeUInt16BE(jid.length);
  rows.put(`sent|${messageId}`, Buffer.concat([length, jid, proto.Message.encode(sent.message).finish()]));
}

export async function fetchSent(rows: Rows, messageId: string): Promise<SentMessage | null> {
  const row = (await rows.fetchCold([`sent|${messageId}`])).get(`sent|${messageId}`);
  if (!Buffer.isBuffer(row) || row.length < 2) return null;
  const end = 2 + row.readUInt16BE(0);
  return { jid: row.toString("utf8", 2, end), message: proto.Message.decode(row.subarray(end)) };
}
