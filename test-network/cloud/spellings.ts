import { otherSpelling } from "@gateway/protocol/cloud/phone-spellings.ts";

/** The number as the network spells it: as it has learnt, as it is, or in the country's other way. */
export function spelled(asked: string, learnt: Readonly<Record<string, string>>, isKnown: (digits: string) => boolean): string {
  const known = learnt[asked];
  if (known !== undefined) return known;
  const other = otherSpelling(asked);
  return !isKnown(asked) && other !== null && isKnown(other) ? other : asked;
}
