// Reacts to a channel message. The network takes it as a message with an ack; it is idempotent and not stored as a message, so it runs as a
// query.
import type { BinaryNode } from "baileys";
import type { CommandInput } from "@gateway/protocol/commands.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { asAttempted, failureOfCode } from "../session/network-failures.ts";
import type { SessionContext } from "../session/session-context.ts";
import { unanswered } from "./failures.ts";

const REVOKED = "7";

export async function reactInChannel(
  { sock }: SessionContext,
  { channel_id, server_id, reaction }: CommandInput<"channels.react">,
): Promise<Outcome<Record<string, never>>> {
  const attrs = {
    to: channel_id,
    type: "reaction",
    id: sock.generateMessageTag(),
    server_id: String(server_id),
    ...(reaction === "" && { edit: REVOKED }),
  };
  const content = [{ tag: "reaction", attrs: reaction === "" ? {} : { code: reaction } }];
  const ack = (await sock.query({ tag: "message", attrs, content })) as BinaryNode | undefined;
  if (ack === undefined) return fail(unanswered("change"));
  const refused = ack.attrs["error"];
  if (refused === undefined) return { ok: true, value: {} };
  const code = Number(refused);
  return fail(code === 404 ? { code: "message_not_found" } : asAttempted(failureOfCode(code, "channel")));
}
