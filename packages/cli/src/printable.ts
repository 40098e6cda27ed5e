// Text from strangers must not be able to control the terminal that shows it.

const LONGEST = 60;
/** Control characters move the cursor or set the title, and format characters reverse the reading direction. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** One line without control characters, at most 60 characters long. */
export function printable(text: string): string {
  const shown = [...text.replaceAll(UNSAFE, "·")];
  return shown.length <= LONGEST ? shown.join("") : `${shown.slice(0, LONGEST - 1).join("")}…`;
}

export function quoted(text: string | null | undefined): string {
  return typeof text === "string" ? `"${printable(text)}"` : "";
}
