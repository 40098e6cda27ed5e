import type { BinaryNode } from "baileys";

export type Reply = { code: undefined; content: BinaryNode[] | undefined } | { code: number };

export function done(...content: BinaryNode[]): Reply {
  return { code: undefined, content: content.length > 0 ? content : undefined };
}

export function refused(code: number): Reply {
  return { code };
}
