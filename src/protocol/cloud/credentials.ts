// How the credentials of a number of the Cloud API reach its object, and where Meta reaches the number.

import { z } from "zod";

/** Copied out of a page, often with a blank or a line end after it. Both stand in headers, which take no other characters. */
const secret = (maxCharacters: number) =>
  z
    .string()
    .trim()
    .max(maxCharacters)
    .regex(/^[\x21-\x7e]+$/);

/** As the owner gives them, on every API. */
export const CLOUD_CREDENTIALS = {
  phone_number_id: z.string().regex(/^\d{1,32}$/),
  waba_id: z.string().regex(/^\d{1,32}$/),
  access_token: secret(1024),
  app_secret: secret(128),
  /** Registers the number with the Cloud API, when it is not yet. */
  pin: z
    .string()
    .regex(/^\d{6}$/)
    .optional(),
};
type GivenCredentials = z.output<z.ZodObject<typeof CLOUD_CREDENTIALS>>;

/** Behind it stands the connection's UUID. */
export const CLOUD_WEBHOOK_PATH = "/api/cloud/webhook";

/** The credentials of a number of the Cloud API, on their way to its object: never part of a call, which is stored. */
export type CloudCredentialsInput = { phoneNumberId: string; wabaId: string; accessToken: string; appSecret: string; pin: string | null };
/** `connects`: the number is connected with them; otherwise they are tried and stored. `triesOnly`: nothing is stored. */
export type CloudConfiguration = CloudCredentialsInput & { connects: boolean; triesOnly?: true };

export function readCloudCredentials(given: GivenCredentials): CloudCredentialsInput {
  const { phone_number_id, waba_id, access_token, app_secret, pin } = given;
  return { phoneNumberId: phone_number_id, wabaId: waba_id, accessToken: access_token, appSecret: app_secret, pin: pin ?? null };
}
