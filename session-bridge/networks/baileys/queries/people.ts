import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from "baileys";
import type { BusinessProfile } from "@gateway/protocol/people.ts";
import { queryNetwork } from "./network-query.ts";
import type { SessionContext } from "../session/session-context.ts";
import type { CommandOutput } from "@gateway/protocol/commands.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";

export async function businessProfileOf(ctx: SessionContext, jid: string): Promise<BusinessProfile | null> {
  const reply = await queryNetwork(ctx, { to: S_WHATSAPP_NET, type: "get", xmlns: "w:biz" }, [
    { tag: "business_profile", attrs: { v: "244" }, content: [{ tag: "profile", attrs: { jid } }] },
  ]);
  const profile = getBinaryNodeChild(getBinaryNodeChild(reply, "business_profile"), "profile");
  if (profile === undefined) return null;
  const textIn = (tag: string) => textOf(getBinaryNodeChild(profile, tag));
  return {
    description: textIn("description"),
    email: textIn("email"),
    websites: getBinaryNodeChildren(profile, "website").flatMap((website) => textOf(website) ?? []),
    address: textIn("address"),
    category: textOf(getBinaryNodeChild(getBinaryNodeChild(profile, "categories"), "category")),
  };
}

function textOf(node: BinaryNode | undefined): string | null {
  return node?.content === undefined || Array.isArray(node.content) ? null : node.content.toString() || null;
}

/** The about text as the library parses it: "" or null if it is hidden from us. `setAt` is the epoch if unknown. */
type StatusReply = { status?: { status?: string | null; setAt?: Date } };

export async function aboutOf(ctx: SessionContext, jid: string): Promise<Outcome<CommandOutput<"contacts.about">>> {
  const replies = (await ctx.sock.fetchStatus(jid)) as StatusReply[] | undefined;
  if (replies === undefined) return fail("network_timeout");
  const status = replies[0]?.status;
  const setAt = Math.floor((status?.setAt?.getTime() ?? 0) / 1000);
  return { ok: true, value: { about: status?.status || null, set_at: setAt > 0 ? setAt : null } };
}
