// A Cloud API number's credentials, as sent to its object, and the webhook path that Meta calls.
import * as z from "zod";

/** People often copy these with a trailing space or line break, which headers do not allow. */
const secret = (maxCharacters: number) =>
  z
    .string()
    .trim()
    .max(maxCharacters)
    .regex(/^[\x21-\x7e]+$/);

export const CLOUD_CREDENTIALS = {
  phone_number_id: z.string().regex(/^\d{1,32}$/),
  waba_id: z.string().regex(/^\d{1,32}$/),
  access_token: secret(1024),
  app_secret: secret(128),
  pin: z
    .string()
    .regex(/^\d{6}$/)
    .optional(),
};
type GivenCredentials = z.output<z.ZodObject<typeof CLOUD_CREDENTIALS>>;

/** The connection's UUID follows this path. */
export const CLOUD_WEBHOOK_PATH = "/api/cloud/webhook";

/** Never part of a `Call`, because calls are stored and credentials must not be. */
export type CloudCredentialsInput = { phoneNumberId: string; wabaId: string; accessToken: string; appSecret: string; pin: string | null };
/** `connects` also connects the number. `triesOnly` verifies the credentials but stores nothing. */
export type CloudConfiguration = CloudCredentialsInput & { connects: boolean; triesOnly?: true };

export function readCloudCredentials(given: GivenCredentials): CloudCredentialsInput {
  const { phone_number_id, waba_id, access_token, app_secret, pin } = given;
  return { phoneNumberId: phone_number_id, wabaId: waba_id, accessToken: access_token, appSecret: app_secret, pin: pin ?? null };
}

// Mobile numbers in three countries exist with and without a digit that was added later (9 in Brazil and Argentina, 1 in Mexico).
const SPELLINGS: readonly (readonly [from: RegExp, to: string])[] = [
  // Eight-digit numbers starting with 2 to 5 are landlines, so only mobile numbers match.
  [/^55(\d{2})9([6-9]\d{7})$/, "55$1$2"],
  [/^55(\d{2})([6-9]\d{7})$/, "55$19$2"],
  [/^521([2-9]\d{9})$/, "52$1"],
  [/^52([2-9]\d{9})$/, "521$1"],
  [/^549([1-8]\d{9})$/, "54$1"],
  [/^54([1-8]\d{9})$/, "549$1"],
];

export function otherSpelling(phone: string): string | null {
  const found = SPELLINGS.find(([from]) => from.test(phone));
  return found === undefined ? null : phone.replace(...found);
}
