import { catalog, type Texts, useTexts } from "../../src/texts/catalog.ts";
import type pt from "../../src/texts/pt/phone.ts";

export type PhoneTexts = Texts<typeof pt>;

export const PHONE = catalog(
  () => import("../../src/texts/pt/phone.ts"),
  () => import("../../src/texts/en/phone.ts"),
);

export function usePhoneTexts(): PhoneTexts {
  return useTexts(PHONE);
}

/** Error codes without a text of their own are shown unchanged. */
export function refusalText({ refused }: PhoneTexts, code: string): string {
  const { other, ...texts } = refused;
  return code in texts ? texts[code as keyof typeof texts] : other(code);
}
