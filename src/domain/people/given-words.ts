// Names and e-mail addresses as people and identity issuers give them: one rule for each, wherever they come in.
import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { hasAtMostCharacters } from "../messages/characters.ts";

/** Control characters, lone surrogates, and marks that turn the direction of what follows. */
const CONTROLS = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;
const ALL_CONTROLS = new RegExp(CONTROLS, "gu");

/** For `refine`. */
export const hasNoControls = (text: string): boolean => !CONTROLS.test(text);
export const CONTROLS_PROBLEM = { params: { problem: "control_characters" } };

/** 1 to `most` characters (code points), not only white space. */
export const nameUpTo = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .refine((text) => hasAtMostCharacters(text, most), { params: { problem: "too_long", most } })
    .refine(hasNoControls, CONTROLS_PROBLEM);

export const emailAddress = z.string().trim().pipe(z.email().max(254));

/** Turns an issuer's name claim into a valid name; null: nothing valid is left. */
export function nameFromIssuer(claim: unknown): string | null {
  if (typeof claim !== "string") return null;
  // Longer than any name, and short enough to be taken apart.
  const letters = [...claim.slice(0, 1_000).replaceAll(ALL_CONTROLS, "").trim()];
  return letters.slice(0, LIMITS.keyNameCharacters).join("").trim() || null;
}
