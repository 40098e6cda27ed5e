// The library does not ack `<status>` stanzas. The network would redeliver them and close the socket every fifty minutes.
import { type WASocket, type BinaryNode, isJidNewsletter } from "baileys";

/** Status stanzas differ from messages only by their tag, so they are handled as messages and acked under their own tag. */
export function acceptStatusStanzas(sock: WASocket): void {
  const emit = sock.ws.emit.bind(sock.ws);
  sock.ws.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event !== "CB:status") return emit(event, ...args);
    const stanza = args[0] as BinaryNode;
    if (!isJidNewsletter(stanza.attrs["from"])) emit("CB:message", { ...stanza, tag: "message" });
    // Passes through the output gate, so that the post is stored before its ack is sent.
    sock.sendNode(ackOf(stanza)).catch(() => undefined);
    return true;
  };
}

function ackOf({ tag, attrs: { id = "", from = "", participant, type } }: BinaryNode): BinaryNode {
  return { tag: "ack", attrs: { class: tag, id, to: from, ...(participant && { participant }), ...(type && { type }) } };
}
