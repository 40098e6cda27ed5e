import type { BinaryNode } from "baileys";

/** The text a stanza holds; "" when it holds none. */
export function textOf(node: BinaryNode | undefined): string {
  const content = node?.content;
  if (typeof content === "string") return content;
  return content instanceof Uint8Array ? Buffer.from(content).toString("utf8") : "";
}
