// A reaction to a channel's message: a message to the network, answered like one, but nobody's to read and the same however often it is
// sent. So it is asked for like a change, not kept like a send.
import type { BinaryNode } from "baileys";
import type { CommandInput } from "../../../../src/protocol/commands.ts";
import { fail, type Outcome } from "../../../../src/protocol/failures.ts";
import { failureOfCode } from "../session/network-failures.ts";
import type { SessionContext } from "../session/session-context.ts";
import { unanswered } from "./failures.ts";

/** As with every message that takes another one back. */
const TAKEN_BACK = "7";

export async function reactInChannel(
  { sock }: SessionContext,
  { channel_id, server_id, reaction }: CommandInput<"channels.react">,
): Promise<Outcome<Record<string, never>>> {
  const attrs = {
    to: channel_id,
    type: "reaction",
    id: sock.generateMessageTag(),
    server_id: String(server_id),
    ...(reaction === "" && { edit: TAKEN_BACK }),
  };
  const content = [{ tag: "reaction", attrs: reaction === "" ? {} : { code: reaction } }];
  const ack = (await sock.query({ tag: "message", attrs, content })) as BinaryNode | undefined;
  if (ack === undefined) return fail(unanswered("change"));
  const refused = ack.attrs["error"];
  if (refused === undefined) return { ok: true, value: {} };
  const code = Number(refused);
  return fail(code === 404 ? { code: "message_not_found" } : failureOfCode(code, "channel"));
}
