// Removes refused devices from pre-key responses, because Baileys would discard the whole response (WhiskeySockets/Baileys#2521).
import type { WASocket, BinaryNode } from "baileys";

export function dropDevicesWithoutPreKeys(sock: WASocket): void {
  // Baileys emits this event before it resolves the waiting query.
  sock.ws.on("frame", (frame: BinaryNode | Uint8Array) => {
    if (frame instanceof Uint8Array || frame.tag !== "iq" || frame.attrs["type"] !== "result") return;
    const list = childrenOf(frame).find(({ tag }) => tag === "list");
    const users = list === undefined ? [] : childrenOf(list);
    if (list !== undefined && users.some(isRefused)) list.content = users.filter((user) => !isRefused(user));
  });
}

function isRefused(user: BinaryNode): boolean {
  return user.tag === "user" && childrenOf(user).some(({ tag }) => tag === "error");
}

function childrenOf({ content }: BinaryNode): BinaryNode[] {
  return Array.isArray(content) ? content : [];
}
