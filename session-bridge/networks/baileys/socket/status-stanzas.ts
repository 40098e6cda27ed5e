// Handles `<status>` stanzas (status posts), which the library does not know and leaves unacked. The network would redeliver them at each
// login and close the socket every fifty minutes (docs/internals/durability.md, "Defects of the libraries").
import { isJidNewsletter, type BinaryNode, type WASocket } from "baileys";

/** They differ from messages only in their tag, so they are passed on as messages and acked under their own tag. */
export function acceptStatusStanzas(sock: WASocket): void {
  const emit = sock.ws.emit.bind(sock.ws);
  sock.ws.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event !== "CB:status") return emit(event, ...args);
    const stanza = args[0] as BinaryNode;
    // Status posts of channels are not encrypted and belong to no chat.
    if (!isJidNewsletter(stanza.attrs["from"])) emit("CB:message", { ...stanza, tag: "message" });
    // Passes the output gate, so the post is stored first.
    sock.sendNode(ackOf(stanza)).catch(() => undefined);
    return true;
  };
}

function ackOf({ tag, attrs: { id = "", from = "", participant, type } }: BinaryNode): BinaryNode {
  return { tag: "ack", attrs: { class: tag, id, to: from, ...(participant && { participant }), ...(type && { type }) } };
}
