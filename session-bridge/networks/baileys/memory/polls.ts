// Poll secrets and vote decryption. The library no longer decrypts votes, so each poll's secret is stored in a row.
import { createHash } from "node:crypto";
import { decryptPollVote, type proto } from "baileys";
import * as z from "zod";
import { Person } from "@gateway/protocol/ids.ts";
import { jidsOf } from "../addressing/jids.ts";
import { boundedCache, perSession } from "../session/per-session.ts";
import type { MessageSource } from "../content/network-message.ts";
import { viewOf } from "../content/view.ts";
import type { Rows } from "../session/session-context.ts";

const PollRow = z.object({ secret: z.string(), options: z.array(z.string()), creator: Person.nullable() });
type PollRow = z.infer<typeof PollRow>;

/** Our own polls have separate row names. Others could send a poll with the same id, which would not match the votes on ours. */
const nameOf = (pollId: string, isOwn: boolean): string => `poll|${isOwn ? "own" : "of"}:${pollId}`;
/** The row name in earlier releases. Nobody can write such rows any more, so they take precedence over others' polls. */
const formerName = (pollId: string): string => `poll|${pollId}`;

const POLL_CACHE_SIZE = 200;

export class Polls {
  readonly #recent = boundedCache<string, PollRow>(POLL_CACHE_SIZE);

  store(
    rows: Rows,
    pollId: string,
    { fromMe, sender: creator }: Pick<MessageSource, "fromMe" | "sender">,
    message: proto.IMessage,
    secret = message.messageContextInfo?.messageSecret,
  ): void {
    const poll = viewOf(message)?.poll;
    if (!poll || !secret?.length) return;
    const stored = { secret: Buffer.from(secret).toString("base64"), options: poll.options, creator };
    if (fromMe) this.#recent.set(pollId, stored);
    rows.put(nameOf(pollId, fromMe), JSON.stringify(stored));
  }

  async find(rows: Rows, pollId: string): Promise<PollRow | null> {
    const recent = this.#recent.get(pollId);
    if (recent) return recent;
    const names = [nameOf(pollId, true), formerName(pollId), nameOf(pollId, false)];
    const found = await rows.fetchCold(names);
    const stored = names.map((name) => found.get(name)).find((row) => row !== undefined);
    const parsed = PollRow.safeParse(JSON.parse(stored?.toString() ?? "null"));
    if (!parsed.success) return null;
    this.#recent.set(pollId, parsed.data);
    return parsed.data;
  }
}

export const pollsOf = perSession(() => new Polls());

export type EncryptedVote = { pollId: string; vote: proto.Message.IPollEncValue; own: Person; voter: Person };

/** The options in the poll's order, or null for another poll. The key depends on JIDs (phone or LID), so all four pairs are tried. */
export function decryptVote({ pollId, vote, own, voter }: EncryptedVote, poll: PollRow): string[] | null {
  const { encPayload, encIv } = vote;
  if (!encPayload?.length || !encIv?.length) return null;
  const pollEncKey = Buffer.from(poll.secret, "base64");
  for (const pollCreatorJid of jidsOf(poll.creator ?? own)) {
    for (const voterJid of jidsOf(voter)) {
      try {
        const { selectedOptions } = decryptPollVote({ encPayload, encIv }, { pollCreatorJid, pollMsgId: pollId, pollEncKey, voterJid });
        return chosenOptions(selectedOptions ?? [], poll.options);
      } catch {
        // This combination does not match, so the loop tries the next one.
      }
    }
  }
  return null;
}

function chosenOptions(hashes: readonly Uint8Array[], options: readonly string[]): string[] {
  const chosenHashes = new Set(hashes.map((hash) => Buffer.from(hash).toString("hex")));
  return options.filter((option) => chosenHashes.has(createHash("sha256").update(option).digest("hex")));
}
