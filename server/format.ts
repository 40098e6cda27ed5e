// A data folder's version, which is stored in its `format` file.
import * as z from "zod";
import { parseJson } from "@gateway/protocol/json.ts";

/** Raise this number when older releases can no longer read the files, and in every release that changes the objects' tables. */
export const FORMAT = 5;

const Format = z.object({ format: z.number().int(), migrations: z.array(z.string()) });
export type Format = z.infer<typeof Format>;

export function parsedFormat(text: string): Format | null {
  return Format.safeParse(parseJson(text)).data ?? null;
}

/** Older releases do not understand data stored by newer ones. */
export function downgradeProblem({ format, migrations }: Format, known: readonly string[]): string | null {
  const newer = "was written by a newer release of the gateway; install that release, or restore a backup of this one";
  if (format > FORMAT) return `the data ${newer} (format ${format}; this release reads ${FORMAT})`;
  const unknown = migrations.find((name) => !known.includes(name));
  return unknown === undefined ? null : `the data ${newer} (migration ${unknown} is not known here)`;
}
