import { refName, type Schema } from "./document.ts";

const PLAIN: Record<string, string> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
  array: "unknown[]",
};
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

export function comment(text: string | undefined, indent = ""): string {
  if (text === undefined || text === "") return "";
  return `${indent}/** ${text.replaceAll("*/", "*\\/").replaceAll(/\s*\n\s*/g, " ")} */\n`;
}

export function typeOf(schema: Schema, indent = ""): string {
  const parts = [ownType(schema, indent), ...(schema.allOf ?? []).map((part) => typeOf(part, indent)), variants(schema, indent)];
  const known = parts.filter((part) => part !== undefined && part !== "unknown");
  if (known.length === 0) return "unknown";
  return known.length === 1 ? (known[0] ?? "unknown") : known.map((part) => parenthesized(part ?? "")).join(" & ");
}

function variants(schema: Schema, indent: string): string | undefined {
  const listed = schema.oneOf ?? schema.anyOf;
  if (listed === undefined) return undefined;
  const types = [...new Set(listed.map((part) => typeOf(part, indent)))];
  // With `"a" | "b" | string`, editors would not suggest the known values.
  const open = types.includes("string") && types.length > 1;
  return types.map((type) => (open && type === "string" ? "(string & {})" : type)).join(" | ");
}

function ownType(schema: Schema, indent: string): string | undefined {
  if (schema.$ref !== undefined) return refName(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.properties !== undefined || schema.type === "object") return objectType(schema, indent);
  if (schema.type === undefined) return undefined;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.map((type) => simpleType(type, schema, indent)).join(" | ");
}

function simpleType(type: string, schema: Schema, indent: string): string {
  if (type === "array" && schema.items !== undefined) return `${parenthesized(typeOf(schema.items, indent))}[]`;
  if (type === "object") return objectType(schema, indent);
  return PLAIN[type] ?? "unknown";
}

function objectType(schema: Schema, indent: string): string {
  const inner = `${indent}  `;
  const required = new Set(schema.required ?? []);
  const names = [...new Set([...Object.keys(schema.properties ?? {}), ...required])];
  if (names.length === 0)
    return typeof schema.additionalProperties === "object"
      ? `Record<string, ${typeOf(schema.additionalProperties, indent)}>`
      : "Record<string, unknown>";
  const lines = names.map((name) => {
    const property = schema.properties?.[name] ?? {};
    const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
    return `${comment(property.description, inner)}${inner}${key}${required.has(name) ? "" : "?"}: ${typeOf(property, inner)};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function parenthesized(type: string): string {
  return /[|&]/.test(type.replaceAll(/\{[^]*\}/g, "")) ? `(${type})` : type;
}
