import type { z } from "zod";
import { LIMITS } from "@gateway/domain/limits.ts";
import { InlineFile } from "./inline-file.ts";

const known = new WeakMap<z.ZodType, number>();
const SAMPLE = new InlineFile([Uint8Array.of(0)]);

export function filesTaken(schema: z.ZodType): number {
  let files = known.get(schema);
  if (files === undefined) {
    files = hasPlaceForFile(schema, new Set()) ? LIMITS.filesPerBody : 0;
    known.set(schema, files);
  }
  return files;
}

function hasPlaceForFile(part: unknown, seen: Set<unknown>): boolean {
  if (typeof part !== "object" || part === null || seen.has(part)) return false;
  seen.add(part);
  if (!("_zod" in part)) return Object.values(part).some((inner) => hasPlaceForFile(inner, seen));
  const { def } = (part as z.ZodType)._zod;
  if (def.type === "custom") return (part as z.ZodType).safeParse(SAMPLE).success;
  const { checks: _, ...inner } = def;
  return hasPlaceForFile(inner, seen);
}
