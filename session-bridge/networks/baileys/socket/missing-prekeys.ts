// Devices whose keys the network does not have: signed off, or never quite there. Baileys throws the whole answer away for one of them
// (WhiskeySockets/Baileys#2521), so nobody in a group hears anything while it is a member's. Left out of the answer it is a device that
// nothing is encrypted for; when it comes back it asks for what it missed. A person none of whose devices has keys is still refused.
import type { BinaryNode, WASocket } from "baileys";

export function dropDevicesWithoutPreKeys(sock: WASocket): void {
  // The library's own first word on what came in, before whoever asked gets it.
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
