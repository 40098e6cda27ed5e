// The page's words, in the reader's language.
import { useWords, words, type Words } from "../../src/words/words.ts";
import type pt from "./pt.ts";

export type PhoneWords = Words<typeof pt>;

export const phoneWords = words(
  () => import("./pt.ts"),
  () => import("./en.ts"),
);

export function usePhoneWords(): PhoneWords {
  return useWords(phoneWords);
}

/** Why the network refused; codes without words of their own are named. */
export function refusalText({ refused }: PhoneWords, code: string): string {
  const { other, ...texts } = refused;
  return code in texts ? texts[code as keyof typeof texts] : other(code);
}
