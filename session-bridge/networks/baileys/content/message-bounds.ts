// Bounds a received message. A hundred of the largest must fit into one answer of the object, which the platform limits to 32 MiB at two
// bytes per character.
import type { NetworkMessage } from "@gateway/protocol/message.ts";

const MAX_NAME_CHARACTERS = 1_000;
const MAX_OTHER_CHARACTERS = 90_000;
export const MAX_REACTION_CHARACTERS = 100;

export function withinBounds(message: NetworkMessage): NetworkMessage {
  const { push_name, location, contacts, poll, selected, quoted } = message;
  let left = MAX_OTHER_CHARACTERS;
  const cut = <T>(value: T): T => {
    if (typeof value === "string") {
      const kept = value.slice(0, left);
      left -= kept.length;
      return kept as T;
    }
    if (Array.isArray(value)) return value.map(cut) as T;
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each)])) as T;
  };
  return {
    ...message,
    push_name: push_name?.slice(0, MAX_NAME_CHARACTERS) ?? null,
    quoted: quoted && { ...quoted, text: cut(quoted.text) },
    ...cut({ location, selected, poll, contacts }),
  };
}
