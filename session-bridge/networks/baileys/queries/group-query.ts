import type { BinaryNode, GroupMetadata } from "baileys";
// The library's own query functions cannot tell an empty response from a missing one, so only its parser is used.
import { extractGroupMetadata } from "baileys/lib/Socket/groups.js";
import { queryNetwork } from "./network-query.ts";
import type { SessionContext } from "../session/session-context.ts";

export const ANY_GROUP = "@g.us";

export function queryGroups(ctx: SessionContext, to: string, type: "get" | "set", ...content: BinaryNode[]): Promise<BinaryNode> {
  return queryNetwork(ctx, { to, type, xmlns: "w:g2" }, content);
}

export function tag(name: string, attrs: Record<string, string> = {}, content?: BinaryNode["content"]): BinaryNode {
  return { tag: name, attrs, ...(content === undefined ? {} : { content }) };
}

/** Drops refused people, whom the network lists like members but with an `error`. */
export function groupIn(answer: BinaryNode): GroupMetadata {
  const withoutRefused = (node: BinaryNode): BinaryNode =>
    node.tag !== "group" || !Array.isArray(node.content)
      ? node
      : { ...node, content: node.content.filter(({ attrs }) => !("error" in attrs)) };
  const content = Array.isArray(answer.content) ? answer.content.map(withoutRefused) : answer.content;
  return extractGroupMetadata({ ...answer, content } as BinaryNode);
}
