import type { PhoneBook } from "../addressing/phone-book.ts";

/** `@` and a number; whether it is a LID the book knows. */
const MENTION = /@(\d{6,20})(?!\d)/g;

/** Where words mention somebody by LID, as they do in groups: by phone (docs/events.md, "Rules of the data"). */
export function worded(text: string, book: PhoneBook): string {
  return text.replace(MENTION, (spelled, number: string) => {
    const phone = book.phoneOf(number);
    return phone === null ? spelled : `@${phone}`;
  });
}
