import { type BinaryNode, getBinaryNodeChildString, S_WHATSAPP_NET, type GroupMetadata } from "baileys";
// The library's own query functions cannot distinguish an empty response from a missing one, so only its parser is used.
import { extractGroupMetadata } from "baileys/lib/Socket/groups.js";
import type { SessionContext } from "../session/session-context.ts";
import { readMexReply } from "../session/network-failures.ts";

class NoReply extends Error {
  readonly output = { statusCode: 408 };
}

/** Throws if the network refuses, and throws `NoReply` if it does not respond. */
export async function queryNetwork(
  { sock }: Pick<SessionContext, "sock">,
  attrs: Record<string, string>,
  content?: BinaryNode["content"],
): Promise<BinaryNode> {
  const reply = (await sock.query({ tag: "iq", attrs, ...(content === undefined ? {} : { content }) })) as BinaryNode | undefined;
  if (reply === undefined) throw new NoReply("the network did not answer");
  return reply;
}

// Runs a MEX query (GraphQL by query id). Unlike the library, reports refusals and missing responses. Returns the value at `path`.
export async function queryMex(ctx: Pick<SessionContext, "sock">, queryId: string, variables: object, path: string): Promise<unknown> {
  const content = Buffer.from(JSON.stringify({ variables }));
  const reply = await queryNetwork(ctx, { to: S_WHATSAPP_NET, type: "get", xmlns: "w:mex" }, [
    { tag: "query", attrs: { query_id: queryId }, content },
  ]);
  const { data, refusals } = readMexReply(getBinaryNodeChildString(reply, "result"));
  const [refusal] = refusals;
  if (refusal !== undefined) throw Object.assign(new Error("refused"), { data: refusal });
  return data[path];
}

// Sends typing states in the network's current form. The library adds a sender, which the network now derives itself.
export type ChatState = "typing" | "recording" | "paused";

export function sendChatState({ sock }: Pick<SessionContext, "sock">, jid: string, state: ChatState): Promise<void> {
  const content = [{ tag: state === "paused" ? "paused" : "composing", attrs: state === "recording" ? { media: "audio" } : {} }];
  return sock.sendNode({ tag: "chatstate", attrs: { to: jid }, content });
}

export const ANY_GROUP = "@g.us";

export function queryGroups(ctx: SessionContext, to: string, type: "get" | "set", ...content: BinaryNode[]): Promise<BinaryNode> {
  return queryNetwork(ctx, { to, type, xmlns: "w:g2" }, content);
}

export async function setSubject(ctx: SessionContext, groupId: string, subject: string): Promise<void> {
  await queryGroups(ctx, groupId, "set", tag("subject", {}, Buffer.from(subject)));
}

/** The library encodes an attribute with an "@" as a JID, so names must not contain one there. Bytes are sent as they are. */
export function withoutAt(name: string): string {
  return name.replaceAll("@", "");
}

export function tag(name: string, attrs: Record<string, string> = {}, content?: BinaryNode["content"]): BinaryNode {
  return { tag: name, attrs, ...(content === undefined ? {} : { content }) };
}

/** Drops people whom the network refused. It lists them like members, but with an `error`. */
export function groupIn(reply: BinaryNode): GroupMetadata {
  const withoutRefused = (node: BinaryNode): BinaryNode =>
    node.tag !== "group" || !Array.isArray(node.content)
      ? node
      : { ...node, content: node.content.filter(({ attrs }) => !("error" in attrs)) };
  const content = Array.isArray(reply.content) ? reply.content.map(withoutRefused) : reply.content;
  return extractGroupMetadata({ ...reply, content } as BinaryNode);
}
