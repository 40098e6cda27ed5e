// Devices whose pre-keys the network does not have: logged out, or not fully linked. For one of them Baileys discards the whole answer
// (WhiskeySockets/Baileys#2521), so a group with such a member gets no message at all. Removed from the answer, it is a device that nothing
// is encrypted for; it sends retry receipts when it comes back. A person none of whose devices has keys is still refused.
import type { BinaryNode, WASocket } from "baileys";

export function dropDevicesWithoutPreKeys(sock: WASocket): void {
  // The event that Baileys emits first for a frame, before the query that waits for it is answered.
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
