// Removes refused devices from pre-key answers: logged out or not fully linked. Baileys discards the whole answer for one of them
// (WhiskeySockets/Baileys#2521), so nobody in the group gets the message. A removed device is skipped and sends a retry receipt when it
// returns. A person without any usable device is still refused.
import type { BinaryNode, WASocket } from "baileys";

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
