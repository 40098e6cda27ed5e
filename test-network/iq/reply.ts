import type { BinaryNode } from "baileys";

/** The answer of a query: its content, or the code it is refused with. */
export type Reply = { code: undefined; content: BinaryNode[] | undefined } | { code: number };

export function done(...content: BinaryNode[]): Reply {
  return { code: undefined, content: content.length > 0 ? content : undefined };
}

export function refused(code: number): Reply {
  return { code };
}
