// Parses values written by another part of the gateway. Nearly all of them match their schema unchanged. A check derived from the schema
// detects this far faster than zod, which is fast only with generated code, and workerd forbids generated code.
import type * as z from "zod";

/** True only if the schema would return an equal value. False does not mean that the value is invalid. */
type Check = (value: unknown) => boolean;

const NO: Check = () => false;

const checks = new WeakMap<z.ZodType, Check>();

/** Returns the same result as `schema.safeParse(value)`, but an accepted value is the value itself, not a copy. */
export function fastParse<T extends z.ZodType>(schema: T, value: unknown): z.ZodSafeParseResult<z.output<T>> {
  let check = checks.get(schema);
  if (check === undefined) {
    check = checkOf(schema);
    checks.set(schema, check);
  }
  return check(value) ? { success: true, data: value as z.output<T> } : schema.safeParse(value);
}

/** For values that this code has stored or written itself, so that any error is a bug. */
export function mustParse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const read = fastParse(schema, value);
  if (!read.success) throw read.error;
  return read.data;
}

type Definition = z.core.$ZodTypes["_zod"]["def"] & { coerce?: boolean; format?: string };

function checkOf(schema: z.core.$ZodType): Check {
  const definition = schema._zod.def as Definition;
  if (definition.coerce === true) return NO;
  const check = withoutRules(definition);
  const rules = (definition.checks ?? []).map(ruleOf);
  if (rules.length === 0) return check;
  return (value) => check(value) && rules.every((rule) => rule(value));
}

/** Schema kinds that are missing here are checked by zod. */
function withoutRules(definition: Definition): Check {
  switch (definition.type) {
    case "string":
      return definition.format === undefined ? (value) => typeof value === "string" : NO;
    case "number":
      return definition.format === undefined || definition.format === "safeint" ? Number.isFinite : NO;
    case "boolean":
      return (value) => typeof value === "boolean";
    case "null":
      return (value) => value === null;
    case "unknown":
      return () => true;
    case "literal":
      return among(definition.values);
    case "enum":
      return among(Object.values(definition.entries));
    case "nullable":
      return orAlso(null, checkOf(definition.innerType));
    case "optional":
      return orAlso(undefined, checkOf(definition.innerType));
    case "default":
      return unlessMissing(checkOf(definition.innerType));
    case "array":
      return listOf(checkOf(definition.element));
    case "tuple":
      return tupleOf(definition);
    case "record":
      return recordOf(checkOf(definition.keyType), checkOf(definition.valueType));
    case "object":
      return objectOf(definition.shape);
    case "union":
      return unionOf(definition);
    default:
      return NO;
  }
}

/** Rules that are missing here are checked by zod. */
function ruleOf(check: z.core.$ZodCheck): Check {
  const definition = check._zod.def as z.core.$ZodCheckDef & { value?: unknown; format?: string };
  const limit = Number(definition.value);
  switch (definition.check) {
    case "max_length": {
      const { maximum } = definition as z.core.$ZodCheckMaxLengthDef;
      return (value) => (value as string | unknown[]).length <= maximum;
    }
    case "min_length": {
      const { minimum } = definition as z.core.$ZodCheckMinLengthDef;
      return (value) => (value as string | unknown[]).length >= minimum;
    }
    case "string_format": {
      const { format, pattern } = definition as z.core.$ZodCheckStringFormatDef;
      return format === "regex" && pattern !== undefined && !pattern.global && !pattern.sticky
        ? (value) => pattern.test(value as string)
        : NO;
    }
    case "number_format":
      return definition.format === "safeint" ? Number.isSafeInteger : NO;
    case "greater_than":
      return (definition as z.core.$ZodCheckGreaterThanDef).inclusive
        ? (value) => (value as number) >= limit
        : (value) => (value as number) > limit;
    case "less_than":
      return (definition as z.core.$ZodCheckLessThanDef).inclusive
        ? (value) => (value as number) <= limit
        : (value) => (value as number) < limit;
    default:
      return NO;
  }
}

function among(values: readonly unknown[]): Check {
  const known = new Set(values);
  return (value) => known.has(value);
}

const orAlso =
  (one: null | undefined, check: Check): Check =>
  (value) =>
    value === one || check(value);

const unlessMissing =
  (check: Check): Check =>
  (value) =>
    value !== undefined && check(value);

const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

function tupleOf({ items, rest }: z.core.$ZodTupleDef): Check {
  if (rest !== null) return NO;
  const parts = items.map(checkOf);
  return (value) => Array.isArray(value) && value.length === parts.length && parts.every((check, at) => check(value[at]));
}

function recordOf(key: Check, check: Check): Check {
  return (value) => isRecord(value) && Object.keys(value).every((name) => key(name) && check(value[name]));
}

/** zod would remove a name that the schema lacks, so the check returns false. */
function objectOf(shape: Readonly<Record<string, z.core.$ZodType>>): Check {
  const fields = Object.entries(shape).map(([name, schema]) => ({ name, check: checkOf(schema) }));
  return (value) => {
    if (!isRecord(value)) return false;
    let known = 0;
    for (const { name, check } of fields) {
      const field = value[name];
      if (!check(field)) return false;
      if (field !== undefined || Object.hasOwn(value, name)) known += 1;
    }
    return known === Object.keys(value).length;
  };
}

function unionOf({ discriminator, options }: Partial<z.core.$ZodDiscriminatedUnionDef>): Check {
  if (discriminator === undefined || options === undefined) return NO;
  const byTag = new Map<unknown, Check>();
  for (const option of options) {
    const { type, shape } = option._zod.def as z.core.$ZodObjectDef;
    const tag = shape?.[discriminator]?._zod.def as z.core.$ZodLiteralDef<z.core.util.Literal> | undefined;
    if (type !== "object" || tag?.type !== "literal") return NO;
    const check = checkOf(option);
    for (const value of tag.values) byTag.set(value, check);
  }
  return (value) => isRecord(value) && (byTag.get(value[discriminator]) ?? NO)(value);
}

/** A plain object, as in JSON. Inherited fields are ignored. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
