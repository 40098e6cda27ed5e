// Status posts come in `<status>` stanzas, which the library does not know: it would leave them unanswered, and the network would bring
// them again at each login and end the line every fifty minutes (docs/internals/baileys.md, "Defects of the libraries").
import { isJidNewsletter, type BinaryNode, type WASocket } from "baileys";

/** They differ from messages in their tag alone: handed on as such, and acked under their own name. */
export function acceptStatusStanzas(sock: WASocket): void {
  const emit = sock.ws.emit.bind(sock.ws);
  sock.ws.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event !== "CB:status") return emit(event, ...args);
    const stanza = args[0] as BinaryNode;
    // Those of channels are not end-to-end encrypted and belong to no chat.
    if (!isJidNewsletter(stanza.attrs["from"])) emit("CB:message", { ...stanza, tag: "message" });
    // Behind what was stored of it, as everything that is written.
    sock.sendNode(ackOf(stanza)).catch(() => undefined);
    return true;
  };
}

function ackOf({ tag, attrs: { id = "", from = "", participant, type } }: BinaryNode): BinaryNode {
  return { tag: "ack", attrs: { class: tag, id, to: from, ...(participant && { participant }), ...(type && { type }) } };
}
