// Reading the dashboard's requests.
import { z } from "zod";
import { hasAtMostCharacters } from "../domain/messages/characters.ts";
import { LIMITS } from "../domain/limits.ts";
import type { AppContext } from "../http/app-env.ts";
import { DISCARD_OF_STRANGERS, IncomingBody } from "../http/body/incoming-body.ts";
import { readJson } from "../http/body/read.ts";
import { ENGLISH_MESSAGES } from "../http/english-failure.ts";
import { validationFailure } from "../http/read-request.ts";
import { fail, type Outcome } from "../protocol/failures.ts";

/** The dashboard sends no files, and whoever signs in has shown no credential yet. */
const BODY_BYTES = 64 * 1024;

/** A name: 1 to 60 characters (code points), not only white space. */
export const name = z
  .string()
  .trim()
  .min(1)
  .refine((text) => hasAtMostCharacters(text, LIMITS.keyNameCharacters), `must be at most ${LIMITS.keyNameCharacters} characters`);

export async function readFields<S extends z.ZodType>(c: AppContext, schema: S): Promise<Outcome<z.output<S>>> {
  const { halfCharacter } = ENGLISH_MESSAGES;
  const rules = { limitBytes: BODY_BYTES, files: 0, discard: DISCARD_OF_STRANGERS, halfCharacter };
  const json = await readJson(new IncomingBody(c.req.raw), rules);
  if (!json.ok) return json;
  const fields = schema.safeParse(json.value, ENGLISH_MESSAGES);
  return fields.success ? { ok: true, value: fields.data } : fail(validationFailure(fields.error.issues));
}
