// How much a stranger's message may hold: a hundred of the largest must fit into one answer of the object, which the platform limits to
// 32 MiB, at two bytes a character.
import type { NetworkMessage } from "@gateway/protocol/message.ts";

const MAX_NAME_CHARACTERS = 1_000;
/** All other texts of a message together; `text` has a bound of its own. */
const MAX_OTHER_CHARACTERS = 90_000;
/** An emoji of many code points is shorter. */
export const MAX_REACTION_CHARACTERS = 100;

/** The message with its texts cut to what fits. */
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
