import type { LidMapping } from "../addressing/lid-mapping.ts";

/** `@` and digits; the LID mapping knows whether they are a LID. */
const MENTION = /@(\d{6,20})(?!\d)/g;

/** Replaces LIDs in mentions, as groups write them, by phone numbers (docs/use/events.md, "Rules of the data"). */
export function mentionsByPhone(text: string, lids: LidMapping): string {
  return text.replace(MENTION, (mention, number: string) => {
    const phone = lids.phoneOf(number);
    return phone === null ? mention : `@${phone}`;
  });
}
