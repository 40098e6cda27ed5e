// Poll votes are encrypted a second time, under the poll's own secret, which only those who hold the poll know.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { proto } from "baileys";
import { sha256 } from "./media-cipher.ts";

/** Binds a vote to its poll and voter. Both jids without device part. */
export interface VoteContext {
  pollId: string;
  pollSecret: Uint8Array;
  creatorJid: string;
  voterJid: string;
}

const TAG_BYTES = 16;

/** A vote for the named options (an empty list withdraws the vote). */
export function sealVote(options: readonly string[], context: VoteContext): proto.Message.IPollEncValue {
  const encIv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", voteKey(context), encIv);
  cipher.setAAD(boundTo(context));
  const vote = { selectedOptions: options.map((option) => sha256(Buffer.from(option))) };
  const plain = proto.Message.PollVoteMessage.encode(vote).finish();
  const encPayload = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return { encPayload, encIv };
}

/** The hashes of the chosen options, or null when the vote was not made for this context. */
export function openVote(vote: proto.Message.IPollEncValue, context: VoteContext): Buffer[] | null {
  if (!vote.encPayload || !vote.encIv) return null;
  const payload = Buffer.from(vote.encPayload);
  const decipher = createDecipheriv("aes-256-gcm", voteKey(context), vote.encIv);
  decipher.setAAD(boundTo(context));
  decipher.setAuthTag(payload.subarray(-TAG_BYTES));
  try {
    const plain = Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()]);
    return proto.Message.PollVoteMessage.decode(plain).selectedOptions.map((hash) => Buffer.from(hash));
  } catch {
    return null;
  }
}

/** The names behind the hashes, in the poll's own order. */
export function namedOptions(hashes: readonly Buffer[], options: readonly string[]): string[] {
  return options.filter((option) => hashes.some((hash) => hash.equals(sha256(Buffer.from(option)))));
}

function voteKey({ pollId, pollSecret, creatorJid, voterJid }: VoteContext): Buffer {
  const root = createHmac("sha256", Buffer.alloc(32)).update(pollSecret).digest();
  return createHmac("sha256", root)
    .update(pollId)
    .update(creatorJid)
    .update(voterJid)
    .update("Poll Vote")
    .update(Buffer.from([1]))
    .digest();
}

function boundTo({ pollId, voterJid }: VoteContext): Buffer {
  return Buffer.from(`${pollId}\0${voterJid}`);
}
