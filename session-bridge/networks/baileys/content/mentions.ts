import type { LidMapping } from "../addressing/lid-mapping.ts";

/** The digits may be a phone number or a LID. */
const MENTION = /@(\d{6,20})(?!\d)/g;

/** Replaces LIDs in mentions by phone numbers (docs/use/events.md, "Rules of the data"). */
export function mentionsByPhone(text: string, lids: LidMapping): string {
  return text.replace(MENTION, (mention, number: string) => {
    const phone = lids.phoneOf(number);
    return phone === null ? mention : `@${phone}`;
  });
}
