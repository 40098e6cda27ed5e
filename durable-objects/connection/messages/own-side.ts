// Fills in the number itself as sender or recipient. It is not stored, because the number may change.
import type { Person } from "@gateway/protocol/ids.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";

export function withOwnSide(record: MessageRecord, phone: string | null): MessageRecord {
  const self: Person = { phone, lid: null };
  const { from_me, quoted, reactions } = record;
  return {
    ...record,
    sender: from_me ? self : record.sender,
    recipient: from_me ? record.recipient : self,
    quoted: quoted?.from_me === true ? { ...quoted, from: self } : quoted,
    reactions: reactions.map((each) => (each.from_me ? { ...each, sender: self } : each)),
  };
}
