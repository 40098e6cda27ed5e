import { otherSpelling } from "@gateway/protocol/cloud/phone-spellings.ts";

/** The network's spelling of a number: a configured one, the number itself, or its country's alternative form. */
export function spelled(asked: string, learnt: Readonly<Record<string, string>>, isKnown: (digits: string) => boolean): string {
  const known = learnt[asked];
  if (known !== undefined) return known;
  const other = otherSpelling(asked);
  return !isKnown(asked) && other !== null && isKnown(other) ? other : asked;
}
