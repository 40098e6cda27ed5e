import * as z from "zod";
import { LIMITS } from "../limits.ts";
import { hasAtMostCharacters } from "../messages/characters.ts";

/** Control characters, lone surrogates, and marks that reverse the text direction. */
const CONTROLS = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;
const ALL_CONTROLS = new RegExp(CONTROLS, "gu");

export const hasNoControls = (text: string): boolean => !CONTROLS.test(text);
export const CONTROLS_PROBLEM = { params: { problem: "control_characters" } };

export const nameUpTo = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .refine((text) => hasAtMostCharacters(text, most), { params: { problem: "too_long", most } })
    .refine(hasNoControls, CONTROLS_PROBLEM);

export const emailAddress = z.string().trim().pipe(z.email().max(254));

/** Converts an issuer's name claim to a valid name, or null if nothing valid is left. */
export function nameFromIssuer(claim: unknown): string | null {
  if (typeof claim !== "string") return null;
  // The claim is truncated first, because splitting a huge claim would be slow.
  const letters = [...claim.slice(0, 1_000).replaceAll(ALL_CONTROLS, "").trim()];
  return letters.slice(0, LIMITS.keyNameCharacters).join("").trim() || null;
}
